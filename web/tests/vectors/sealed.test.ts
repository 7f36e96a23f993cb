// Group `sealed`: sealing to the byte, and opening with every error in its order.
import { describe, expect, test } from "vitest";
import { isCertified } from "../../src/seal/certificate";
import { concat, u64, utf8, type Bytes } from "../../src/seal/bytes";
import type { Signing } from "../../src/seal/identity";
import type { ReadingKeys } from "../../src/seal/keys";
import { openMessage } from "../../src/seal/message";
import { openProfile } from "../../src/seal/profile";
import {
  additionalData,
  openFrame,
  sealRecord,
  type Author,
  type Kind,
  type Place,
} from "../../src/seal/record";
import { sign } from "../../src/seal/signature/key";
import { openGoal, openTitle } from "../../src/seal/small";
import type { GoodCase, SealedCase } from "./shapes";
import { bytes, expectDistinct, hex, id, key, maybeId, outcome, secret, vectors } from "./support";

const { good, bad } = vectors.sealed;
const KINDS: readonly Kind[] = ["history", "message", "title", "profile", "goal"];

describe("sealed", () => {
  test("every case has a name of its own", () => {
    expectDistinct(good.map(({ name }) => name));
    expectDistinct(bad.map(({ name }) => name));
  });

  test.each(good)("sealed: $name", (wanted) => {
    const keys = keysOf(wanted);
    const place = placeOf(wanted);
    const me = signer(wanted);
    expect(hex(additionalData(keys, place))).toBe(wanted.aad);
    expect(hex(sealRecord(keys, me, place, restOf(wanted), () => bytes(wanted.nonce)))).toBe(wanted.blob);
    const content = openFrame(keys, place, bytes(wanted.blob));
    expect(hex(content.signature)).toBe(wanted.signature);
    expect(hex(content.rest)).toBe(hex(restOf(wanted)));
  });

  test.each(good)("opened: $name", async (wanted) => {
    expect(await outcome(() => open(wanted, bytes(wanted.blob)))).toEqual({ ok: contentOf(wanted) });
  });

  test.each(bad)("refused: $name", async (wanted) => {
    const blob = concat(bytes(wanted.blob), new Uint8Array(wanted.append_zeros ?? 0));
    expect(await outcome(() => open(wanted, blob))).toEqual({ error: wanted.error });
  });
});

function keysOf(row: SealedCase): ReadingKeys {
  return {
    session: id(row.session),
    epoch: row.epoch,
    contentKey: bytes(row.content_key),
    postingKey: key(row.posting_key),
  };
}

function placeOf(row: SealedCase): Place {
  const kind = KINDS[row.kind];
  if (kind === undefined) throw new Error(`kind ${String(row.kind)}`);
  return { kind, participant: id(row.participant), item: maybeId(row.item) };
}

/** An author whose agreement key is not given. */
function signer(row: GoodCase): Signing {
  const seed = secret(row.signing_seed);
  return { id: id(row.participant), sign: (message) => sign(seed, message) };
}

function restOf(row: GoodCase): Bytes {
  const json = utf8(row.json);
  if (row.head_hash === undefined) return json;
  return concat(u64(row.head_seq ?? 0), bytes(row.head_hash), json);
}

/** What opening gives, in a form that a row can state. */
async function open(row: SealedCase, blob: Bytes): Promise<unknown> {
  const keys = keysOf(row);
  const { kind, participant } = placeOf(row);
  if (kind === "profile") {
    const profile = await openProfile(keys, participant, blob);
    return {
      members: profile.members,
      name: profile.name,
      pk: hex(profile.keys.agreement),
      vk: hex(profile.keys.verification.bytes),
      mayWrite: profile.mayWrite,
    };
  }
  const author = await authorOf(row, keys);
  if (kind === "title") return openTitle(keys, author, participant, blob);
  if (kind === "goal") return openGoal(keys, author, participant, id(row.item), blob);
  const { head, content } = await openMessage(keys, author, participant, id(row.item), blob);
  return { seq: head.seq, hash: hex(head.hash), content };
}

async function authorOf(row: SealedCase, keys: ReadingKeys): Promise<Author> {
  const { verification_key: vk = null, certificate = null } = row;
  return {
    key: vk === null ? null : key(vk),
    mayWrite: certificate !== null && (await isCertified(keys, id(row.participant), bytes(certificate))),
  };
}

function contentOf(row: GoodCase): unknown {
  const members = JSON.parse(row.json) as Record<string, unknown>;
  switch (placeOf(row).kind) {
    case "message":
      return { seq: row.head_seq, hash: row.head_hash, content: members };
    case "profile":
      return {
        members,
        name: members["name"],
        pk: row.public_key,
        vk: row.verification_key,
        mayWrite: row.may_write,
      };
    case "title":
      return members["title"];
    default:
      return members["goal"];
  }
}
