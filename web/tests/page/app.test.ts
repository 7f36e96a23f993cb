// The app mounts in a simulated page.
import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import App from "../../src/page/App.svelte";

test("the page has one main heading", () => {
  render(App);
  expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
});
