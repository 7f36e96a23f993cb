// The forms that the vectors leave out: records as the plane serves them, limits of JSON, exposed links, files read chunk
// by chunk, heads to compare, and the hostile texts, which seal and open as they are.
import { describe, expect, test } from "vitest";
import { AttachmentOpening } from "../../../src/seal/attachment";
import { advice } from "../../../src/seal/advice";
import { utf8 } from "../../../src/seal/bytes";
import { SEAL_ERRORS } from "../../../src/seal/error";
import { drawId } from "../../../src/seal/ids";
import { parseObject, writeObject, type JsonObject } from "../../../src/seal/json";
import { findLink } from "../../../src/seal/link/find";
import { formatLink } from "../../../src/seal/link/link";
import { isExposed, redact } from "../../../src/seal/link/redact";
import { openMessage, sealMessage } from "../../../src/seal/message";
import { Secret } from "../../../src/seal/secret";
import { headText } from "../../../src/seal/transcript/chain";
import { fromWire } from "../../../src/seal/transcript/raw";
import { bytes, outcome, read, vectors } from "../../vectors/support";
import { World } from "./world";

describe("a record of the plane", () => {
  const id = "3b812e41-fcab-4090-9c82-8a00be346c4a";
  const message = { seq: 4, epoch: 1, class: "message", sender: id, item_id: id, sealed: "AQ" };
  const notice = { seq: 4, epoch: 1, class: "notice", body: "{}" };

  test("is taken with absent and null alike", () => {
    expect(fromWire({ ...message, body: null, signal: "done" })).toEqual(
      expect.objectContaining({ class: 1, sender: id, item: id, body: Uint8Array.of(1) }),
    );
    expect(fromWire({ ...notice, sender: null })).toMatchObject({ class: 2, sender: null, item: null });
  });

  test.each([
    ["without its body", { ...message, sealed: null }],
    ["with the body of another class", { ...message, body: "{}" }],
    ["of another class than its body", { ...notice, class: "message" }],
    ["of an unknown class", { ...notice, class: "toString" }],
    ["a notice with a signal", { ...notice, signal: "done" }],
    ["with a misspelled id", { ...message, sender: id.toUpperCase() }],
    ["with misspelled bytes", { ...message, sealed: "AR" }],
  ])("is refused %s", async (_, record) => {
    expect(await outcome(() => fromWire(record))).toEqual({ error: "bad_record" });
  });
});

describe("json", () => {
  const nested = (depth: number): string => `{"a":`.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);

  test("is read to a depth of 127 and no further", async () => {
    expect(parseObject(utf8(nested(127)))).toHaveProperty("a");
    expect(await outcome(() => parseObject(utf8(nested(128))))).toEqual({ error: "bad_content" });
    expect(await outcome(() => parseObject(utf8(nested(40_000))))).toEqual({ error: "bad_content" });
  });

  test("is written to a depth of 16 and no further", async () => {
    const object = (depth: number): JsonObject => JSON.parse(nested(depth)) as JsonObject;
    expect(writeObject(object(16)).length).toBe(nested(16).length);
    expect(await outcome(() => writeObject(object(17)))).toEqual({ error: "bad_content" });
  });

  test("takes the last of equal names, and names of the language as any other", () => {
    expect(parseObject(utf8('{"a":1,"a":2}'))).toEqual({ a: 2 });
    expect(Object.keys(parseObject(utf8('{"__proto__":{"a":1}}')))).toEqual(["__proto__"]);
  });

  test("refuses a lone surrogate in a name", async () => {
    expect(await outcome(() => parseObject(utf8('{"\\ud800":1}')))).toEqual({ error: "bad_content" });
  });

  test("is not written where no reader would take it", async () => {
    expect(await outcome(() => writeObject({ text: "\ud800" }))).toEqual({ error: "bad_content" });
    expect(await outcome(() => writeObject({ n: Number.POSITIVE_INFINITY }))).toEqual({
      error: "bad_content",
    });
  });
});

describe("messages", () => {
  const world = new World();
  const head = { seq: 0, hash: new Uint8Array(32) };
  const seal = (content: JsonObject) => sealMessage(world.keys, world.owner, drawId(), { head, content });

  test("need a kind, and end at 257,940 bytes of JSON", async () => {
    const filled = (length: number) => ({
      kind: "chat",
      text: "x".repeat(length - '{"kind":"chat","text":""}'.length),
    });
    expect(await outcome(() => seal({ text: "no kind" }))).toEqual({ error: "bad_content" });
    expect(seal(filled(257_940)).length).toBe(258_089);
    expect(await outcome(() => seal(filled(257_941)))).toEqual({ error: "too_large" });
  });
});

