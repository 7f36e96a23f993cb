// A browser that keeps nothing: the page works, and says what that means; the link is not thrown away before it is held.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import App from "../../src/page/App.svelte";
import { Clock } from "../../src/page/clock.svelte";
import { Double, NOW } from "./support/double";

const opening = vi.hoisted(() => ({ open: (_address: string): unknown => undefined }));
vi.mock("../../src/session/session", () => ({ openSession: (address: string) => opening.open(address) }));

const fleeting = "Your browser keeps nothing for this page.";

test("at the door and in the seat one sentence says so, and can be put away", async () => {
  const session = new Double({ phase: { kind: "door", capability: "full" }, fleeting });
  render(App, { session, clock: new Clock(() => NOW) });
  expect(screen.getByRole("alert")).toHaveTextContent(fleeting);
  expect(screen.queryByText(/A reload is the same participant/)).toBeNull();
  expect(screen.getByText(/keeps it until you close or reload it/)).toBeVisible();
  session.show({ phase: { kind: "seated" } });
  await tick();
  expect(screen.getByText(fleeting)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByText(fleeting)).toBeNull();
});

const ADDRESS = `/s/${"0".repeat(32)}`;
beforeEach(() => {
  history.replaceState(null, "", `${ADDRESS}#dp1fTOKEN`);
  document.body.innerHTML = '<div id="app"></div>';
  vi.resetModules();
});
afterEach(() => history.replaceState(null, "", "/"));

test("the link leaves the address bar before anything is drawn", async () => {
  opening.open = (address) => {
    expect(address).toContain("#dp1fTOKEN");
    const session = new Double({ phase: { kind: "door", capability: "full" } });
    session.subscribe = () => {
      expect(location.hash).toBe("");
      return () => undefined;
    };
    return session;
  };
  await import("../../src/main");
  expect([location.pathname, location.hash]).toEqual([ADDRESS, ""]);
  expect(screen.getByRole("button", { name: "Join" })).toBeVisible();
});

test("and stays in it where the page could not take it up", async () => {
  opening.open = () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  await expect(import("../../src/main")).rejects.toThrow("insecure");
  expect(location.hash).toBe("#dp1fTOKEN");
});
