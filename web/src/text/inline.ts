// One paragraph into pieces: text, code, emphasis, addresses. A single pass over bounded patterns, so that no text
// makes it go back and forth.
import { type Address, address, trimmed } from "./address";
import { ADDRESS_MAX, LINK_PIECES, SPAN_MAX } from "./limits";

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong"; text: string }
  | { kind: "emphasis"; text: string }
  | { kind: "link"; text: string; to: Address };

const PIECE = new RegExp(
  [
    `(?<!\`)(?<fence>\`{1,2})(?!\`)(?<code>[^\`\\n]{1,${SPAN_MAX}})\\k<fence>(?!\`)`,
    `\\*\\*(?=\\S)(?<strong>[^*\\n]{1,${SPAN_MAX}})(?<=\\S)\\*\\*`,
    `(?<![\\w*])\\*(?=[^\\s*])(?<emphasis>[^*\\n]{1,${SPAN_MAX}})(?<=\\S)\\*(?![\\w*])`,
    `(?<!!)\\[(?<label>[^[\\]\\n]{1,${SPAN_MAX}})\\]\\((?<target>https?://[^\\s()<>"]{1,${ADDRESS_MAX}})\\)`,
    `(?<![\\w/])(?<bare>https?://[^\\s<>"\`]{1,${ADDRESS_MAX}})`,
  ].join("|"),
  "giu",
);

/** How many pieces a message may still be cut into; what takes one counts it here. */
export interface Budget {
  left: number;
}

/**
 * The pieces of a paragraph, in order; joined they say what was written, less the signs that made them. Once the budget is
 * used up the rest is one piece, as it was written.
 */
export function inline(text: string, budget: Budget = { left: Infinity }): Inline[] {
  const pieces: Inline[] = [];
  let from = 0;
  const plain = (until: number) => {
    if (until <= from) return;
    pieces.push({ kind: "text", text: text.slice(from, until) });
    budget.left -= 1;
  };
  PIECE.lastIndex = 0;
  for (let hit = PIECE.exec(text); hit !== null && budget.left > 0; hit = PIECE.exec(text)) {
    const found = piece(hit.groups ?? {});
    if (found === undefined) continue;
    plain(hit.index);
    pieces.push(found.piece);
    budget.left -= found.piece.kind === "link" ? LINK_PIECES : 1;
    from = hit.index + (found.length ?? hit[0].length);
    PIECE.lastIndex = from;
  }
  plain(text.length);
  return pieces;
}

type Groups = Record<string, string | undefined>;

function piece(groups: Groups): { piece: Inline; length?: number } | undefined {
  const { code, strong, emphasis, label, target, bare } = groups;
  if (code !== undefined) return { piece: { kind: "code", text: code } };
  if (strong !== undefined) return { piece: { kind: "strong", text: strong } };
  if (emphasis !== undefined) return { piece: { kind: "emphasis", text: emphasis } };
  if (label !== undefined && target !== undefined) {
    const to = address(target);
    return to && { piece: { kind: "link", text: label, to } };
  }
  if (bare !== undefined) {
    const written = trimmed(bare);
    const to = address(written);
    return to && { piece: { kind: "link", text: written, to }, length: written.length };
  }
  return undefined;
}
