// Group `rekey`: epoch records made to the byte, opened, refused; history; the check of a secret; and RFC 9180 A.2.2.
import { x25519 } from "@noble/curves/ed25519.js";
import { describe, expect, test } from "vitest";
import { parseEpochRecord } from "../../src/seal/epoch-record";
import { openHistory } from "../../src/seal/history";
import { keyPairOf, openPsk, sealPsk } from "../../src/seal/hpke";
import { agree, participantIdOf, type Agreeing, type PublicKeys } from "../../src/seal/identity";
import { EpochKeys, type HeldKeys } from "../../src/seal/keys";
import { openRekey, rekeyPsk, rekeyPskId } from "../../src/seal/rekey";
import { makeAdminRekey, makeCreation, makeOwnerRekey, type Kept } from "../../src/seal/rekey-make";
import type { OpenCase } from "./shapes";
import { bytes, expectDistinct, hex, id, key, kindOf, outcome, secret, vectors } from "./support";

const { rekey } = vectors;

test("every case has a name of its own", () => {
  for (const group of [rekey.open, rekey.open_bad, rekey.parse_bad, rekey.history, rekey.secret]) {
    expectDistinct(group.map(({ name }) => name));
  }
});

describe("hpke, RFC 9180 A.2.2", () => {
  const row = rekey.rfc9180_a_2_2_psk;
  const shared = {
    info: bytes(row.info),
    data: bytes(row.aad),
    psk: bytes(row.psk),
    pskId: bytes(row.psk_id),
  };

  test("seal", async () => {
    const ephemeral = await keyPairOf(secret(row.skEm), bytes(row.enc));
    const { encapsulated, sealed } = await sealPsk(bytes(row.pkRm), bytes(row.pt), shared, ephemeral);
    expect(hex(encapsulated)).toBe(row.enc);
    expect(hex(sealed)).toBe(row.ct);
  });

  test("open", async () => {
    const sealed = { encapsulated: bytes(row.enc), sealed: bytes(row.ct) };
    expect(hex(await openPsk(secret(row.skRm), sealed, shared))).toBe(row.pt);
  });
});

describe("rekey", () => {
  test.each(rekey.make)("made by the owner, history nonce $history_nonce", async (wanted) => {
    const session = id<"session">(wanted.session);
    const old = holding(wanted.session, wanted.old_epoch, wanted.old_view_secret);
    const owner = agreeing(wanted.session, wanted.owner_private_key, wanted.owner_verification_key);
    const kept = await Promise.all(
      wanted.keep.map(async (row): Promise<Kept> => {
        const keys = publicKeys(row.public_key, row.verification_key);
        const digits = participantIdOf(session, keys).replaceAll("-", "");
        const drawn = secret(wanted.ephemeral_private_keys[digits] ?? "");
        expect(hex(rekeyPsk(old, owner, keys.agreement))).toBe(wanted.psk[digits]);
        return {
          keys,
          capability: row.capability === 1 ? "full" : "view",
          ephemeral: await keyPairOf(drawn, x25519.getPublicKey(drawn.expose())),
        };
      }),
    );
    const made = await makeOwnerRekey(old, owner, kept, wanted.history_nonce === null ? "closed" : "open", {
      secret: secret(wanted.new_full_secret),
      random: () => bytes(wanted.history_nonce ?? ""),
    });
    expect(hex(rekeyPskId(wanted.old_epoch))).toBe(wanted.psk_id);
    expect(hex(made.record)).toBe(wanted.record);
  });

  test.each(rekey.create)("creation of session $session", (wanted) => {
    const made = makeCreation(id(wanted.session), id(wanted.owner), secret(wanted.full_secret));
    expect(hex(made.record)).toBe(wanted.record);
  });

  test.each(rekey.admin)("made by an administrator, epoch $epoch", (wanted) => {
    const made = makeAdminRekey(id(wanted.session), wanted.epoch - 1, secret(wanted.full_secret));
    expect(hex(made.record)).toBe(wanted.record);
  });

  test.each(rekey.open)("opened by $name", async (wanted) => {
    expect(await outcome(() => open(wanted))).toEqual({ ok: { kind: wanted.kind, secret: wanted.secret } });
  });

  test.each(rekey.open_bad)("refused: $name", async (wanted) => {
    expect(await outcome(() => open(wanted))).toEqual({ error: wanted.error });
  });

  test.each(rekey.parse_bad)("malformed: $name", async ({ record, error }) => {
    expect(await outcome(() => parseEpochRecord(bytes(record)))).toEqual({ error });
  });

  test.each(rekey.history)("history: $name", async (wanted) => {
    const record = parseEpochRecord(bytes(wanted.record));
    const keys = {
      ...holding(record.session.replaceAll("-", ""), record.epoch, null),
      contentKey: bytes(wanted.content_key),
    };
    const previous = parseEpochRecord(bytes(wanted.previous_record));
    const got = await outcome(() => secretDigits(openHistory(record, keys, previous), "view"));
    expect(got).toEqual(wanted.error === undefined ? { ok: wanted.view_secret } : { error: wanted.error });
  });

  test.each(rekey.secret)("secret and record: $name", async (wanted) => {
    const record = parseEpochRecord(bytes(wanted.record));
    const link = { kind: kindOf(wanted.kind), secret: secret(wanted.secret) };
    const got = await outcome(() => EpochKeys.checked(record, link).kind);
    expect(got).toEqual(wanted.error === null ? { ok: link.kind } : { error: wanted.error });
  });
});

async function open(row: OpenCase): Promise<{ kind: string; secret: string | undefined }> {
  const keys = await openRekey(
    parseEpochRecord(bytes(row.record)),
    holding(row.session, row.old_epoch, row.old_view_secret),
    { id: id(row.owner), keys: publicKeys(row.owner_public_key, row.owner_verification_key) },
    agreeing(row.session, row.private_key, row.verification_key),
  );
  return { kind: keys.kind === "full" ? "f" : "v", secret: secretDigits(keys, keys.kind) };
}

function secretDigits(keys: EpochKeys, kind: "full" | "view"): string | undefined {
  const link = keys.linkSecret(kind);
  return link === null ? undefined : hex(link.secret.expose());
}

function publicKeys(agreement: string, verification: string): PublicKeys {
  return { agreement: bytes(agreement), verification: key(verification) };
}

/** A participant of whom the signing seed is not given. */
function agreeing(session: string, privateKey: string, verification: string): Agreeing {
  const own = secret(privateKey);
  const agreement = x25519.getPublicKey(own.expose());
  return {
    id: participantIdOf(id(session), { agreement, verification: key(verification) }),
    agree: (other) => agree(own, other),
    agreementKey: () => own,
  };
}

/** What is held of an epoch of which only the view secret is given. */
function holding(session: string, epoch: number, view: string | null): HeldKeys {
  const held = view === null ? null : secret(view);
  return {
    session: id(session),
    epoch,
    contentKey: new Uint8Array(32),
    postingKey: key("00".repeat(32)),
    kind: "view",
    checkRecord: () => undefined,
    linkSecret: (kind) => (kind === "view" && held !== null ? { kind, secret: held } : null),
    dropFull: () => undefined,
  };
}
