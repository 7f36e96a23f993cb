// The page of somebody with a seat: messages, composer, search, people, what lies over the page, keys.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { beforeEach, describe, expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { noteText } from "../../src/session/note";
import { article } from "./support/article";
import { ANA, BOT, Double, ME, message, NOW, person, proposal } from "./support/double";

let session: Double;

async function open(more: Partial<View> = {}) {
  session = new Double(more);
  render(App, { session, clock: new Clock(() => NOW) });
  await tick();
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));
const field = () => screen.getByRole("textbox", { name: "Message" });

describe("a message", () => {
  test("names its author, in words whether a program or a person, and the full time", async () => {
    await open({ items: [message(3, "Found it.", { author: BOT })] });
    const shown = within(article(3));
    expect(shown.getByText("Ana's Claude")).toBeVisible();
    expect(shown.getByText("agent")).toBeVisible();
    const time = article(3).querySelector(".head time");
    expect(time).toHaveAttribute("datetime", "2026-11-30T13:08:00.000Z");
    expect(time?.getAttribute("title")).toContain("2026");
  });

  test("shows kind, topic, whom it is for, paths, signal and what was removed", async () => {
    await open({
      items: [
        message(3, "Which one?", {
          messageKind: "question",
          topic: "export",
          to: [ME, BOT],
          mentionsYou: true,
          paths: ["src/a.rs"],
          signal: "blocked",
          hidden: 2,
        }),
      ],
    });
    const shown = within(article(3));
    for (const text of ["question", "to you", "blocked", "src/a.rs", "2 hidden characters removed."]) {
      expect(shown.getByText(text)).toBeVisible();
    }
    expect(article(3)).toHaveTextContent("# export");
    expect(article(3)).toHaveTextContent("to Ana's Claude");
  });

  test("of a kind this page does not know keeps its word", async () => {
    await open({ items: [message(3, "x", { messageKind: "haiku" })] });
    expect(within(article(3)).getByText("haiku")).toBeVisible();
  });

  test("that answers another quotes it, and leads to it", async () => {
    await open({
      items: [message(3, "The question itself"), message(5, "The answer", { replyTo: 3, author: ME })],
    });
    await userEvent.click(
      within(article(5)).getByRole("button", { name: /Ana Ferreira The question itself/ }),
    );
    await waitFor(() => expect(article(3)).toHaveFocus());
  });

  test("that answers one not shown says so", async () => {
    await open({ items: [message(5, "The answer", { replyTo: 3 })] });
    expect(article(5)).toHaveTextContent("In reply to message 3, which is not shown here.");
  });

  test("that was refused can be sent again, changed or discarded", async () => {
    await open({
      items: [
        message(-1, "Mine", { author: ME, pending: "failed", refusal: "Too fast.", messageKind: "note" }),
      ],
    });
    expect(screen.getByText("Not sent. Too fast.")).toBeVisible();
    await press("Send again");
    await press("Discard");
    await press("Change it");
    expect(session.asked).toEqual([
      ["retry", -1],
      ["discard", -1],
      ["discard", -1],
    ]);
    expect(field()).toHaveValue("Mine");
    expect(screen.getByRole("combobox", { name: "Kind" })).toHaveValue("note");
  });

  test("that can't be opened is not shown, but said", async () => {
    await open({
      items: [
        {
          kind: "unreadable",
          seq: 4,
          at: NOW,
          author: ANA,
          why: "its signature does not fit.",
          code: "bad_signature",
        },
      ],
    });
    expect(screen.getByRole("article")).toHaveTextContent(
      /not shown: its signature does not fit.\s*bad_signature/,
    );
  });
});

