// Group `transcript`: whole histories, honest and not. Only content keys are given, so the check of section 5 is left
// out; the posting key of an epoch is that of its record.
import { describe, expect, test } from "vitest";
import { parseEpochRecord, type EpochRecord } from "../../src/seal/epoch-record";
import { Keyring, type HeldKeys } from "../../src/seal/keys";
import { Roster } from "../../src/seal/roster";
import type { Reader } from "../../src/seal/transcript/admission";
import type { Outcome } from "../../src/seal/transcript/outcome";
import { CLASS, type RawRecord } from "../../src/seal/transcript/raw";
import { Transcript } from "../../src/seal/transcript/transcript";
import type { Expected, TranscriptCase } from "./shapes";
import { bytes, expectDistinct, hex, id, key, maybeId, outcome, vectors } from "./support";

describe("transcript", () => {
  test("every case has a name of its own", () => {
    expectDistinct(vectors.transcript.map(({ name }) => name));
  });

  test.each(vectors.transcript)("$name", async (wanted) => {
    const reader: Reader = { keys: new Keyring(), roster: new Roster(), me: null };
    const transcript = start(wanted, reader);
    const results: unknown[] = [];
    for (const row of wanted.records) results.push(await step(transcript, rawOf(row), reader, wanted));

    expect(results).toEqual(wanted.expect.map(plain));
    expect({ seq: transcript.head.seq, hash: hex(transcript.head.hash) }).toEqual({
      seq: wanted.head_seq,
      hash: wanted.head_hash,
    });
    const confirmed = Object.entries(wanted.confirmed).map(([participant, seq]) => [id(participant), seq]);
    expect([...transcript.confirmed].sort()).toEqual(confirmed.sort());
  });
});

function start(wanted: TranscriptCase, reader: Reader): Transcript {
  const transcript = new Transcript(id(wanted.session));
  if (wanted.checkpoint === undefined) return transcript;
  const { seq, hash, epoch_record: record } = wanted.checkpoint;
  transcript.skipTo({ seq, hash: bytes(hash), epochRecord: bytes(record) }, reader.keys);
  learnKey(parseEpochRecord(bytes(record)), reader, wanted);
  return transcript;
}

async function step(
  transcript: Transcript,
  record: RawRecord,
  reader: Reader,
  wanted: TranscriptCase,
): Promise<unknown> {
  if (transcript.needsProfiles(record, reader)) {
    for (const { participant, epoch, sealed_profile: sealed } of wanted.participants) {
      await reader.roster.learn(reader.keys, id(participant), epoch, bytes(sealed));
    }
  }
  const result = await outcome(() => transcript.accept(record, reader));
  if ("error" in result) return result;
  if (record.class === CLASS.epoch) learnKey(parseEpochRecord(record.body), reader, wanted);
  return { ...statusOf(result.ok), chain: hex(transcript.head.hash) };
}

function learnKey(record: EpochRecord, { keys }: Reader, wanted: TranscriptCase): void {
  const contentKey = wanted.content_keys[String(record.epoch)];
  if (contentKey === undefined) return;
  const held: HeldKeys = {
    session: record.session,
    epoch: record.epoch,
    contentKey: bytes(contentKey),
    postingKey: key(hex(record.commitments.postingKey)),
    kind: "view",
    checkRecord: () => undefined,
    linkSecret: () => null,
    dropFull: () => undefined,
  };
  keys.add(held);
}

/** The names of crypto.md section 18, with the text as a value. */
function statusOf(result: Outcome): { status: string; json?: unknown; profile?: string | null } {
  switch (result.type) {
    case "message": {
      const { standing, message } = result;
      const status = { confirmed: "ok", unchecked: "unchecked", differs: "" }[standing.type];
      return { status: standing.type === "differs" ? standing.code : status, json: message.content };
    }
    case "unreadable":
      return { status: result.code, json: null };
    case "member":
      return { status: "member", profile: result.learned };
    case "bad_member":
      return { status: "bad_member", profile: null };
    default:
      return { status: result.type, json: null };
  }
}

function plain(wanted: Expected): unknown {
  if ("error" in wanted || typeof wanted.json !== "string") return wanted;
  return { ...wanted, json: JSON.parse(wanted.json) as unknown };
}

function rawOf(row: TranscriptCase["records"][number]): RawRecord {
  return {
    seq: row.seq,
    epoch: row.epoch,
    class: row.class,
    sender: maybeId(row.sender),
    item: maybeId(row.item),
    body: bytes(row.body),
  };
}
