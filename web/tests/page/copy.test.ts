// A message and each block of code in it can be copied as it was written, also by who only reads.
import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import type { View } from "../../src/session/model";
import { article } from "./support/article";
import { Double, ME, message, NOW } from "./support/double";

async function open(more: Partial<View> = {}) {
  render(App, { session: new Double(more), clock: new Clock(() => NOW) });
  await tick();
}

const TEXT = "See **this**:\n\n```\nno language\n```\n\n```diff\n-a\n+b\n```";

test("as it was written, and its code alone, with and without a language, a diff as well", async () => {
  await open({ items: [message(3, TEXT)], canWrite: false, muted: "view_link" });
  const user = userEvent.setup();
  const written = vi.spyOn(navigator.clipboard, "writeText");
  const shown = within(article(3));
  await user.click(shown.getByRole("button", { name: "Copy message 3" }));
  for (const button of shown.getAllByRole("button", { name: "Copy the code" })) await user.click(button);
  expect(written.mock.calls).toEqual([[TEXT], ["no language"], ["-a\n+b"]]);
  expect(screen.getByText("Copied.")).toHaveAttribute("role", "status");
});

test("what can be pressed is no part of what a message says to those who hear it", async () => {
  await open({
    items: [
      message(3, TEXT, { mentionsYou: true, messageKind: "question", hidden: 2, paths: ["a.rs"] }),
      message(-1, "Mine", { author: ME, pending: "failed", refusal: "Too many." }),
    ],
  });
  const said = article(3);
  expect(said).toHaveAccessibleDescription(
    /^to you question See this:.*a\.rs.*2 hidden characters removed\.$/,
  );
  expect(said).not.toHaveAccessibleDescription(/Copy|Reply/);
  expect(article(-1)).toHaveAccessibleDescription(/^\s*Mine\s+Not sent\. Too many\.$/);
});

test("a browser that does not allow it is said", async () => {
  await open({ items: [message(3, TEXT)] });
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("no"));
  await user.click(screen.getByRole("button", { name: "Copy message 3" }));
  expect(await screen.findByText("Your browser did not allow copying.")).toHaveAttribute("role", "status");
});

test("one that is on its way has no such button", async () => {
  await open({ items: [message(-1, "Mine", { author: ME, pending: "sending" })] });
  expect(screen.queryByRole("button", { name: /Copy message/ })).toBeNull();
});