describe("a link", () => {
  const link = {
    origin: "https://plane.example",
    kind: "full",
    session: drawId<"session">(),
    epoch: 1,
    secret: Secret.draw(),
  } as const;
  const text = formatLink(link);

  test("is exposed when its token stands before the fragment", () => {
    expect(isExposed(text)).toBe(false);
    expect(isExposed(text.replace("#", "%23"))).toBe(true);
    expect(isExposed(text.replace("#", "?"))).toBe(true);
  });

  test("is found again in what is written", () => {
    const { secret, ...rest } = findLink(`Join: ${text}.`);
    expect({ ...rest, secret: secret.expose() }).toEqual({ ...link, secret: link.secret.expose() });
  });
});

test("a file is opened chunk by chunk, and given only when it is whole", async () => {
  const [row] = vectors.attachments.good.filter(({ chunks, size }) => chunks !== undefined && size > 0);
  if (row === undefined) throw new Error("no such row");
  const offer = { key: bytes(row.key), size: row.size, digest: bytes(row.digest) };
  const opening = new AttachmentOpening(offer);
  expect(await outcome(() => opening.finish().length)).toEqual({ error: "attach_size" });
  for (const chunk of row.chunks ?? []) opening.take(bytes(chunk));
  expect(opening.finish().length).toBe(row.size);
  expect(await outcome(() => opening.take(bytes(row.chunks?.[0] ?? "")))).toEqual({ error: "attach_size" });
});

test("a head is compared as its seq and 32 hex digits in groups of four", () => {
  const hash = Uint8Array.from({ length: 32 }, (_, index) => index);
  expect(headText({ seq: 12, hash })).toBe("12 0001 0203 0405 0607 0809 0a0b 0c0d 0e0f");
});

test("every error has its advice, a sentence that says no name of the program", () => {
  for (const code of SEAL_ERRORS) {
    expect(advice[code]).toMatch(/^[A-Z].*\.$/);
    expect(advice[code]).not.toContain("_");
  }
});

describe("hostile texts", () => {
  interface Hostile {
    readonly name: string;
    readonly text?: string;
    readonly repeat?: string;
    readonly count?: number;
  }
  const world = new World();
  const author = { key: world.owner.keys.verification, mayWrite: true };
  const textOf = ({ text, repeat = "", count = 0 }: Hostile): string => text ?? repeat.repeat(count);

  test.each(read<readonly Hostile[]>("hostile.json"))("$name", async (hostile) => {
    // The longest do not fit into one message; what they are made of does.
    const text = textOf(hostile).slice(0, 20_000).toWellFormed();
    const id = drawId<"message">();
    const content = { kind: "chat", text };
    const sealed = sealMessage(world.keys, world.owner, id, {
      head: { seq: 0, hash: new Uint8Array(32) },
      content,
    });
    expect((await openMessage(world.keys, author, world.owner.id, id, sealed)).content).toEqual(content);
    expect(redact(text)).not.toMatch(/dp1[fv][a-z2-7]{16}/i);
    // Whatever the text, there is an answer, and it is one of section 14.
    const found = await outcome(() => findLink(text).origin);
    if ("error" in found) expect(SEAL_ERRORS).toContain(found.error);
  });
});

test.each([16, 17, 40, 63])("of a token whose rest behind symbol %i is encoded nothing is left", (plain) => {
  const token = "abcdefgh".repeat(8);
  const encoded = [...token.slice(plain)].map((symbol) => `%${symbol.charCodeAt(0).toString(16)}`).join("");
  expect(redact(`see dp1f${token.slice(0, plain)}${encoded}, please`)).toBe(
    "see [session link withheld], please",
  );
  const mixed = `${token.slice(0, plain)}${encoded.slice(0, 3)}${token.slice(plain + 1)}`;
  expect(redact(`see #dp1v${mixed} now`)).toBe("see #[session link withheld] now");
});

test("of two tokens without anything between them nothing is left", () => {
  const token = "a2".repeat(32);
  const text = redact(`dp1f${token}dp1v${token}`);
  expect(text).toBe("[session link withheld][session link withheld]");
});
