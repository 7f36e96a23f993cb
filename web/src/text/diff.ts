// Unified diffs: told apart from other text, and each line by its sign.

export type DiffLine = { kind: "added" | "removed" | "hunk" | "file" | "same"; text: string };

/** Whether a diff begins at this line, outside of any fence. */
export function diffBegins(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (/^diff --git \S/.test(line)) return true;
  return /^--- \S/.test(line) && /^\+\+\+ \S/.test(lines[at + 1] ?? "") && /^@@ /.test(lines[at + 2] ?? "");
}

/** The line after the last one that can belong to the diff that begins at `at`. */
export function diffEnds(lines: readonly string[], at: number): number {
  let end = at + 1;
  while (
    end < lines.length &&
    /^(?:[-+ @\\]|diff |index |new file|deleted file|similarity|rename |old mode|new mode)/.test(
      lines[end] ?? "",
    )
  ) {
    end += 1;
  }
  return end;
}

/** Each line of a diff with what it does; the sign stays in the text. */
export function diffLines(text: string): DiffLine[] {
  let inHunk = false;
  return text.split("\n").map((line): DiffLine => {
    if (line.startsWith("@@")) {
      inHunk = true;
      return { kind: "hunk", text: line };
    }
    if (/^(?:diff |index |new file|deleted file|similarity|rename |old mode|new mode)/.test(line)) {
      inHunk = false;
      return { kind: "file", text: line };
    }
    if (!inHunk && /^(?:---|\+\+\+) /.test(line)) return { kind: "file", text: line };
    if (line.startsWith("+")) return { kind: "added", text: line };
    if (line.startsWith("-")) return { kind: "removed", text: line };
    return { kind: "same", text: line };
  });
}
