// Following an owner re-key as one who stays (crypto.md section 10.2), and what its two sides share.
import { concat, u32, wipe, type Bytes } from "./bytes";
import { prefixOf, type Entry, type EpochRecord } from "./epoch-record";
import { SealError } from "./error";
import type { Shared } from "./hpke";
import { loadHpke } from "./hpke-part";
import { idBytes, type ParticipantId } from "./ids";
import { participantIdOf, type Agreeing, type PublicKeys } from "./identity";
import { hkdf, label } from "./kdf";
import { EpochKeys, type HeldKeys } from "./keys";
import { saltOf } from "./schedule";
import { Secret, type LinkKind } from "./secret";

const LABEL = label("rekey");
const PSK_ID = label("epoch");

/** Who may re-key: the owner in force, with the keys learned from its profile. */
export interface Owner {
  readonly id: ParticipantId | null;
  readonly keys: PublicKeys | null;
}

/** The keys of the next epoch, from one's own entry in its record. `old` are those of the epoch before. Throws SealError, or
 * Unloaded once all is checked that needs no HPKE. */
export async function openRekey(
  record: EpochRecord,
  old: HeldKeys,
  owner: Owner,
  me: Agreeing,
): Promise<EpochKeys> {
  if (record.session !== old.session) throw new SealError("epoch_record_malformed");
  if (record.epoch !== old.epoch + 1) throw new SealError("epoch_order");
  const ownerKeys = checkedOwner(record, owner);
  const entry = entryOf(record, me.id);
  if (entry === null) throw new SealError("rekey_removed");
  const { openPsk } = await loadHpke();
  const psk = rekeyPsk(old, me, ownerKeys.agreement);
  const opened = await openPsk(me.agreementKey(), entry, sharedFor(entry, prefixOf(record), psk, old.epoch));
  wipe(psk);
  const secret = new Secret(opened);
  wipe(opened);
  return EpochKeys.checked(record, { kind: entry.capability, secret });
}

export function entryOf(record: EpochRecord, participant: ParticipantId): Entry | null {
  return record.entries.find((entry) => entry.participant === participant) ?? null;
}

function checkedOwner(record: EpochRecord, owner: Owner): PublicKeys {
  const known = owner.keys !== null && participantIdOf(record.session, owner.keys) === owner.id;
  if (record.type !== "owner_rekey" || record.owner !== owner.id || owner.keys === null || !known) {
    throw new SealError("rekey_not_owner");
  }
  return owner.keys;
}

/** What ties an entry to those who held the old epoch. Throws bad_public_key. */
export function rekeyPsk(old: HeldKeys, me: Agreeing, other: Bytes): Bytes {
  const view = old.linkSecret("view");
  // Every holder of an epoch holds its view secret.
  if (view === null) throw new SealError("rekey_auth");
  const agreed = me.agree(other);
  const material = concat(view.secret.expose(), agreed);
  const psk = hkdf(saltOf(old.session, old.epoch), material, LABEL);
  wipe(agreed, material);
  return psk;
}

/** The name of the pre-shared key of an epoch. */
export function rekeyPskId(oldEpoch: number): Bytes {
  return concat(PSK_ID, u32(oldEpoch));
}

export function sharedFor(
  { participant, capability }: { readonly participant: ParticipantId; readonly capability: LinkKind },
  prefix: Bytes,
  psk: Bytes,
  oldEpoch: number,
): Shared {
  return {
    info: concat(LABEL, prefix),
    data: concat(idBytes(participant), Uint8Array.of(capability === "full" ? 1 : 2)),
    psk,
    pskId: rekeyPskId(oldEpoch),
  };
}
