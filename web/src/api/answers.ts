// The form of each of the plane's answers. The declared types are those of the generated schema, so that a change of the
// plane's API does not compile here.
import { count, list, object, text, word, yesOrNo, type Check } from "./check";
import type {
  Bye,
  Checkpoint,
  EpochRecords,
  Extras,
  Joined,
  Knocking,
  Page,
  ParticipantRow,
  Participants,
  Posted,
  Presence,
  SealedGoal,
  SealedTitle,
  SessionEnd,
  SessionView,
  State,
  StateAnswer,
  WireMode,
  WireProposal,
  WireRecord,
} from "./types";

const capability = word("full", "view");
const kind = word("agent", "human");
const modeName = word("observe", "relay", "auto");

const sealedGoal: Check<SealedGoal> = object(
  { epoch: count, participant_id: text, proposal_id: text, sealed: text },
  {},
);

export const sealedTitle: Check<SealedTitle> = object(
  { epoch: count, participant_id: text, sealed: text },
  {},
);

const proposal: Check<WireProposal> = object(
  { budget: count, by: text, goal: sealedGoal, lapses_at: text, proposal_id: text, ttl_s: count },
  {},
);

const mode: Check<WireMode> = object(
  { name: modeName, effective: modeName },
  {
    accepted: list(text),
    done: list(text),
    budget_left: count,
    expires_at: text,
    goal: sealedGoal,
    proposal,
    proposal_id: text,
  },
);

const ended: Check<SessionEnd> = object({ at: text, cause: word("ended", "expired", "purged") }, {});

export const state: Check<State> = object(
  {
    created_at: text,
    door: object({ knocking: count, state: word("open", "ask", "closed") }, {}),
    epoch: count,
    expires_at: text,
    head_seq: count,
    min_seq: count,
    mode,
    session_id: text,
  },
  { capability, ended, owner: text },
);

export const record: Check<WireRecord> = object(
  { at: text, class: word("message", "notice", "epoch", "member"), epoch: count, seq: count },
  {
    body: text,
    epoch_record: text,
    item_id: text,
    sealed: text,
    sender: text,
    signal: word("continue", "done", "blocked"),
  },
);

export const checkpoint: Check<Checkpoint> = object({ epoch_record: text, hash: text, seq: count }, {});

export const page: Check<Page> = object({ more: yesOrNo, records: list(record), state }, { checkpoint });

export const posted: Check<Posted> = object({ at: text, seq: count, state }, {});

export const stateAnswer: Check<StateAnswer> = object({ state }, {});

export const sessionView: Check<SessionView> = object({ state, title: sealedTitle }, {});

export const joined: Check<Joined> = object(
  { capability, epoch_records: list(text), session_token: text, state, title: sealedTitle },
  {},
);

export const knocking: Check<Knocking> = object({ knocking: yesOrNo, retry_after_s: count }, {});

export const epochRecords: Check<EpochRecords> = object({ epoch_records: list(text) }, {});

const row: Check<ParticipantRow> = object(
  {
    capability,
    fetched_seq: count,
    joined_at: text,
    kind,
    last_seen_at: text,
    listening: yesOrNo,
    participant_id: text,
  },
  { left_at: text },
);

export const participants: Check<Participants> = object(
  { participants: list(row) },
  {
    epoch_records: list(text),
    sealed_profiles: list(object({ epoch: count, participant_id: text, sealed: text }, {})),
  },
);

export const presence: Check<readonly Presence[]> = list(
  object({ fetched_seq: count, last_seen_at: text, listening: yesOrNo, participant_id: text }, {}),
);

export const bye: Check<Bye> = object(
  { code: word("draining", "rekeyed", "session_ended", "too_slow") },
  { retry_after_s: count },
);

/** What a problem says beside its code. */
export const extras: Check<Extras> = object(
  {},
  {
    at: text,
    cause: word("ended", "expired", "purged"),
    epoch: count,
    limit: text,
    mode: modeName,
    retry_after_s: count,
    seq: count,
  },
);

export const nothing: Check<Readonly<Record<string, never>>> = object({}, {});
