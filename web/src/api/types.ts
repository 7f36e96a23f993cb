// The plane's JSON by name, from the generated schema. Absent and null are the same in answers, so here there is no null.
import type { components } from "./schema";

type Schemas = components["schemas"];

type WithoutNull<T> = T extends readonly (infer Item)[]
  ? readonly WithoutNull<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: WithoutNull<Exclude<T[Name], null>> }
    : T;

export type Code = Schemas["Code"];
export type Extras = WithoutNull<Schemas["Extras"]>;

export type Checkpoint = WithoutNull<Schemas["Checkpoint"]>;
export type WireRecord = WithoutNull<Schemas["Record"]>;
export type State = WithoutNull<Schemas["State"]>;
export type WireMode = WithoutNull<Schemas["Mode"]>;
export type WireProposal = WithoutNull<Schemas["Proposal"]>;
export type SealedGoal = WithoutNull<Schemas["SealedGoal"]>;
export type SealedTitle = WithoutNull<Schemas["SealedTitle"]>;
export type SessionEnd = WithoutNull<Schemas["SessionEnd"]>;
export type Page = WithoutNull<Schemas["Page"]>;
export type Posted = WithoutNull<Schemas["Posted"]>;
export type Joined = WithoutNull<Schemas["Joined"]>;
export type Knocking = WithoutNull<Schemas["Knocking"]>;
export type EpochRecords = WithoutNull<Schemas["EpochRecords"]>;
export type Participants = WithoutNull<Schemas["Participants"]>;
export type ParticipantRow = WithoutNull<Schemas["ParticipantRow"]>;
export type Presence = WithoutNull<Schemas["Presence"]>;
export type Bye = WithoutNull<Schemas["Bye"]>;
export type ByeCode = Schemas["ByeCode"];
export type StreamEvent = WithoutNull<Schemas["StreamEvent"]>;
export type SessionView = WithoutNull<Schemas["SessionView"]>;
export type StateAnswer = WithoutNull<Schemas["StateAnswer"]>;

export type Join = Schemas["Join"];
export type Rejoin = Schemas["Rejoin"];
export type Post = Schemas["Post"];
export type Propose = Schemas["Propose"];
export type SetTitle = Schemas["SetTitle"];
