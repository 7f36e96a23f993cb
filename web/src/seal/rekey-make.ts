// Making an epoch record: of a new session, of an owner's re-key and of an administrator's (crypto.md section 10). The
// secret of the keys that come with it is kept before the record is sent.
import { concat, type Bytes } from "./bytes";
import { writeEntry, writePrefix, type Entry, type EpochFields } from "./epoch-record";
import { SealError } from "./error";
import { sealHistory } from "./history";
import { loadHpke } from "./hpke-part";
import type { ParticipantId, SessionId } from "./ids";
import { participantIdOf, type Agreeing, type PublicKeys } from "./identity";
import { EpochKeys, type HeldKeys } from "./keys";
import { ENTRIES_MAX, EPOCH_MAX } from "./limits";
import { systemRandom, type Random } from "./random";
import { rekeyPsk, sharedFor } from "./rekey";
import { Secret, type LinkKind } from "./secret";

export interface NewEpoch {
  readonly record: Bytes;
  readonly keys: EpochKeys;
}

/** Somebody who stays, by the keys of a checked profile. */
export interface Kept {
  readonly keys: PublicKeys;
  readonly capability: LinkKind;
  /** For the vectors; otherwise the library draws its own. */
  readonly ephemeral?: CryptoKeyPair;
}

/** The first epoch of a session. */
export function makeCreation(session: SessionId, owner: ParticipantId, secret = Secret.draw()): NewEpoch {
  return bare("creation", session, 1, owner, secret);
}

/** An administrator's re-key to the epoch after `current`: nobody is given anything, all need the new link. */
export function makeAdminRekey(session: SessionId, current: number, secret = Secret.draw()): NewEpoch {
  return bare("admin_rekey", session, nextEpoch(current), null, secret);
}

/** An owner's re-key. Who is not in `kept` is out, the owner itself included. Throws bad_public_key for one whose key
 * nothing can be sealed to, limit_reached for more than 256. */
export async function makeOwnerRekey(
  old: HeldKeys,
  me: Agreeing,
  kept: readonly Kept[],
  history: "open" | "closed",
  { secret = Secret.draw(), random = systemRandom }: { secret?: Secret; random?: Random } = {},
): Promise<NewEpoch> {
  const oldView = old.linkSecret("view");
  if (kept.length > ENTRIES_MAX || oldView === null) throw new SealError("limit_reached");
  const epoch = nextEpoch(old.epoch);
  const { keys, commitments } = EpochKeys.opened(old.session, epoch, secret);
  const prefix = writePrefix(
    {
      type: "owner_rekey",
      session: old.session,
      epoch,
      commitments,
      owner: me.id,
      history: history === "open" ? sealHistory(keys, me.id, oldView.secret, random) : null,
    },
    kept.length,
  );
  const entries = await Promise.all(kept.map((one) => entryFor(one, { old, keys, me, prefix })));
  entries.sort((a, b) => (a.participant < b.participant ? -1 : 1));
  return { record: concat(prefix, ...entries.map(writeEntry)), keys };
}

async function entryFor(
  { keys: publicKeys, capability, ephemeral }: Kept,
  { old, keys, me, prefix }: { old: HeldKeys; keys: EpochKeys; me: Agreeing; prefix: Bytes },
): Promise<Entry> {
  const participant = participantIdOf(old.session, publicKeys);
  const given = keys.linkSecret(capability);
  if (given === null) throw new SealError("rekey_auth");
  const shared = sharedFor(
    { participant, capability },
    prefix,
    rekeyPsk(old, me, publicKeys.agreement),
    old.epoch,
  );
  const { sealPsk } = await loadHpke();
  const sealed = await sealPsk(publicKeys.agreement, given.secret.expose(), shared, ephemeral);
  return { participant, capability, ...sealed };
}

function bare(
  type: EpochFields["type"],
  session: SessionId,
  epoch: number,
  owner: ParticipantId | null,
  secret: Secret,
): NewEpoch {
  const { keys, commitments } = EpochKeys.opened(session, epoch, secret);
  return { record: writePrefix({ type, session, epoch, commitments, owner, history: null }, 0), keys };
}

function nextEpoch(current: number): number {
  if (current >= EPOCH_MAX) throw new SealError("limit_reached");
  return current + 1;
}
