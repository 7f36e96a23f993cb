// The rooms of the page depend on each other one way, and what reaches the outside stands in few files (docs/architecture.md).
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const SOURCES = new URL("../../src", import.meta.url).pathname;

/** What each room may use beside itself. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  seal: [],
  api: [],
  session: ["seal", "api"],
  text: ["seal"],
  page: ["session", "text"],
};

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
}

const sources: readonly Source[] = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(?:ts|svelte)$/.test(path))
  .map((path) => ({
    path,
    room: path.split("/")[0] ?? "",
    text: readFileSync(join(SOURCES, path), "utf8"),
  }));

/** The rooms that a file imports from, at once or on demand. */
function used({ path, text }: Source): readonly string[] {
  const named = [...text.matchAll(/(?:from|import\()\s*"(\.[^"]*)"/g)].map(([, target = ""]) => target);
  return named.map((target) => relative(SOURCES, join(SOURCES, path, "..", target)).split("/")[0] ?? "");
}

test("each room uses only what it may", () => {
  const rooms = sources.filter(({ room }) => room in MAY);
  expect(new Set(rooms.map(({ room }) => room))).toEqual(new Set(Object.keys(MAY)));
  const wrong = rooms.flatMap((source) =>
    used(source)
      .filter((room) => room !== source.room && !MAY[source.room]?.includes(room))
      .map((room) => `${source.path} uses ${room}`),
  );
  expect(wrong).toEqual([]);
});

test("no source turns text into markup, and two files alone call out: the client, by what the browser's file gives it", () => {
  const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\{@html|\beval\(|new Function\(/;
  expect(sources.filter(({ text }) => markup.test(text)).map(({ path }) => path)).toEqual([]);
  const calling = /\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon/;
  const callers = sources.filter(({ path, text }) => calling.test(text) && !path.endsWith(".d.ts"));
  expect(callers.map(({ path }) => path)).toEqual(["api/client.ts", "session/browser.ts"]);
});

test("HPKE is loaded when it is needed, and by nothing at once", () => {
  const users = sources.filter(({ text }) => text.includes('from "@hpke/'));
  expect(users.map(({ path }) => path)).toEqual(["seal/hpke.ts"]);
  const atOnce = /^import (?!type )[^;]*"\.{1,2}\/(?:[a-z]+\/)*hpke"/m;
  expect(sources.filter(({ text }) => atOnce.test(text)).map(({ path }) => path)).toEqual([]);
});
