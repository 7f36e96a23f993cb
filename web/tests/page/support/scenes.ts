// States of a session in which the page is looked at: each as a view made by hand.
import type { Item, View } from "../../../src/session/model";
import { ANA, auto, BOT, ME, message, NOW, OBSERVE, person, proposal } from "./double";

const CODE = `The cursor in \`export.rs\` is taken **before** the transaction begins, so rows that commit in between are skipped:

\`\`\`rust
/// Pages through what changed since the last run.
async fn pages(pool: &Pool, since: Seq) -> Result<Vec<Row>, StoreError> {
    let head = head(pool).await?; // taken too early
    let mut tx = pool.begin().await?;
    rows(&mut tx, since..=head).await
}
\`\`\`

1. Take the head inside the transaction.
2. Keep the old cursor until the upload is confirmed.
   - a retry then sends the same page again
   - the bucket drops what it has

See [the isolation chapter](https://www.postgresql.org/docs/current/transaction-iso.html) and https://plane.example/runs/812?full=1.`;

const DIFF = `Here is the change.

\`\`\`diff
diff --git a/plane/src/export.rs b/plane/src/export.rs
--- a/plane/src/export.rs
+++ b/plane/src/export.rs
@@ -41,7 +41,8 @@ async fn pages(pool: &Pool, since: Seq)
-    let head = head(pool).await?;
     let mut tx = pool.begin().await?;
+    let head = head_in(&mut tx).await?;
+    debug_assert!(head >= since);
     rows(&mut tx, since..=head).await
\`\`\``;

const OTHER = person("Ana Ferreira", {
  id: "id-2",
  tag: "79f2",
  kind: "agent",
  program: "Codex",
  lastSeen: NOW - 600_000,
});

export const TALK: readonly Item[] = [
  { kind: "event", seq: 1, at: NOW - 90_000_000, text: "The session was created.", tone: "plain" },
  { kind: "event", seq: 2, at: NOW - 90_000_000, text: "“Ana Ferreira” (human) joined.", tone: "plain" },
  message(
    3,
    "I spent the morning on the nightly export. It loses a handful of rows every night; the hand-off is below.\n\nWhat I know:\n- only rows written around 02:00\n- no error in any log\n- the same on staging",
    {
      at: NOW - 89_000_000,
      author: BOT,
      messageKind: "note",
      pinned: true,
      topic: "export",
      paths: ["plane/src/export.rs", "plane/src/store/rows.sql"],
    },
  ),
  { kind: "event", seq: 4, at: NOW - 3_500_000, text: "“Sam” (human) joined.", tone: "plain" },
  message(5, "Sam, does your agent see the same on the replica?", {
    author: ANA,
    mentionsYou: true,
    messageKind: "question",
    to: [ME],
  }),
  message(6, "Yes. About forty rows, all with the same commit time.", {
    author: ME,
    replyTo: 5,
    messageKind: "answer",
  }),
  message(7, CODE, { author: BOT, topic: "export" }),
  message(8, DIFF, { author: BOT, at: NOW - 3_600_000 + 7.4 * 60_000, topic: "export", signal: "done" }),
  message(9, "I would rather not touch the cursor before Thursday's release.", {
    author: OTHER,
    messageKind: "decision",
    hidden: 3,
  }),
  {
    kind: "unreadable",
    seq: 10,
    at: NOW - 2_900_000,
    author: OTHER,
    why: "its signature does not fit its author.",
    code: "bad_signature",
  },
  {
    kind: "event",
    seq: 11,
    at: NOW - 2_800_000,
    text: "Mode: relay to auto, a proposal was accepted. 20 messages, 30 minutes.",
    tone: "plain",
  },
  message(12, "Fine with me. The release branch is cut; go on.", { author: ME, at: NOW - 2_700_000 }),
];

const sending = message(-2, "I'll watch the next run.", { author: ME, at: NOW, pending: "sending" });
const failed = message(-1, "And tell the data team.", {
  author: ME,
  at: NOW,
  pending: "failed",
  refusal: "Too many messages in a minute; wait a little.",
});

export function many(count: number): Item[] {
  return Array.from({ length: count }, (_, at) =>
    message(at + 1, at % 17 === 0 ? CODE : `Message ${at + 1}. ${"A few words more. ".repeat(at % 9)}`, {
      author: [ANA, BOT, ME, OTHER][at % 4] ?? ANA,
      at: NOW - (count - at) * 240_000,
    }),
  );
}

/** Messages in which one letter stands as often as it can. */
function letters(): Item[] {
  const row = `|${" a |".repeat(60)}`;
  const table = [row, `|${"---|".repeat(60)}`, ...Array.from({ length: 60 }, () => row)].join("\n");
  const texts = [
    "a".repeat(200_000),
    table,
    `\`\`\`rust\n${"let a = a + a;\n".repeat(130)}\`\`\``,
    `\`\`\`diff\n${"+a a a a a a a a a a\n".repeat(70)}\`\`\``,
    "**a** `a` a ".repeat(600),
    Array.from({ length: 9 }, () => table.slice(0, 900)).join("\n\n"),
  ];
  return Array.from({ length: 60 }, (_, at) =>
    message(at + 1, texts[at % texts.length] ?? "", { at: NOW - (60 - at) * 240_000 }),
  );
}

const LISTENERS = [
  ME,
  ANA,
  BOT,
  OTHER,
  person("Kenji", { here: false }),
  person("Lo", { capability: "view", readUpTo: 4 }),
];

