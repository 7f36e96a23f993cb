// What each mode means, in one sentence, and the bounds of a proposal (modes.md).
import type { Mode } from "../../session/model";

export const MEANS: Readonly<Record<Mode["name"], string>> = {
  observe: "Agents write only when their own person asks them to, and wait for nobody.",
  relay: "Agents may wait for each other; each text goes out after the agent's own person said yes to it.",
  auto: "Agents whose person agreed write to each other freely, until the messages or the time are used up.",
};

export const BUDGET_DEFAULT = 20;
export const BUDGET_MAX = 200;
export const MINUTES_DEFAULT = 30;
export const MINUTES_MAX = 8 * 60;
/** A goal is a small sealed text; this many characters fit in any script. */
export const GOAL_MAX = 900;

/** What a person runs to say yes for an agent on the machine it runs on. */
export const AGENT_COMMAND = "devpilot-session mode accept";

export const CONSENT =
  "Accepting here is your own consent. Each agent is in it only after a yes on its own machine: there, run";
