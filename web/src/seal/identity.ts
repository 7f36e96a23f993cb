// A participant (crypto.md section 6): its two key pairs, the id that commits to them, and its rejoin secret. One seat
// holds one set of keys for as long as the session lives.
import { x25519 } from "@noble/curves/ed25519.js";
import { wipe, type Bytes } from "./bytes";
import { SealError } from "./error";
import { idBytes, idFromBytes, type ParticipantId, type SessionId } from "./ids";
import { hkdf, label, sha256 } from "./kdf";
import { ID_LEN } from "./limits";
import { systemRandom, type Random } from "./random";
import { Secret } from "./secret";
import { sign, verificationKeyOf, VerificationKey } from "./signature/key";

const ID_LABEL = label("participant");
const REJOIN_LABEL = label("rejoin");

/** The public keys of a participant. */
export interface PublicKeys {
  /** X25519, 32 bytes. */
  readonly agreement: Bytes;
  readonly verification: VerificationKey;
}

/** A participant as a re-key needs it: the private half of its agreement key. */
export interface Agreeing {
  readonly id: ParticipantId;
  /** What this participant and another one share. Throws bad_public_key for a key that gives zeros. */
  agree(other: Uint8Array): Bytes;
  /** For HPKE, which takes the key itself. */
  agreementKey(): Secret;
}

/** A participant as an author: the private half of its verification key. */
export interface Signing {
  readonly id: ParticipantId;
  sign(message: Uint8Array): Bytes;
}

export class Identity implements Agreeing, Signing {
  readonly session: SessionId;
  readonly id: ParticipantId;
  readonly keys: PublicKeys;
  readonly #agreement: Secret;
  readonly #signing: Secret;

  /** From the two private keys, as drawn or as kept in this tab. */
  constructor(session: SessionId, agreement: Secret, signing: Secret) {
    this.session = session;
    this.#agreement = agreement;
    this.#signing = signing;
    this.keys = {
      agreement: x25519.getPublicKey(agreement.expose()),
      verification: verificationKeyOf(signing),
    };
    this.id = participantIdOf(session, this.keys);
  }

  static draw(session: SessionId, random: Random = systemRandom): Identity {
    return new Identity(session, Secret.draw(random), Secret.draw(random));
  }

  /** The private keys, for the store of this tab and nothing else. */
  kept(): { readonly agreement: Secret; readonly signing: Secret } {
    return { agreement: this.#agreement, signing: this.#signing };
  }

  /** Proves on return that this is the participant it was; goes in request bodies only. */
  rejoinSecret(): Secret {
    const bytes = hkdf(idBytes(this.session), this.#agreement.expose(), REJOIN_LABEL);
    const secret = new Secret(bytes);
    wipe(bytes);
    return secret;
  }

  /** What the plane keeps of the rejoin secret. */
  rejoinVerifier(): Bytes {
    const secret = this.rejoinSecret();
    const verifier = sha256(secret.expose());
    secret.wipe();
    return verifier;
  }

  sign(message: Uint8Array): Bytes {
    return sign(this.#signing, message);
  }

  agree(other: Uint8Array): Bytes {
    return agree(this.#agreement, other);
  }

  agreementKey(): Secret {
    return this.#agreement;
  }
}

/** X25519 (RFC 7748). Throws bad_public_key for an all-zero result, which the library refuses. */
export function agree(own: Secret, other: Uint8Array): Bytes {
  try {
    return x25519.getSharedSecret(own.expose(), other);
  } catch {
    throw new SealError("bad_public_key");
  }
}

/** A UUID of version 8 that nobody can put other keys under. */
export function participantIdOf(session: SessionId, keys: PublicKeys): ParticipantId {
  const hash = sha256(ID_LABEL, idBytes(session), keys.agreement, keys.verification.bytes);
  const bytes = hash.slice(0, ID_LEN);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idFromBytes(bytes);
}
