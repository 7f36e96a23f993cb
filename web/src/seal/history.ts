// History through a re-key (crypto.md section 10.3): the view secret of the epoch before, sealed under the keys of the new
// one where the owner chose to leave history open.
import { concat, wipe, type Bytes } from "./bytes";
import { decrypt, encrypt } from "./cipher";
import { historyParts, type EpochRecord } from "./epoch-record";
import { codeOf, SealError, type SealErrorCode } from "./error";
import type { ParticipantId } from "./ids";
import { EpochKeys, type Keyring, type ReadingKeys } from "./keys";
import { NONCE_LEN } from "./limits";
import type { Random } from "./random";
import { additionalData } from "./record";
import { Secret } from "./secret";

/** The history block of a record that `keys` are of. */
export function sealHistory(keys: ReadingKeys, owner: ParticipantId, oldView: Secret, random: Random): Bytes {
  const nonce = random(NONCE_LEN);
  const data = additionalData(keys, { kind: "history", participant: owner, item: null });
  return concat(nonce, encrypt(keys.contentKey, nonce, oldView.expose(), data));
}

/** The keys of the epoch before, to read it. Throws history_closed, auth_failed, or verifier_mismatch when what opens does
 * not fit the record of that epoch. */
export function openHistory(record: EpochRecord, keys: ReadingKeys, previous: EpochRecord): EpochKeys {
  if (record.history === null || record.owner === null) throw new SealError("history_closed");
  const { nonce, sealed } = historyParts(record.history);
  const data = additionalData(keys, { kind: "history", participant: record.owner, item: null });
  const opened = decrypt(keys.contentKey, nonce, sealed, data);
  const secret = new Secret(opened);
  wipe(opened);
  return EpochKeys.checked(previous, { kind: "view", secret });
}

/** Goes back from the newest epoch held as far as history is open, and adds the keys found. `records` are those of the
 * session from the first epoch on. Gives why it ended: null at the first epoch, `history_closed`, or
 * what was wrong (`epoch_order`: a record is missing). */
export function openPast(keyring: Keyring, records: readonly EpochRecord[]): SealErrorCode | null {
  const byEpoch = new Map(records.map((record) => [record.epoch, record]));
  for (let epoch = keyring.newest()?.epoch ?? 1; epoch > 1; epoch--) {
    if (keyring.get(epoch - 1) !== undefined) continue;
    const [record, keys, previous] = [byEpoch.get(epoch), keyring.get(epoch), byEpoch.get(epoch - 1)];
    if (record === undefined || keys === undefined || previous === undefined) return "epoch_order";
    try {
      keyring.add(openHistory(record, keys, previous));
    } catch (thrown) {
      return codeOf(thrown);
    }
  }
  return null;
}
