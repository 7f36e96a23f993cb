// The keys of an epoch (crypto.md section 3) and the check that a secret and an epoch record belong together
// (section 5). Nothing is used before it has passed that check.
import { equal, wipe, type Bytes } from "./bytes";
import { makeCertificate } from "./certificate";
import { sameCommitments, type Commitments, type EpochRecord } from "./epoch-record";
import { SealError } from "./error";
import type { ParticipantId, SessionId } from "./ids";
import { sha256 } from "./kdf";
import * as schedule from "./schedule";
import { Secret, type LinkKind, type LinkSecret } from "./secret";
import { VerificationKey } from "./signature/key";

/** What seals for an epoch. */
export interface SealingKeys {
  readonly session: SessionId;
  readonly epoch: number;
  readonly contentKey: Bytes;
}

/** What reads an epoch. */
export interface ReadingKeys extends SealingKeys {
  /** Certificates of this epoch are by it. */
  readonly postingKey: VerificationKey;
}

/** What is held of an epoch: reads it, and knows the secret it comes from. */
export interface HeldKeys extends ReadingKeys {
  readonly kind: LinkKind;
  /** Throws verifier_mismatch when a record of this epoch does not fit what is held. */
  checkRecord(record: EpochRecord): void;
  /** What a link of that kind carries; null for a full one where only the view secret is held. */
  linkSecret(kind: LinkKind): LinkSecret | null;
  /** Forgets the full secret, as after a re-key. */
  dropFull(): void;
}

/** What seals one's profile for an epoch, with a certificate where a full secret is held. */
export interface EntryKeys extends SealingKeys {
  certificate(participant: ParticipantId): Bytes | null;
}

/** For the profile that goes out with a join, before the record of the epoch is known. Nothing else is sealed with them. */
export function entryKeys(session: SessionId, epoch: number, { kind, secret }: LinkSecret): EntryKeys {
  if (kind === "full") return EpochKeys.opened(session, epoch, secret).keys;
  const contentKey = schedule.contentKey(schedule.saltOf(session, epoch), secret.expose());
  return { session, epoch, contentKey, certificate: () => null };
}

/** The keys of one epoch, checked against its record. */
export class EpochKeys implements HeldKeys {
  readonly session: SessionId;
  readonly epoch: number;
  readonly contentKey: Bytes;
  readonly postingKey: VerificationKey;
  readonly #view: Secret;
  #full: Secret | null;

  private constructor(session: SessionId, epoch: number, derived: Derived) {
    this.session = session;
    this.epoch = epoch;
    this.contentKey = schedule.contentKey(schedule.saltOf(session, epoch), derived.view.expose());
    this.postingKey = new VerificationKey(derived.commitments.postingKey);
    this.#view = derived.view;
    this.#full = derived.full;
  }

  /** The keys of a secret that fits the record. Throws verifier_mismatch. */
  static checked(record: EpochRecord, { kind, secret }: LinkSecret): EpochKeys {
    const { session, epoch, commitments } = record;
    const derived =
      kind === "full" ? fromFull(session, epoch, secret) : fromView(session, epoch, secret, commitments);
    if (!sameCommitments(derived.commitments, commitments)) throw new SealError("verifier_mismatch");
    return new EpochKeys(session, epoch, derived);
  }

  /** The keys of an epoch that is made here, and what its record has to commit to. */
  static opened(
    session: SessionId,
    epoch: number,
    secret: Secret,
  ): { readonly keys: EpochKeys; readonly commitments: Commitments } {
    const derived = fromFull(session, epoch, secret);
    return { keys: new EpochKeys(session, epoch, derived), commitments: derived.commitments };
  }

  get kind(): LinkKind {
    return this.#full === null ? "view" : "full";
  }

  checkRecord(record: EpochRecord): void {
    EpochKeys.checked(record, this.#full === null ? this.#asView() : { kind: "full", secret: this.#full });
  }

  linkSecret(kind: LinkKind): LinkSecret | null {
    if (kind === "view") return this.#asView();
    return this.#full === null ? null : { kind, secret: this.#full };
  }

  /** Admits a participant to writing in this epoch; null where only the view secret is held. */
  certificate(participant: ParticipantId): Bytes | null {
    if (this.#full === null) return null;
    const seed = schedule.postingSeed(schedule.saltOf(this.session, this.epoch), this.#full.expose());
    const signing = new Secret(seed);
    const certificate = makeCertificate(this.session, this.epoch, participant, signing);
    signing.wipe();
    wipe(seed);
    return certificate;
  }

  dropFull(): void {
    this.#full?.wipe();
    this.#full = null;
  }

  #asView(): LinkSecret {
    return { kind: "view", secret: this.#view };
  }
}

/** The proof that is shown on joining with a secret (crypto.md section 6.1); goes in request bodies only. */
export function proofOf(session: SessionId, epoch: number, { kind, secret }: LinkSecret): Bytes {
  const salt = schedule.saltOf(session, epoch);
  return kind === "full"
    ? schedule.fullProof(salt, secret.expose())
    : schedule.viewProof(salt, secret.expose());
}

interface Derived {
  readonly full: Secret | null;
  readonly view: Secret;
  readonly commitments: Commitments;
}

function fromFull(session: SessionId, epoch: number, secret: Secret): Derived {
  const salt = schedule.saltOf(session, epoch);
  const opening = schedule.opening(salt, secret.expose());
  const postingKey = schedule.postingKey(salt, secret.expose());
  const view = new Secret(schedule.viewSecret(salt, opening, postingKey));
  return {
    full: new Secret(secret.expose()),
    view,
    commitments: {
      fullVerifier: sha256(schedule.fullProof(salt, secret.expose())),
      viewVerifier: sha256(schedule.viewProof(salt, view.expose())),
      postingKey,
      maskedOpening: schedule.masked(salt, view.expose(), opening),
    },
  };
}

/** What a view secret vouches for: all but the full verifier, which is taken as the record has it. */
function fromView(session: SessionId, epoch: number, secret: Secret, stated: Commitments): Derived {
  const salt = schedule.saltOf(session, epoch);
  const opening = schedule.masked(salt, secret.expose(), stated.maskedOpening);
  const again = schedule.viewSecret(salt, opening, stated.postingKey);
  if (!equal(again, secret.expose())) throw new SealError("verifier_mismatch");
  return {
    full: null,
    view: new Secret(secret.expose()),
    commitments: { ...stated, viewVerifier: sha256(schedule.viewProof(salt, secret.expose())) },
  };
}

/** The keys held, by epoch. */
export class Keyring {
  readonly #held = new Map<number, HeldKeys>();

  get(epoch: number): HeldKeys | undefined {
    return this.#held.get(epoch);
  }

  /** A full secret is not replaced by a view secret of the same epoch. */
  add(keys: HeldKeys): void {
    if (this.#held.get(keys.epoch)?.kind === "full" && keys.kind === "view") return;
    this.#held.set(keys.epoch, keys);
  }

  /** Ascending. */
  epochs(): readonly number[] {
    return [...this.#held.keys()].sort((a, b) => a - b);
  }

  newest(): HeldKeys | undefined {
    return this.#held.get(this.epochs().at(-1) ?? 0);
  }
}
