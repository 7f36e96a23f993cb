// Re-keys as a transcript meets them (crypto.md sections 5, 9.3, 10): who stays, who is out, who comes later, history.
import { describe, expect, test } from "vitest";
import { toBase64Url } from "../../../src/seal/encoding";
import { parseEpochRecord, type EpochRecord } from "../../../src/seal/epoch-record";
import { openPast } from "../../../src/seal/history";
import { Identity } from "../../../src/seal/identity";
import { EpochKeys, Keyring } from "../../../src/seal/keys";
import { makeAdminRekey, makeOwnerRekey, type NewEpoch } from "../../../src/seal/rekey-make";
import { Roster } from "../../../src/seal/roster";
import { ownerInForce } from "../../../src/seal/succession";
import type { Reader } from "../../../src/seal/transcript/admission";
import { Transcript } from "../../../src/seal/transcript/transcript";
import { outcome } from "../../vectors/support";
import { at, raw, readAll, World } from "./world";

/** The owner keeps the other one, for reading alone unless told otherwise. */
async function rekeyed(capability: "full" | "view" = "full", history: "open" | "closed" = "open") {
  const world = new World();
  const kept = [
    { keys: world.owner.keys, capability: "full" as const },
    { keys: world.other.keys, capability },
  ];
  const made = await makeOwnerRekey(world.keys, world.owner, kept, history);
  return { world, made, record: announce(world, made, world.owner.id) };
}

function announce(world: World, { record, keys }: NewEpoch, sender: string | null): EpochRecord {
  world.append({ epoch: keys.epoch, class: "epoch", sender, epoch_record: toBase64Url(record) });
  return parseEpochRecord(record);
}

/** Who came by the new link. */
function later(record: EpochRecord, keys: EpochKeys, kind: "full" | "view", me: Identity | null): Reader {
  const link = keys.linkSecret(kind);
  if (link === null) throw new Error("no such link");
  const keyring = new Keyring();
  keyring.add(EpochKeys.checked(record, link));
  return { keys: keyring, roster: new Roster(), me };
}

describe("an owner re-key", () => {
  test.each(["full", "view"] as const)("gives who stays the new secret: %s", async (capability) => {
    const { world, made } = await rekeyed(capability);
    const reader = world.reader(world.other);
    const outcomes = await readAll(new Transcript(world.session), world, reader);
    expect(outcomes.at(-1)).toEqual({
      type: "epoch",
      change: {
        epoch: 2,
        epochType: "owner_rekey",
        owner: world.owner.id,
        access: { type: "given", kind: capability },
      },
    });
    const given = reader.keys.get(2);
    expect(given?.contentKey).toEqual(made.keys.contentKey);
    expect(given?.kind).toBe(capability);
  });

  test("leaves out who is not named", async () => {
    const { world } = await rekeyed();
    const reader = world.reader(Identity.draw(world.session));
    const outcomes = await readAll(new Transcript(world.session), world, reader);
    expect(outcomes.at(-1)).toMatchObject({ change: { access: { type: "removed" } } });
    expect(reader.keys.get(2)).toBeUndefined();
  });

  test("does not enter when the entry does not open", async () => {
    const { world, record } = await rekeyed();
    const bytes = record.bytes.slice();
    bytes.set([(bytes.at(-1) ?? 0) ^ 1], bytes.length - 1);
    const second = at(record.entries, 1).participant;
    const named = second === world.other.id ? world.other : world.owner;
    world.records.splice(-1, 1, { ...at(world.records, -1), epoch_record: toBase64Url(bytes) });
    const transcript = new Transcript(world.session);
    expect(await outcome(() => readAll(transcript, world, world.reader(named)))).toEqual({
      error: "rekey_auth",
    });
    expect(transcript.epoch).toBe(1);
  });

  test("needs the owner's profile, which is asked for once", async () => {
    const { world } = await rekeyed();
    const reader = world.reader(world.other);
    const transcript = new Transcript(world.session);
    const silent = { ...at(world.records, 1), body: '{"event":"left"}' };
    world.records.splice(1, 1, silent);
    for (const record of world.records.slice(0, 3)) await transcript.accept(raw(record), reader);
    const last = raw(at(world.records, -1));
    expect(transcript.needsProfiles(last, reader)).toBe(true);
    expect(await outcome(() => transcript.accept(last, reader))).toEqual({ error: "rekey_not_owner" });
  });

  test("makes who was kept for reading alone unable to write, by anybody's reading", async () => {
    const { world, made, record } = await rekeyed("view");
    const keys = EpochKeys.checked(record, { kind: "view", secret: linkOf(made.keys, "view") });
    world.joins(world.other, keys);
    const reader = world.reader(world.owner);
    const transcript = new Transcript(world.session);
    await readAll(transcript, world, reader);
    world.says(world.other, transcript.head, undefined, keys);
    const last = raw(at(world.records, -1));
    expect(transcript.needsProfiles(last, reader)).toBe(true);
    expect(await transcript.accept(last, reader)).toEqual({ type: "unreadable", code: "not_certified" });
  });
});

test("nothing is sealed to a key that gives zeros", async () => {
  const world = new World();
  const keys = { ...world.other.keys, agreement: new Uint8Array(32) };
  const made = makeOwnerRekey(world.keys, world.owner, [{ keys, capability: "full" }], "open");
  expect(await outcome(() => made)).toEqual({ error: "bad_public_key" });
});

