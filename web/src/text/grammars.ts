// The highlighting library and its grammars, made into flat tokens. Loaded by highlight.ts alone.
import type { Element, ElementContent, RootContent } from "hast";
import { common, createLowlight } from "lowlight";
import type { Token } from "./highlight";

const lowlight = createLowlight(common);

/** Their many classes, as the few that the page has colours for. */
const PARTS: Readonly<Record<string, string>> = {
  comment: "comment",
  quote: "comment",
  keyword: "keyword",
  "selector-tag": "keyword",
  built_in: "type",
  type: "type",
  class: "type",
  title: "name",
  section: "name",
  "selector-class": "name",
  "selector-id": "name",
  string: "string",
  regexp: "string",
  char: "string",
  symbol: "string",
  number: "number",
  literal: "number",
  attr: "attribute",
  attribute: "attribute",
  property: "attribute",
  meta: "meta",
  tag: "meta",
  name: "keyword",
  addition: "string",
  deletion: "keyword",
};

/** The tokens of `text`; undefined for a language that is not known. */
export function colour(language: string, text: string): Token[] | undefined {
  if (!lowlight.registered(language)) return undefined;
  const tokens: Token[] = [];
  for (const node of lowlight.highlight(language, text).children) flatten(node, undefined, tokens);
  return tokens;
}

function flatten(node: RootContent | ElementContent, part: string | undefined, tokens: Token[]): void {
  if (node.type === "text") {
    const last = tokens.at(-1);
    if (last !== undefined && last.part === part) last.text += node.value;
    else tokens.push(part === undefined ? { text: node.value } : { text: node.value, part });
  } else if (node.type === "element") {
    const own = partOf(node) ?? part;
    for (const child of node.children) flatten(child, own, tokens);
  }
}

function partOf(element: Element): string | undefined {
  const names = element.properties["className"];
  if (!Array.isArray(names)) return undefined;
  for (const name of names) {
    const part = PARTS[String(name).replace(/^hljs-/, "")];
    if (part !== undefined) return part;
  }
  return undefined;
}
