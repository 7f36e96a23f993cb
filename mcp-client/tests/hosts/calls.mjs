// A call of every tool, in an order in which each has something to do. A tool that is listed and not here is a failure.

import { expect } from "./report.mjs";

export const TITLE = "Flaky login test";
export const CONTEXT = "The login test fails every third run. Suspect: the clock in session.rs.";

/** The first part of every tool's name. */
const SESSION = "devpilot_session_";

/**
 * `by` is whose agent calls. `arguments` are the call's; `refused` says that the tool refuses, in its own words, where
 * nobody can be asked or the mode is observe; `holds` looks at the structured answer.
 */
export const CALLS = [
  { by: "ada", tool: `${SESSION}share`, arguments: { title: TITLE, context: CONTEXT, with: "Ben", paths: ["src/session.rs"] }, holds: (a) => a.link_withheld === true },
  { by: "ben", tool: `${SESSION}join`, arguments: { source: "environment" }, holds: (a) => a.card.handoff.text === CONTEXT && a.card.handoff.untrusted === true },
  { by: "ben", tool: `${SESSION}post`, arguments: { text: "Is it the wall clock?", kind: "question", topic: "login" }, holds: (a) => a.seq > 0 },
  { by: "ada", tool: `${SESSION}read`, arguments: { limit: 10, max_bytes: 20000 }, holds: (a) => a.messages.at(-1).text === "Is it the wall clock?" },
  { by: "ada", tool: `${SESSION}who`, arguments: {}, holds: (a) => a.participants.length === 2 },
  { by: "ada", tool: `${SESSION}mode`, arguments: {}, holds: (a) => a.mode === "observe" },
  { by: "ada", tool: `${SESSION}wait`, arguments: { timeout_s: 1 }, refused: /relaying/ },
  { by: "ada", tool: "devpilot_history", arguments: { paths: ["src/session.rs"], limit: 3 }, refused: /cockpit/i },
];

/** The arguments of each prompt, and what its text must lead to. */
export const PROMPTS = {
  share: { arguments: { title: TITLE, with: "Ben" }, leads: "devpilot_session_share" },
  join: { arguments: {}, leads: "devpilot_session_join" },
  "catch-up": { arguments: {}, leads: "devpilot_session_read" },
};

/** Fails unless there are arguments for each of `prompts`, and all are there. */
export function promptsFor(prompts) {
  expect(JSON.stringify([...prompts].sort()) === JSON.stringify(Object.keys(PROMPTS).sort()), "other prompts than in calls.mjs", prompts);
  return Object.entries(PROMPTS);
}

/** Fails unless there is a call for each of `tools` and a tool for each of the session's calls; gives those to make. */
export function callsFor(tools) {
  for (const tool of tools) {
    expect(CALLS.some((call) => call.tool === tool), `there is no call for the tool ${tool}: add one to calls.mjs`);
  }
  for (const { tool } of CALLS) {
    expect(tools.includes(tool), `${tool} is not listed`);
  }
  return CALLS;
}

/** Fails unless the result of a call is the one to expect. */
export function judge(call, result) {
  const text = (result.content ?? []).map((part) => part.text ?? "").join("\n");
  expect(text.length > 0, `${call.tool} answered without text`, result);
  expect(!/dp1[fv][a-z2-7]{16,}/.test(JSON.stringify(result)), `${call.tool} gives the link away`);
  if (call.refused) {
    expect(result.isError === true && call.refused.test(text), `${call.tool} was to refuse`, result);
  } else {
    expect(result.isError !== true && call.holds(result.structuredContent), `${call.tool} answered something else`, result);
  }
}