describe("new messages", () => {
  const log = () => screen.getByRole("log");

  test("are said once, politely; what was there before is not", async () => {
    await open({ items: [message(3, "old")] });
    expect(log()).toHaveAttribute("aria-live", "polite");
    expect(log().textContent.trim()).toBe("");
    session.add(message(4, "A new one", { mentionsYou: true }), message(5, "own", { author: ME }));
    await tick();
    expect(log()).toHaveTextContent("Ana Ferreira, to you: A new one");
    expect(log()).not.toHaveTextContent("own");
  });

  test("are counted when many come at once", async () => {
    await open({ items: [message(3, "old")] });
    session.add(...[4, 5, 6, 7, 8].map((seq) => message(seq, "x")));
    await tick();
    expect(log()).toHaveTextContent("5 new messages");
  });

  test("of a transcript that is still being opened are not said", async () => {
    await open({ items: [], loading: { done: 0, total: 2 } });
    session.add(message(3, "old"));
    session.show({ loading: { done: 1, total: 2 } });
    await tick();
    expect(screen.getByText(/Opening 1 of 2 records/)).toBeVisible();
    expect(log().textContent.trim()).toBe("");
    session.finish(message(4, "the last of the old"));
    await tick();
    expect(log().textContent.trim()).toBe("");
    session.add(message(5, "new"));
    await tick();
    expect(log()).toHaveTextContent("Ana Ferreira: new");
  });
});

describe("writing", () => {
  beforeEach(() => open({ items: [message(3, "A question")] }));

  test("sends with Ctrl+Enter and empties the field", async () => {
    await userEvent.type(field(), "Hello{Enter}all");
    expect(session.asked).toEqual([]);
    await userEvent.type(field(), "{Control>}{Enter}{/Control}");
    expect(session.asked).toEqual([["post", { text: "Hello\nall" }]]);
    expect(field()).toHaveValue("");
  });

  test("sends with Enter where that was chosen, and then Shift+Enter is a line", async () => {
    await userEvent.click(screen.getByRole("checkbox", { name: "Enter sends" }));
    await userEvent.type(field(), "a{Shift>}{Enter}{/Shift}b{Enter}");
    expect(session.asked).toEqual([["post", { text: "a\nb" }]]);
  });

  test("has kind, topic and what it answers, for one message", async () => {
    await userEvent.click(within(article(3)).getByRole("button", { name: /Reply/ }));
    await waitFor(() => expect(field()).toHaveFocus());
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "answer");
    await userEvent.type(screen.getByRole("textbox", { name: "Topic" }), " export ");
    await userEvent.type(field(), "Yes");
    await press("Send");
    await userEvent.type(field(), "More");
    await press("Send");
    expect(session.asked).toEqual([
      ["post", { text: "Yes", kind: "answer", topic: "export", replyTo: 3 }],
      ["post", { text: "More" }],
    ]);
  });

  test("nothing sends nothing", async () => {
    await userEvent.type(field(), "   ");
    expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
    await userEvent.type(field(), "{Control>}{Enter}{/Control}");
    expect(session.asked).toEqual([]);
  });

  test("comes back when it did not go, above what was written since", async () => {
    session.stored = null;
    await userEvent.type(field(), "Lost");
    await press("Send");
    await waitFor(() => expect(field()).toHaveValue("Lost"));
  });

  // What is shown of a message is not what was written: without selectors of style, joiners and links.
  test.each([
    ["Kept", "Kept"],
    ["I \u2764\uFE0F this", "I \u2764 this"],
    ["two\u200Bwords", "twowords"],
  ])("does not come back when the session keeps it as refused: %j", async (written, shown) => {
    session.post = () => {
      session.add(message(-1, shown, { author: ME, pending: "failed" }));
      return Promise.resolve(false);
    };
    await userEvent.type(field(), written);
    await press("Send");
    await screen.findByText("Not sent.");
    expect(field()).toHaveValue("");
  });

  test("says what is left near the limit, and does not send beyond it", async () => {
    const area = field();
    if (!(area instanceof HTMLTextAreaElement)) throw new Error("no field");
    const write = async (text: string) => {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
      await tick();
    };
    await write("a".repeat(240_000));
    expect(screen.getByText("10,000 bytes left")).toBeVisible();
    await write("é".repeat(130_000));
    expect(screen.getByText("Too long by 10,000 bytes")).toBeVisible();
    expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
  });
});

