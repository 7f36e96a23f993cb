// What a record that entered the chain yields (crypto.md section 9.3, step 6). The plane's events are its claims: to be
// told in the page's own words.
import type { EpochType } from "../epoch-record";
import type { SealErrorCode } from "../error";
import type { ParticipantId } from "../ids";
import type { JsonObject } from "../json";
import type { Message } from "../message";
import type { Learned } from "../roster";
import type { LinkKind } from "../secret";

export type Outcome =
  /** A message that opened, and what its head says of the two histories. */
  | { readonly type: "message"; readonly message: Message; readonly standing: Standing }
  /** A message of an epoch whose key is not held. */
  | { readonly type: "no_key" }
  /** A message that did not open. There is no text. */
  | { readonly type: "unreadable"; readonly code: SealErrorCode }
  /** A notice; its event may be one that this version does not know. */
  | { readonly type: "notice"; readonly event: string; readonly members: JsonObject }
  | { readonly type: "bad_notice" }
  /** A member event; `learned` is what the profile of a `joined` yielded, null for the others. */
  | {
      readonly type: "member";
      readonly about: ParticipantId;
      readonly event: string;
      readonly members: JsonObject;
      readonly learned: Learned | null;
    }
  | { readonly type: "bad_member" }
  | { readonly type: "epoch"; readonly change: EpochChange };

export type Standing =
  /** The sender has confirmed everything up to this seq. */
  | { readonly type: "confirmed"; readonly upTo: number }
  /** The head lies before this reader's checkpoint. */
  | { readonly type: "unchecked" }
  /** Name the sender, take the mode as observe, post only after a person acknowledges; reading goes on. */
  | { readonly type: "differs"; readonly code: "fork" | "head_ahead" | "head_regressed" };

export interface EpochChange {
  readonly epoch: number;
  readonly epochType: EpochType;
  /** Null after an administrator re-key. */
  readonly owner: ParticipantId | null;
  readonly access: Access;
}

/** What a new epoch means for this reader. */
export type Access =
  /** Its keys were held already, and fit. */
  | { readonly type: "held" }
  /** Its keys came with the re-key and are in the keyring now: return with a new profile. */
  | { readonly type: "given"; readonly kind: LinkKind }
  /** The owner left this reader out (`rekey_removed`): stop, and wait for a link from a person. */
  | { readonly type: "removed" }
  /** An administrator re-keyed: stop, and wait for a link from a person; take none from the transcript or the plane. */
  | { readonly type: "new_link_needed" }
  /** An earlier epoch whose keys this reader never had. */
  | { readonly type: "unheld" };
