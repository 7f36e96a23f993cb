// Every hostile text of the shared list, drawn as a message: it makes no element but those that text may become, and
// nothing that runs, loads or leads elsewhere.
import { render, screen, waitFor } from "@testing-library/svelte";
import { expect, test } from "vitest";
import hostile from "../../../seal/vectors/hostile.json";
import Text from "../../src/text/Text.svelte";

const ALLOWED = new Set(
  "A BLOCKQUOTE BUTTON CODE DIV EM FIGCAPTION FIGURE HR LI OL P PRE SPAN STRONG UL".split(" "),
);
const ATTRIBUTES = new Set("class dir href target rel tabindex role aria-label value type".split(" "));
const HIDDEN =
  /[^\P{Cc}\n\t]|\p{Default_Ignorable_Code_Point}|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;

interface Hostile {
  name: string;
  text?: string;
  repeat?: string;
  count?: number;
}

const textOf = ({ text, repeat, count }: Hostile) => text ?? (repeat ?? "").repeat(Number(count ?? 0));

/** Each also where it could break out of what stands around it. */
const FRAMES: readonly [string, (text: string) => string][] = [
  ["alone", (text) => text],
  ["in a fence", (text) => `\`\`\`html\n${text}\n\`\`\``],
  ["in a list", (text) => `- ${text}`],
  ["in a diff", (text) => `\`\`\`diff\n+${text}\n\`\`\``],
  ["as the words of a link", (text) => `[${text}](https://a.example/)`],
];

test.each(
  FRAMES.flatMap(([frame, wrap]) =>
    (hostile as Hostile[]).map((one) => [one.name, frame, wrap(textOf(one))] as const),
  ),
)("%s, %s", (_, __, text) => {
  const { container } = render(Text, { text });
  const elements = [...container.querySelectorAll("*")];
  expect(elements.length).toBeLessThan(5_000);
  for (const element of elements) {
    expect(ALLOWED, element.tagName).toContain(element.tagName);
    for (const { name } of element.attributes)
      expect(ATTRIBUTES, `${element.tagName} ${name}`).toContain(name);
  }
  for (const link of container.querySelectorAll("a")) {
    const url = new URL(link.href);
    expect(["http:", "https:"]).toContain(url.protocol);
    expect(url.username).toBe("");
    expect(link.href).not.toMatch(/dp1[fv]/i);
    expect(link).toHaveAttribute("rel", "noopener noreferrer nofollow");
    expect(link).toHaveAttribute("target", "_blank");
  }
  expect(container.textContent).not.toMatch(HIDDEN);
});

test("a link whose words name another host shows the one it leads to", () => {
  render(Text, { text: "[https://bank.example](https://evil.example/login)" });
  const link = screen.getByRole("link");
  expect(link).toHaveAttribute("href", "https://evil.example/login");
  expect(link.parentElement).toHaveTextContent("https://bank.example (evil.example)");
});

test("code is text first and the same text when it is coloured", async () => {
  const code = 'const a = "<img src=x onerror=alert(1)>";';
  const { container } = render(Text, { text: `\`\`\`js\n${code}\n\`\`\`` });
  expect(container.querySelector("code")).toHaveTextContent(code);
  await waitFor(() =>
    expect(container.querySelector("code .string")).toHaveTextContent("<img src=x onerror=alert(1)>"),
  );
  expect(container.querySelector("code")).toHaveTextContent(code);
});

test("a diff keeps its signs", () => {
  const { container } = render(Text, { text: "```diff\n@@ -1 +1 @@\n-old\n+new\n```" });
  expect(container.querySelector(".removed")?.textContent).toBe("-old\n");
  expect(container.querySelector(".added")?.textContent).toBe("+new\n");
});

test("a long message is shown in parts", async () => {
  const text = Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n");
  const { container } = render(Text, { text });
  expect(container).not.toHaveTextContent("line 199");
  const more = () => screen.queryByRole("button", { name: /Show more/ });
  while (more() !== null) {
    more()?.click();
    await Promise.resolve();
  }
  expect(container).toHaveTextContent("line 199");
});