const EVENTS = TALK.filter((item) => item.kind === "event").slice(0, 2);

const LONG_NAME = "Maximiliane-Wilhelmine von Hohenstein-Wallerstätten zu Oettingen";
const LONG_TITLE =
  "Why the nightly export of the billing warehouse misses rows that were written while the replica was catching up, and what it takes to mend it";
const LONG = person(LONG_NAME, {
  kind: "agent",
  program: "A coding assistant with a long name 12.4.1",
  tag: "k3q9",
});
const CROWD = [
  ME,
  ANA,
  LONG,
  ...Array.from({ length: 28 }, (_, at) =>
    person(`Guest ${at + 1}`, { kind: at % 3 === 0 ? "human" : "agent" }),
  ),
];

const HEAD = "12 · 3f9a 11c0 77de 0b42 9a5e c1d2 8846 f00d";

export const SCENES: Readonly<Record<string, Partial<View>>> = {
  door: { phase: { kind: "door", capability: "full" }, items: [] },
  "door-view": {
    phase: { kind: "door", capability: "view" },
    items: [],
    title: LONG_TITLE,
    trouble: "The server asks for a little patience; try again in a minute.",
  },
  entering: { phase: { kind: "door", capability: "full" }, items: [] },
  opening: { phase: { kind: "entering" }, items: [] },
  knocking: { phase: { kind: "knocking", since: NOW - 95_000 } },
  fresh: { items: EVENTS, people: [ME, ANA] },
  talk: { items: TALK, people: LISTENERS },
  auto: {
    items: [...TALK, failed, sending],
    people: LISTENERS,
    mode: auto(),
    door: { state: "ask", knocking: 2 },
  },
  low: {
    items: TALK,
    people: LISTENERS,
    mode: auto({ budgetLeft: 2, endsAt: NOW + 48_000, accepted: [ME, ANA, BOT], youAccepted: true }),
  },
  proposal: {
    items: TALK,
    people: LISTENERS,
    mode: { name: "relay", accepted: [], youAccepted: false },
    proposal: proposal(),
  },
  trouble: {
    items: TALK,
    people: LISTENERS,
    trouble: "The server did not take the last change of the mode: somebody else changed it first.",
  },
  warning: {
    items: TALK,
    people: LISTENERS,
    canWrite: false,
    connection: "waiting",
    retryAt: NOW + 8_000,
    integrity: {
      state: "warning",
      sentence: "“Ana Ferreira” saw another history than this one, from record 9 on.",
      detail: "fork",
      seq: 9,
      checkedFrom: 1,
      head: HEAD,
    },
  },
  lost: {
    items: [
      ...TALK,
      message(-1, "Is anybody there?", {
        author: ME,
        pending: "sending",
        delay: { why: "The server did not answer in time.", until: NOW + 12_000, isUnstored: false },
      }),
    ],
    people: LISTENERS,
    connection: "waiting",
    retryAt: NOW + 12_000,
    lost: "Something else than the server answered in its place (status 502). Nothing was lost; it is tried again.",
    fleeting: "Your browser keeps nothing for this page. Keep the link you came with.",
    integrity: {
      state: "whole",
      sentence: "Every record shown was checked here. But 1 message did not pass, and can't be shown.",
      withheld: 1,
      checkedFrom: 1,
      head: HEAD,
    },
  },
  broken: {
    items: TALK,
    people: LISTENERS,
    canWrite: false,
    connection: "stopped",
    mode: { ...OBSERVE, autoElsewhere: true, autoUnheard: true },
    integrity: {
      state: "broken",
      sentence: "A record does not follow from the one before it: something was changed, left out or put in.",
      detail: "chain_broken",
      seq: 9,
      checkedFrom: 1,
      head: HEAD,
    },
  },
  view: {
    items: TALK,
    people: LISTENERS,
    me: { ...ME, capability: "view" },
    canWrite: false,
    ended: { why: "ended", at: NOW - 600_000 },
    connection: "stopped",
  },
  loading: {
    items: TALK,
    people: LISTENERS,
    connection: "connecting",
    loading: { done: 3_200, total: 10_000 },
  },
  crowded: {
    title: LONG_TITLE,
    items: [
      ...TALK,
      message(
        13,
        "A word that does not end: " +
          "exportworker".repeat(24) +
          "\n\n| run | rows | missing | by |\n|---|---|---|---|\n| 811 | 40112 | 38 | a cursor that is taken too early, before the transaction begins |",
        {
          author: LONG,
          messageKind: "negative-result",
          topic: "the-cursor-that-is-taken-before-the-transaction-begins",
          to: [ME, ANA, LONG],
          mentionsYou: true,
          replyTo: 7,
          paths: [
            "services/billing/warehouse/export/nightly/src/transactions/cursor_that_is_taken_too_early.rs",
          ],
          signal: "blocked",
          pinned: true,
          at: NOW - 1_000_000,
        },
      ),
    ],
    people: CROWD,
    mode: auto({ goal: `${LONG_TITLE}. `.repeat(4), accepted: CROWD.slice(0, 12) }),
  },
  closed: { phase: { kind: "closed", why: "rekeyed", detail: "rekeyed" } },
  exposed: { phase: { kind: "closed", why: "exposed" } },
  rest: { phase: { kind: "closed", why: "removed", detail: "not_a_recipient" }, items: TALK },
  letters: { items: letters(), people: LISTENERS },
  many: { items: many(10_000), people: LISTENERS },
};
