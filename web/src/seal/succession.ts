// Who owns a session, through its epoch records (crypto.md sections 9.3, step 4, and 10.1): its creator, until an
// administrator re-keys; nobody after that.
import type { EpochRecord } from "./epoch-record";
import { SealError } from "./error";
import type { ParticipantId } from "./ids";

/** The owner once `record` is in force. Throws rekey_not_owner for an owner re-key by another. */
export function ownerAfter(owner: ParticipantId | null, record: EpochRecord): ParticipantId | null {
  if (record.type === "owner_rekey" && (owner === null || record.owner !== owner)) {
    throw new SealError("rekey_not_owner");
  }
  return record.owner;
}

/** The owner after all records, from the first epoch on, as a plane gives them on joining. Throws epoch_order when one is
 * missing or out of place, or rekey_not_owner. */
export function ownerInForce(records: readonly EpochRecord[]): ParticipantId | null {
  let owner: ParticipantId | null = null;
  for (const [index, record] of records.entries()) {
    if (record.epoch !== index + 1) throw new SealError("epoch_order");
    owner = ownerAfter(owner, record);
  }
  return owner;
}