test.each([
  [
    "a view link",
    { canWrite: false, muted: "view_link" as const, me: { ...ME, capability: "view" as const } },
    /view link: you can read all of this/,
    ["composer", "meter"],
  ],
  [
    "a session that is over",
    { canWrite: false, muted: "ended" as const, ended: { why: "ended" as const, at: NOW } },
    /The session is over/,
    // There is no mode any more.
    ["composer"],
  ],
  [
    "a warning",
    { canWrite: false, muted: "warning" as const },
    /until you have decided about the warning/,
    ["composer", "meter"],
  ],
  [
    "an alarm",
    { canWrite: false, muted: "broken" as const },
    /does not hold together/,
    ["composer", "meter"],
  ],
])(
  "%s leaves a sentence in place of the field and of what changes the mode",
  async (_, more, sentence, places) => {
    await open({ ...more, proposal: proposal() });
    expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
    const shown = screen.getAllByText(sentence).map((one) => one.closest("section")?.classList[0]);
    expect(shown).toEqual(places);
    for (const name of ["Go to relay", "Propose auto…", "Accept", "Send", "Reply"])
      expect(screen.queryByRole("button", { name })).toBeNull();
  },
);

test("a re-key leaves the field and what is being written, and says what becomes of it", async () => {
  await open({ items: [message(3, "x")] });
  await userEvent.type(field(), "half a sen");
  session.show({ canWrite: false, muted: "moving", me: { ...ME, capability: "view" } });
  await tick();
  expect(field()).toHaveValue("half a sen");
  expect(field()).toHaveFocus();
  expect(screen.getAllByText(/goes out under the new keys/)).toHaveLength(2);
  expect(screen.queryByRole("button", { name: "Go to relay" })).toBeNull();
});

