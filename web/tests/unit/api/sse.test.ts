// The text of server-sent events, by the parsing rules of the HTML standard.
import { describe, expect, test } from "vitest";
import { EventParser, EventTooLarge, type ServerEvent } from "../../../src/api/sse";

const encode = (text: string) => new TextEncoder().encode(text);

function parsed(...pieces: readonly (string | Uint8Array)[]): readonly ServerEvent[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(typeof piece === "string" ? encode(piece) : piece));
}

describe("events", () => {
  test("have a name, data and an id, in any order", () => {
    expect(parsed("id: 7\nevent: record\ndata: {}\n\n")).toEqual([{ event: "record", data: "{}", id: "7" }]);
    expect(parsed("data: {}\nid: 7\nevent: record\n\n")).toEqual([{ event: "record", data: "{}", id: "7" }]);
  });

  test("without a name are messages; the id of the last stays", () => {
    expect(parsed("id: 1\ndata: a\n\ndata: b\n\n")).toEqual([
      { event: "message", data: "a", id: "1" },
      { event: "message", data: "b", id: "1" },
    ]);
  });

  test("have lines of data joined, and one space after the colon taken away", () => {
    expect(parsed("data:  one\ndata:two\ndata\ndata: \n\n")[0]?.data).toBe(" one\ntwo\n\n");
  });

  test("without data are none, and their name is forgotten", () => {
    expect(parsed("event: state\n\ndata: x\n\n")).toEqual([{ event: "message", data: "x", id: null }]);
  });

  test("that are not complete are none", () => {
    expect(parsed("data: x\n")).toEqual([]);
  });

  test("ignore comments, fields that nobody knows, and an id with a zero", () => {
    expect(parsed(":\n\n: note\nretry: 5\nfoo: bar\nid: a\0b\ndata: x\n\n")).toEqual([
      { event: "message", data: "x", id: null },
    ]);
  });
});

describe("lines", () => {
  test.each(["\n", "\r\n", "\r"])("end in %j", (end) => {
    const text = ["event: a", "data: 1", "", "event: b", "data: 2", "", ""].join(end);
    expect(parsed(text).map(({ event }) => event)).toEqual(["a", "b"]);
  });

  test("may be cut at any byte", () => {
    const bytes = encode("\uFEFFid: 3\r\nevent: rec\r\ndata: ä😀\r\n\r\n:\r\n\r\ndata: b\r\n\r\n");
    const whole = [
      { event: "rec", data: "ä😀", id: "3" },
      { event: "message", data: "b", id: "3" },
    ];
    for (let at = 0; at <= bytes.length; at++) {
      expect(parsed(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
    }
    expect(parsed(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test("begin after a byte order mark, at the start alone", () => {
    expect(parsed("\uFEFFdata: a\n\n\uFEFFdata: b\n\n")).toEqual([{ event: "message", data: "a", id: null }]);
  });
});

test("what has no end is not gathered for ever", () => {
  const parser = new EventParser();
  const piece = encode("x".repeat(600_000));
  parser.push(encode("data: "));
  parser.push(piece);
  expect(() => parser.push(piece)).toThrow(EventTooLarge);
});