describe("a checkpoint after the head", () => {
  const hash = new Uint8Array(32).fill(7);

  async function atEpoch2() {
    const { world, made, record } = await rekeyed();
    const reader = world.reader(world.other);
    const transcript = new Transcript(world.session);
    await readAll(transcript, world, reader);
    return { world, made, record, transcript, keys: reader.keys };
  }

  test("is where reading goes on", async () => {
    const { record, transcript, keys } = await atEpoch2();
    expect(transcript.skipTo({ seq: 9, hash, epochRecord: record.bytes }, keys)).toBe(true);
    expect(transcript.head).toEqual({ seq: 9, hash });
    expect(transcript.skipTo({ seq: 9, hash, epochRecord: record.bytes }, keys)).toBe(false);
  });

  test("cannot be of an epoch before the one in force", async () => {
    const { world, transcript, keys } = await atEpoch2();
    const back = { seq: 9, hash, epochRecord: world.first.bytes };
    expect(await outcome(() => transcript.skipTo(back, keys))).toEqual({ error: "epoch_order" });
  });

  test("cannot have another record of the epoch in force", async () => {
    const { world, transcript } = await atEpoch2();
    const another = { seq: 9, hash, epochRecord: makeAdminRekey(world.session, 1).record };
    expect(await outcome(() => transcript.skipTo(another, new Keyring()))).toEqual({ error: "rollback" });
  });

  test("cannot have a record that the keys held do not fit", async () => {
    const { world, keys } = await atEpoch2();
    const another = { seq: 9, hash, epochRecord: makeAdminRekey(world.session, 1).record };
    const fresh = new Transcript(world.session);
    expect(await outcome(() => fresh.skipTo(another, keys))).toEqual({ error: "verifier_mismatch" });
  });

  test("cannot be of another session, nor at an impossible seq", async () => {
    const { record, transcript, keys } = await atEpoch2();
    const foreign = { seq: 9, hash, epochRecord: new World().first.bytes };
    const beyond = { seq: 2 ** 32, hash, epochRecord: record.bytes };
    expect(await outcome(() => transcript.skipTo(foreign, keys))).toEqual({
      error: "epoch_record_malformed",
    });
    expect(await outcome(() => transcript.skipTo(beyond, keys))).toEqual({ error: "bad_record" });
  });
});

describe("an administrator re-key", () => {
  test("stops who has no new link", async () => {
    const world = new World();
    announce(world, makeAdminRekey(world.session, 1), null);
    const outcomes = await readAll(new Transcript(world.session), world, world.reader(world.other));
    expect(outcomes.at(-1)).toMatchObject({ change: { owner: null, access: { type: "new_link_needed" } } });
  });

  test("goes on for who has", async () => {
    const world = new World();
    const made = makeAdminRekey(world.session, 1);
    const record = announce(world, made, null);
    const outcomes = await readAll(
      new Transcript(world.session),
      world,
      later(record, made.keys, "view", world.other),
    );
    expect(outcomes.at(0)).toMatchObject({ change: { access: { type: "unheld" } } });
    expect(outcomes.at(-1)).toMatchObject({ change: { access: { type: "held" } } });
  });

  test("under a record that the link does not fit does not enter", async () => {
    const world = new World();
    const made = makeAdminRekey(world.session, 1);
    const reader = later(parseEpochRecord(made.record), made.keys, "full", world.other);
    announce(world, makeAdminRekey(world.session, 1), null);
    expect(await outcome(() => readAll(new Transcript(world.session), world, reader))).toEqual({
      error: "verifier_mismatch",
    });
  });
});

describe("history", () => {
  test("is opened back to the first epoch for who comes by the new link", async () => {
    const { world, made, record } = await rekeyed("full", "open");
    const { keys } = later(record, made.keys, "view", null);
    expect(openPast(keys, [world.first, record])).toBeNull();
    expect(keys.get(1)?.contentKey).toEqual(world.keys.contentKey);
    expect(keys.get(1)?.linkSecret("full")).toBeNull();
  });

  test("ends where the owner closed it", async () => {
    const { world, made, record } = await rekeyed("full", "closed");
    const { keys } = later(record, made.keys, "full", null);
    expect(openPast(keys, [world.first, record])).toBe("history_closed");
    expect(keys.epochs()).toEqual([2]);
  });

  test("of another session's first epoch is refused", async () => {
    const { made, record } = await rekeyed("full", "open");
    const { keys } = later(record, made.keys, "full", null);
    expect(openPast(keys, [new World().first, record])).toBe("verifier_mismatch");
  });
});

describe("the owner in force", () => {
  test("is the creator, until an administrator re-keys", async () => {
    const { world, record } = await rekeyed();
    const admin = parseEpochRecord(makeAdminRekey(world.session, 2).record);
    expect(ownerInForce([world.first])).toBe(world.owner.id);
    expect(ownerInForce([world.first, record])).toBe(world.owner.id);
    expect(ownerInForce([world.first, record, admin])).toBeNull();
  });

  test("cannot be told from records with a gap", async () => {
    const { record } = await rekeyed();
    expect(await outcome(() => ownerInForce([record]))).toEqual({ error: "epoch_order" });
  });
});

test("a full secret gives way to none, a held full one to no view one, and can be dropped", () => {
  const world = new World();
  const keyring = new Keyring();
  keyring.add(world.keys);
  keyring.add(EpochKeys.checked(world.first, { kind: "view", secret: linkOf(world.keys, "view") }));
  expect(keyring.get(1)?.kind).toBe("full");
  keyring.get(1)?.dropFull();
  expect(keyring.get(1)?.kind).toBe("view");
  expect(world.keys.certificate(world.owner.id)).toBeNull();
});

function linkOf(keys: EpochKeys, kind: "full" | "view") {
  const link = keys.linkSecret(kind);
  if (link === null) throw new Error("no such link");
  return link.secret;
}
