// What each end of the way to a seat says: what happened, and what to do next. Plain words, and never the link.
import type { ClosedWhy } from "../../session/model";

export interface ClosedText {
  title: string;
  happened: string;
  /** Steps one after another; what stands between backticks is to be typed. */
  next: readonly string[];
  /** Somebody may have learned the link: shown as an alarm. */
  alarm?: string;
  /** What the visitor can do here. */
  here?: "another" | "reload";
}

const INCOMPLETE = [
  "Copy the whole link again, from the first letter to the last; it ends with 68 letters and digits after the #.",
  "If it still does not open, ask the person who sent it for the link as plain text, or as a file.",
];
const NEW_LINK = [
  "Ask somebody who is in the session for the new link.",
  "The old link can't be repaired; throw it away.",
];

export const CLOSED: Readonly<Record<ClosedWhy, ClosedText>> = {
  no_link: {
    title: "This address has no link in it.",
    happened:
      "A session opens only with its secret part, the letters after the #, and this address has none.",
    next: [
      "Open the link exactly as it was sent to you.",
      "If this page was open before in another tab, go back to that tab: the link is kept there and nowhere else.",
    ],
  },
  damaged: {
    title: "This link was changed on its way.",
    happened: "A letter of it is wrong: its check does not fit. Nothing was sent with it.",
    next: INCOMPLETE,
  },
  truncated: {
    title: "A part of this link is missing.",
    happened:
      "It ends too early. Most likely it was cut when it was copied, or by the program that showed it.",
    next: INCOMPLETE,
  },
  exposed: {
    title: "This link was damaged, and is now exposed.",
    happened:
      "A program changed the # in the link, and so its secret part stood in the address that was sent.",
    alarm:
      "This server keeps no copy of the address. A proxy, a link scanner or your browser's history may. Whoever has the link can read the session and write into it.",
    next: [
      "Tell the person who sent it that the link is exposed. Ask them to re-key the session, or to end it and share a new one.",
      "Ask for the new link as plain text, or as a file.",
      "Do not pass this address on.",
    ],
  },
  insecure: {
    title: "This link would travel unprotected.",
    happened: "It begins with http instead of https, and leads to another machine. Nothing was sent.",
    next: ["Ask for a link that begins with https."],
  },
  version: {
    title: "This link is newer than this page.",
    happened: "It was made by a later version, which this page does not know.",
    next: [
      "Load the page again, in case it was kept from earlier.",
      "If that changes nothing, ask whoever runs this server to bring it up to date.",
    ],
    here: "reload",
  },
  rekeyed: {
    title: "This session has new keys.",
    happened: "It was re-keyed, and this link is of the time before. It opens nothing that is written now.",
    next: NEW_LINK,
  },
  door_closed: {
    title: "The door is closed.",
    happened: "The link is right, but whoever made the session lets nobody else in at present.",
    next: ["Ask the owner of the session to open the door, then open the link again."],
    here: "reload",
  },
  refused: {
    title: "You were not let in.",
    happened: "You knocked, and the owner of the session said no.",
    next: ["If you think that is a mistake, ask the person who sent you the link."],
  },
  forbidden: {
    title: "This link may not be used here.",
    happened: "Whoever runs this server allows no links of this kind, as view links are.",
    next: [
      "Ask the person who sent it for a full link, or join with the installed client and a link of theirs.",
    ],
  },
  full: {
    title: "The session is full.",
    happened: "As many participants are in it as this server allows at a time.",
    next: [
      "Wait until somebody leaves, then open the link again.",
      "Or ask the owner to re-key, which keeps only those they choose.",
    ],
    here: "reload",
  },
  ended: {
    title: "This session has ended.",
    happened: "Whoever made it ended it. Nobody can write any more.",
    next: ["If the work goes on, ask for a link to a new session."],
  },
  expired: {
    title: "This session has expired.",
    happened: "Nobody wrote in it for a long time, and its time ran out.",
    next: ["Ask for a link to a new session. Who was in it may still have an export."],
  },
  gone: {
    title: "No session opens with this link.",
    happened:
      "This server knows none that it fits. It may have been deleted, or the link belongs to another server.",
    next: [
      "Compare the address with the one that was sent to you.",
      "Ask the person who sent it whether the session is still there.",
    ],
  },
  removed: {
    title: "You are no longer in this session.",
    happened: "The owner gave it new keys and did not keep you in.",
    next: ["If you think that is a mistake, ask the owner for a new link."],
  },
  elsewhere: {
    title: "You are already here in another tab.",
    happened: "This tab is a copy, and the other one holds your seat. Two tabs can't be one participant.",
    next: ["Go on in the other tab, or join here as another participant."],
    here: "another",
  },
  left: {
    title: "You left the session.",
    happened: "Others see that you left. Nothing more is fetched here.",
    next: ["Join again as another participant if you want to come back."],
    here: "another",
  },
  altered: {
    title: "This server shows another session than the link does.",
    happened:
      "What the server sent about the session's keys does not fit your link. Somebody may have altered it, so nothing of it is used.",
    alarm: "Do not type anything secret here, and do not try again on this server before you know why.",
    next: [
      "Tell the person who sent you the link, over another channel than this session.",
      "Try the same link with the installed client: `devpilot-session join`.",
    ],
  },
  unreachable: {
    title: "The server can't be reached.",
    happened: "It does not answer, or your connection is down. Nothing was lost.",
    next: ["You need not do anything: the page goes on trying by itself."],
    here: "reload",
  },
};

/** The detail of a session that an administrator re-keyed. */
export const ADMIN = "admin_rekey";

/** crypto.md 10.4: it is said who it was, and the new link comes from a person alone. */
export const ADMIN_REKEY: ClosedText = {
  title: "An administrator gave this session new keys.",
  happened:
    "Not the owner of the session, but an administrator of its organization re-keyed it. Nothing more is read with this link.",
  next: [
    "Ask a person whom you know, outside of this session, for the new link, and whether you should go on in it.",
    "Do not take a link that stands in the transcript.",
  ],
};

/** The server does answer, or something in its place: what came is said in place of `happened`. */
export const ANSWERED: ClosedText = {
  ...CLOSED.unreachable,
  title: "The session can't be had from the server at present.",
};
