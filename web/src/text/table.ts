// The lines of a table into cells. Pure.
import { type Budget, type Inline, inline } from "./inline";
import { TABLE_CELLS_MAX } from "./limits";

export interface Table {
  head: Inline[][];
  rows: Inline[][][];
}

const EDGE = /^\s*\||\|\s*$/g;
const BETWEEN = /(?<!\\)\|/;
const DASHES = /^\s*:?-+:?\s*$/;

const cells = (line: string): string[] => line.replace(EDGE, "").split(BETWEEN);

/** Undefined for what is better shown as it was written: no line of dashes, or too much of it. */
export function table(lines: readonly string[], budget: Budget): Table | undefined {
  const split = lines.map(cells);
  const [head, dashes, ...rows] = split;
  if (head === undefined || dashes === undefined || !dashes.every((cell) => DASHES.test(cell)))
    return undefined;
  if (split.reduce((sum, row) => sum + row.length, 0) > Math.min(TABLE_CELLS_MAX, budget.left))
    return undefined;
  const pieces = (row: readonly string[]) =>
    row.map((cell) => inline(cell.trim().replaceAll("\\|", "|"), budget));
  return { head: pieces(head), rows: rows.map(pieces) };
}
