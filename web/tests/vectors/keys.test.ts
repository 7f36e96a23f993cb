// Group `keys`: the key schedule of an epoch, and the keys, id and certificate of a participant.
import { describe, expect, test } from "vitest";
import { certificateText, isCertified, makeCertificate } from "../../src/seal/certificate";
import { Identity } from "../../src/seal/identity";
import { sha256 } from "../../src/seal/kdf";
import { EpochKeys, proofOf } from "../../src/seal/keys";
import { linkCheck } from "../../src/seal/link/link";
import * as schedule from "../../src/seal/schedule";
import { verificationKeyOf } from "../../src/seal/signature/key";
import { firstHash } from "../../src/seal/transcript/chain";
import { bytes, hex, id, secret, vectors } from "./support";

describe("keys", () => {
  test.each(vectors.keys.epoch)("of epoch $epoch of session $session", (wanted) => {
    const session = id<"session">(wanted.session);
    const full = secret(wanted.full_secret);
    const salt = schedule.saltOf(session, wanted.epoch);
    const { keys, commitments } = EpochKeys.opened(session, wanted.epoch, full);
    const view = keys.linkSecret("view");
    if (view === null) throw new Error("no view secret");
    const fullProof = proofOf(session, wanted.epoch, { kind: "full", secret: full });
    const viewProof = proofOf(session, wanted.epoch, view);

    expect(hex(salt)).toBe(wanted.salt);
    expect(hex(schedule.postingSeed(salt, full.expose()))).toBe(wanted.posting_seed);
    expect(hex(schedule.opening(salt, full.expose()))).toBe(wanted.opening);
    expect(hex(view.secret.expose())).toBe(wanted.view_secret);
    expect(hex(keys.contentKey)).toBe(wanted.content_key);
    expect(hex(keys.postingKey.bytes)).toBe(wanted.posting_key);
    expect(hex(fullProof)).toBe(wanted.full_proof);
    expect(hex(viewProof)).toBe(wanted.view_proof);
    expect(hex(sha256(fullProof))).toBe(wanted.full_verifier);
    expect(hex(sha256(viewProof))).toBe(wanted.view_verifier);
    expect(
      Object.fromEntries(Object.entries(commitments).map(([name, value]) => [name, hex(value)])),
    ).toEqual({
      fullVerifier: wanted.full_verifier,
      viewVerifier: wanted.view_verifier,
      postingKey: wanted.posting_key,
      maskedOpening: wanted.masked_opening,
    });
    expect(hex(linkCheck("full", session, wanted.epoch, full.expose()))).toBe(wanted.full_link_check);
    expect(hex(linkCheck("view", session, wanted.epoch, view.secret.expose()))).toBe(wanted.view_link_check);
    expect(hex(firstHash(session))).toBe(wanted.transcript_start);
  });

  test.each(vectors.keys.participant)("of participant $participant_text", async (wanted) => {
    const session = id<"session">(wanted.session);
    const me = new Identity(session, secret(wanted.private_key), secret(wanted.signing_seed));
    const seed = secret(wanted.posting_seed);
    const certificate = makeCertificate(session, wanted.epoch, me.id, seed);
    const postingKey = verificationKeyOf(seed);

    expect(hex(me.keys.agreement)).toBe(wanted.public_key);
    expect(hex(me.keys.verification.bytes)).toBe(wanted.verification_key);
    expect(me.id).toBe(wanted.participant_text);
    expect(me.id).toBe(id(wanted.participant));
    expect(hex(me.rejoinSecret().expose())).toBe(wanted.rejoin);
    expect(hex(me.rejoinVerifier())).toBe(wanted.rejoin_verifier);
    expect(hex(certificateText(session, wanted.epoch, me.id))).toBe(wanted.certificate_text);
    expect(hex(certificate)).toBe(wanted.certificate);
    const epoch = { session, epoch: wanted.epoch, postingKey };
    expect(await isCertified(epoch, me.id, bytes(wanted.certificate))).toBe(true);
    expect(await isCertified({ ...epoch, epoch: wanted.epoch + 1 }, me.id, certificate)).toBe(false);
  });
});
