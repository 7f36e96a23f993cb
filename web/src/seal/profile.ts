// Profiles, kind 3 of crypto.md section 7 and section 6.2: the keys of a participant, the name it claims, and the
// certificate by which it may write in one epoch.
import type { Bytes } from "./bytes";
import { isCertified } from "./certificate";
import { fromBase64Url, toBase64Url } from "./encoding";
import { SealError } from "./error";
import type { ParticipantId } from "./ids";
import { participantIdOf, type Identity, type PublicKeys } from "./identity";
import { parseObject, stringOf, type JsonObject } from "./json";
import type { EntryKeys, ReadingKeys } from "./keys";
import { KEY_LEN, SIGNATURE_LEN } from "./limits";
import type { Random } from "./random";
import { checkSignature, openFrame, sealRecord, type Place } from "./record";
import { VerificationKey } from "./signature/key";
import { smallJson } from "./small";

export interface Profile {
  readonly keys: PublicKeys;
  /** A claim, not an identity. */
  readonly name: string;
  /** Whether its certificate gives the right to write in its epoch. */
  readonly mayWrite: boolean;
  /** All of it, with members this version may not know. */
  readonly members: JsonObject;
}

/** For the epoch of the keys, with a certificate where they are full. `more` are members beside the fixed ones. Throws
 * too_large. The bytes are kept: the same again on return append nothing. */
export function sealProfile(
  keys: EntryKeys,
  me: Identity,
  name: string,
  more: JsonObject = {},
  random?: Random,
): Bytes {
  const certificate = keys.certificate(me.id);
  const members: JsonObject = {
    ...more,
    name,
    pk: toBase64Url(me.keys.agreement),
    vk: toBase64Url(me.keys.verification.bytes),
    ...(certificate === null ? {} : { cert: toBase64Url(certificate) }),
  };
  return sealRecord(keys, me, { kind: "profile", item: null }, smallJson(members), random);
}

/** Of the epoch of the keys. */
export async function openProfile(
  keys: ReadingKeys,
  participant: ParticipantId,
  sealed: Uint8Array,
): Promise<Profile> {
  const place: Place = { kind: "profile", participant, item: null };
  const content = openFrame(keys, place, sealed);
  const members = parseObject(content.rest);
  const name = stringOf(members, "name");
  const own: PublicKeys = {
    agreement: bytesOf(members, "pk", KEY_LEN),
    verification: new VerificationKey(bytesOf(members, "vk", KEY_LEN)),
  };
  const certificate = Object.hasOwn(members, "cert") ? bytesOf(members, "cert", SIGNATURE_LEN) : null;
  if (participantIdOf(keys.session, own) !== participant) throw new SealError("profile_key_mismatch");
  await checkSignature(keys, own.verification, place, content);
  const mayWrite = certificate !== null && (await isCertified(keys, participant, certificate));
  return { keys: own, name, mayWrite, members };
}

/** Throws bad_content unless the member is base64url of that many bytes. */
function bytesOf(members: JsonObject, name: string, length: number): Bytes {
  let bytes: Bytes;
  try {
    bytes = fromBase64Url(stringOf(members, name));
  } catch {
    throw new SealError("bad_content");
  }
  if (bytes.length !== length) throw new SealError("bad_content");
  return bytes;
}
