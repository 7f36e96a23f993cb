// Certificates (crypto.md section 6.2): a holder of the full link admits a participant to writing in one epoch.
import { concat, u32, type Bytes } from "./bytes";
import { idBytes, type ParticipantId, type SessionId } from "./ids";
import { label } from "./kdf";
import type { Secret } from "./secret";
import { sign, type VerificationKey } from "./signature/key";

const LABEL = label("certificate");

export function certificateText(session: SessionId, epoch: number, participant: ParticipantId): Bytes {
  return concat(LABEL, idBytes(session), u32(epoch), idBytes(participant));
}

/** By the posting seed of the epoch; 64 bytes. */
export function makeCertificate(
  session: SessionId,
  epoch: number,
  participant: ParticipantId,
  postingSeed: Secret,
): Bytes {
  return sign(postingSeed, certificateText(session, epoch, participant));
}

/** Whether a certificate gives the right to write in the epoch of that posting key. */
export function isCertified(
  { session, epoch, postingKey }: { session: SessionId; epoch: number; postingKey: VerificationKey },
  participant: ParticipantId,
  certificate: Uint8Array,
): Promise<boolean> {
  return postingKey.verifies(certificate, certificateText(session, epoch, participant));
}
