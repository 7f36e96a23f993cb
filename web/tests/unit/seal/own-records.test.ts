// What a participant sent against what the plane shows (crypto.md sections 9.2 and 9.4): over posts, re-reads, reloads.
import { describe, expect, test } from "vitest";
import { drawId } from "../../../src/seal/ids";
import { Transcript, type Checkpoint } from "../../../src/seal/transcript/transcript";
import { outcome } from "../../vectors/support";
import { at, raw, readAll, sealedOf, World } from "./world";

const mismatch = { error: "own_record_mismatch" };

async function joined(kept: ConstructorParameters<typeof Transcript>[1] = null) {
  const world = new World();
  const reader = world.reader(world.owner);
  const transcript = new Transcript(world.session, kept);
  await readAll(transcript, world, reader);
  return { world, reader, transcript };
}

/** As after `joined`, with one message sent and appended by the plane, not yet read. */
async function sent() {
  const { world, reader, transcript } = await joined();
  const id = drawId<"message">();
  const record = world.says(world.owner, transcript.head, id);
  transcript.sending(id, 1, sealedOf(record));
  return { world, reader, transcript, id, record };
}

describe("a message of one's own", () => {
  test("is accepted as it was sent, and confirms the history", async () => {
    const { world, reader, transcript, id } = await sent();
    transcript.posted(id, 4);
    expect(transcript.headForWriting()).toBeNull();
    const [result] = await readAll(transcript, world, reader);
    expect(result).toMatchObject({ type: "message", standing: { type: "confirmed", upTo: 3 } });
    expect(transcript.isOwn(id)).toBe(true);
    expect(transcript.headForWriting()?.seq).toBe(4);
  });

  test("is accepted before its answer, which must then name the same seq", async () => {
    const { world, reader, transcript, id } = await sent();
    await readAll(transcript, world, reader);
    transcript.posted(id, 4);
    expect(await outcome(() => transcript.posted(id, 5))).toEqual(mismatch);
  });

  test("that was never sent does not enter", async () => {
    const { world, reader, transcript } = await joined();
    world.says(world.owner, transcript.head);
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual(mismatch);
    expect(transcript.head.seq).toBe(3);
  });

  test("with other bytes than were sent does not enter", async () => {
    const { world, reader, transcript } = await joined();
    const id = drawId<"message">();
    const before = world.says(world.owner, transcript.head, id);
    world.records.pop();
    transcript.sending(id, 1, sealedOf(before));
    world.says(world.owner, transcript.head, id);
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual(mismatch);
  });

  test("in another epoch than it was sealed for does not enter", async () => {
    const { world, reader, transcript } = await joined();
    const id = drawId<"message">();
    const record = world.says(world.owner, transcript.head, id);
    transcript.sending(id, 2, sealedOf(record));
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual(mismatch);
  });

  test("at another seq than the plane answered does not enter", async () => {
    const { world, reader, transcript, id } = await sent();
    transcript.posted(id, 5);
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual(mismatch);
  });

  test("leaves its seq to nobody else", async () => {
    const { world, reader, transcript } = await joined();
    const id = drawId<"message">();
    transcript.sending(id, 1, new Uint8Array(553));
    transcript.posted(id, 4);
    world.says(world.other, transcript.head);
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual(mismatch);
  });

  test("answered with a seq that was read already is a mismatch", async () => {
    const { transcript, id } = await sent();
    expect(await outcome(() => transcript.posted(id, 3))).toEqual(mismatch);
  });

  test("that was never sent has no answer", async () => {
    const { transcript } = await joined();
    expect(await outcome(() => transcript.posted(drawId(), 4))).toEqual(mismatch);
  });

  test("is not sent again once it stands", async () => {
    const { world, reader, transcript, id, record } = await sent();
    await readAll(transcript, world, reader);
    expect(await outcome(() => transcript.sending(id, 1, sealedOf(record)))).toEqual({ error: "replay" });
  });

  test("that was withdrawn must not appear", async () => {
    const { world, reader, transcript, id } = await sent();
    transcript.withdraw(id);
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual(mismatch);
  });
});

describe("read once more", () => {
  test("the same record passes", async () => {
    const { world, reader, transcript } = await sent();
    await readAll(transcript, world, reader);
    for (const record of world.records) transcript.recheck(raw(record));
  });

  test("another in the place of one's own is a mismatch, of another's a rollback", async () => {
    const { world, reader, transcript } = await sent();
    await readAll(transcript, world, reader);
    const own = raw(at(world.records, 3));
    const event = raw(at(world.records, 2));
    expect(await outcome(() => transcript.recheck({ ...own, body: event.body }))).toEqual(mismatch);
    expect(await outcome(() => transcript.recheck({ ...event, body: own.body }))).toEqual({
      error: "rollback",
    });
  });
});

describe("after a reload", () => {
  async function reloaded() {
    const before = await sent();
    await readAll(before.transcript, before.world, before.reader);
    const kept = before.transcript.kept();
    // It goes through the tab's store as text.
    const stored = JSON.parse(JSON.stringify(kept)) as typeof kept;
    const { world } = before;
    return {
      world,
      reader: world.reader(world.owner),
      transcript: new Transcript(world.session, stored),
      kept,
    };
  }

  test("the same history leads to the same head, and until then nothing is written", async () => {
    const { world, reader, transcript, kept } = await reloaded();
    await transcript.accept(raw(at(world.records, 0)), reader);
    expect(transcript.headForWriting()).toBeNull();
    expect(transcript.kept()).toEqual(kept);
    await readAll(transcript, world, reader);
    expect(transcript.headForWriting()?.seq).toBe(4);
    expect(transcript.kept()).toEqual(kept);
  });

  test("another history is a rollback at the head that was kept", async () => {
    const { world, reader, transcript } = await reloaded();
    world.records.splice(2, 1, { ...at(world.records, 2), body: '{"event":"left"}' });
    expect(await outcome(() => readAll(transcript, world, reader))).toEqual({ error: "rollback" });
    expect(transcript.head.seq).toBe(3);
  });

  test("a plane that has less is a rollback", async () => {
    const { transcript } = await reloaded();
    expect(await outcome(() => transcript.checkPlaneHead(3))).toEqual({ error: "rollback" });
    transcript.checkPlaneHead(4);
  });

  test("a checkpoint at the head that was kept must be that head", async () => {
    const { world, reader, transcript, kept } = await reloaded();
    const at4 = checkpointAt(world, 4, new Uint8Array(32));
    expect(await outcome(() => transcript.skipTo(at4, reader.keys))).toEqual({ error: "rollback" });
    expect(kept.seq).toBe(4);
  });

  test("a checkpoint after it takes its place, and one's own messages before it count as read", async () => {
    const { world, reader, transcript } = await reloaded();
    expect(transcript.skipTo(checkpointAt(world, 9, new Uint8Array(32)), reader.keys)).toBe(true);
    expect(transcript.headForWriting()?.seq).toBe(9);
  });
});

function checkpointAt(world: World, seq: number, hash: Checkpoint["hash"]): Checkpoint {
  return { seq, hash, epochRecord: world.first.bytes };
}