describe("keys", () => {
  beforeEach(() => open({ items: [message(3, "one"), message(4, "two"), message(5, "three")] }));

  test("lead from message to message", async () => {
    await userEvent.keyboard("G");
    await waitFor(() => expect(article(5)).toHaveFocus());
    await userEvent.keyboard("k");
    await waitFor(() => expect(article(4)).toHaveFocus());
    await userEvent.keyboard("j");
    await waitFor(() => expect(article(5)).toHaveFocus());
    await userEvent.keyboard("g");
    await waitFor(() => expect(article(3)).toHaveFocus());
  });

  test("are not taken from a field", async () => {
    await userEvent.keyboard("c");
    await waitFor(() => expect(field()).toHaveFocus());
    await userEvent.keyboard("jk/?gGrc");
    expect(field()).toHaveValue("jk/?gGrc");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("are the browser's with a modifier", async () => {
    await userEvent.keyboard("{Control>}c{/Control}{Meta>}/{/Meta}");
    expect(field()).not.toHaveFocus();
    expect(screen.queryByRole("searchbox")).toBeNull();
  });

  test("are listed by ?, and Escape closes that", async () => {
    await userEvent.keyboard("?");
    expect(within(screen.getByRole("dialog", { name: "Keys" })).getByText("Next message")).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("reply to the message one is on", async () => {
    await userEvent.keyboard("G");
    await waitFor(() => expect(article(5)).toHaveFocus());
    await userEvent.keyboard("r");
    expect(await screen.findByRole("button", { name: /Reply to Ana Ferreira: three/ })).toBeVisible();
  });
});

describe("search", () => {
  test("marks what it finds and says which of how many", async () => {
    await open({ items: [message(3, "The export"), message(4, "nothing"), message(5, "Export again")] });
    await userEvent.keyboard("/");
    const box = screen.getByRole("searchbox");
    expect(box).toHaveFocus();
    await userEvent.type(box, "export");
    const status = within(screen.getByRole("search")).getByRole("status");
    await waitFor(() => expect(status).toHaveTextContent("2 of 2"));
    expect(article(5)).toHaveClass("hit");
    expect([...document.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual([
      "export",
      "Export",
    ]);
    await userEvent.type(box, "{Enter}");
    expect(status).toHaveTextContent("1 of 2");
    await userEvent.type(box, "{Escape}");
    expect(document.querySelector("mark")).toBeNull();
  });

  test("says when there is nothing", async () => {
    await open({ items: [message(3, "The export")] });
    await press("Search");
    await userEvent.type(screen.getByRole("searchbox"), "zebra");
    expect(await screen.findByText("Nothing found")).toBeVisible();
  });
});

describe("people", () => {
  test("are told apart, here or gone, with how far they read", async () => {
    const twin = person("Ana Ferreira", { id: "2", tag: "79f2", kind: "agent" });
    await open({
      items: [
        message(8, "its own", { author: BOT }),
        message(9, "x"),
        { kind: "event", seq: 10, at: NOW, text: "Somebody joined.", tone: "plain" },
      ],
      people: [ME, { ...ANA, readUpTo: 9 }, { ...BOT, readUpTo: 7 }, twin, person("Kenji", { here: false })],
    });
    const list = within(
      screen.getByRole("heading", { name: /People and agents 4/ }).closest("section") ?? document.body,
    );
    expect(list.getByText("#79f2")).toBeVisible();
    expect(list.getByText("listening")).toBeVisible();
    expect(list.getByText(/read all/)).toBeVisible();
    expect(list.getByText("1 unread")).toBeVisible();
    expect(list.getByText("1 unread")).toHaveAttribute(
      "title",
      "By the server's word: fetched up to 7 of 10",
    );
    expect(list.getByText("1 other was here before")).toBeVisible();
  });

  test("that knock are counted, and the owner's command is named", async () => {
    await open({ door: { state: "ask", knocking: 2 } });
    expect(screen.getByText(/2 visitors knock/)).toHaveTextContent("devpilot-session door");
  });
});

describe("what must not be missed", () => {
  test("a warning is set aside by hand alone", async () => {
    await open({
      canWrite: false,
      integrity: { state: "warning", sentence: "Ana saw another history.", checkedFrom: 1 },
    });
    expect(screen.getByRole("alert")).toHaveTextContent("Ana saw another history.");
    await press("I know; go on");
    expect(session.asked).toEqual([["acknowledge"]]);
  });

  test("a broken transcript can't be set aside", async () => {
    await open({
      canWrite: false,
      integrity: { state: "broken", sentence: "A record is missing.", checkedFrom: 1 },
    });
    expect(screen.getByRole("alert")).toHaveTextContent("Do not rely on this transcript.");
    expect(screen.queryByRole("button", { name: /I know/ })).toBeNull();
  });

  test("what was refused is said until it is dismissed", async () => {
    await open({ trouble: "In auto already." });
    expect(screen.getByRole("alert")).toHaveTextContent("In auto already.");
    await press("Dismiss");
    expect(screen.queryByRole("alert")).toBeNull();
    session.show({ trouble: "Something else." });
    await tick();
    expect(screen.getByRole("alert")).toHaveTextContent("Something else.");
  });

  test("a lost connection counts down", async () => {
    await open({ connection: "waiting", retryAt: NOW + 7_000 });
    expect(screen.getByText("Connection lost")).toBeVisible();
    expect(screen.getByText("0:07")).toBeVisible();
  });

  test("the head can be compared by voice", async () => {
    await open();
    expect(screen.getByText("7 · 3f9a 11c0 77de 0b42 9a5e c1d2 8846 f00d")).toBeInTheDocument();
    expect(screen.getByText("Every message is signed and in its place.")).toBeVisible();
  });
});

describe("handing on", () => {
  test("warns, copies the note and the link, and draws a code only when asked", async () => {
    await open();
    const user = userEvent.setup();
    const written = vi.spyOn(navigator.clipboard, "writeText");
    await user.click(screen.getAllByRole("button", { name: "Invite…" })[0] as HTMLElement);
    expect(screen.getByText(/can read everything here, from the beginning, and write/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Copy the note for an agent" }));
    await user.click(screen.getByRole("button", { name: "Copy the link" }));
    expect(written.mock.calls).toEqual([[noteText(session.note()!)], [session.link()]]);
    expect(document.body.innerHTML).not.toContain(session.link());
    expect(screen.queryByRole("img", { name: /QR/ })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show the QR code" }));
    const code = await screen.findByRole("img", { name: "QR code of the link" });
    expect(code.querySelector("path")?.getAttribute("d")).toMatch(/^M0 0h1v1h-1z/);
  });
});

describe("export and leaving", () => {
  test("saves what the session made, named after it", async () => {
    await open();
    const made = vi.fn((_: Blob) => "blob:x");
    vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: made, revokeObjectURL: vi.fn() }));
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      expect(this.download).toBe("nightly-export-misses-rows.md");
    });
    await press("Export Markdown");
    expect(clicked).toHaveBeenCalledOnce();
    expect(made.mock.calls[0]?.[0].type).toBe("text/markdown;charset=utf-8");
  });

  test("leaving asks first", async () => {
    await open();
    await press("Leave…");
    expect(session.asked).toEqual([]);
    await press("Leave");
    expect(session.asked).toEqual([["leave"]]);
  });
});
