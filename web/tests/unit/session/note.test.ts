// The note, word for word as the installed client freezes it in files.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { noteText } from "../../../src/session/note";

function golden(name: string): string {
  const file = new URL(`../../../../mcp-client/src/note/golden/${name}.txt`, import.meta.url);
  // The page does not know whom a note is for.
  return readFileSync(file, "utf8").replace("with you, Sam:", "with you:");
}

const NOTE = {
  from: "Ana",
  title: "Fix the login race",
  expiresAt: Date.parse("2026-12-30T09:00:00Z"),
  origin: "https://plane.example",
  viewOnly: false,
  link: "https://plane.example/s/0123456789abcdef0123456789abcdef#dp1fTOKEN",
};

test.each([
  ["full", NOTE, "npx -y @devpilot.sh/mcp-session"],
  [
    "loopback",
    {
      ...NOTE,
      origin: "http://127.0.0.1:8787",
      link: NOTE.link.replace("https://plane.example", "http://127.0.0.1:8787"),
    },
    "npx -y @devpilot.sh/mcp-session",
  ],
  ["view", { ...NOTE, viewOnly: true }, "devpilot-session"],
])("%s", (name, note, command) => {
  expect(noteText(note, command)).toBe(golden(name));
});
