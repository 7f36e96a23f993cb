// What the simulated page lacks and components need: boxes that have a size, a modal dialog, an observer of sizes.
import "@testing-library/jest-dom/vitest";
import { configure } from "@testing-library/svelte";
import "@testing-library/svelte/vitest";
import { afterEach, beforeAll, vi } from "vitest";
import { later } from "../../../src/page/later";

// What is waited for comes; how soon, a machine with other work decides.
configure({ asyncUtilTimeout: 20_000 });

const WINDOW = 600;
const ROW = 40;

class Sizes implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
vi.stubGlobal("ResizeObserver", Sizes);

Object.defineProperty(HTMLElement.prototype, "offsetHeight", { configurable: true, get: () => ROW });
Object.defineProperty(HTMLElement.prototype, "clientHeight", {
  configurable: true,
  get(this: HTMLElement) {
    return this.id === "transcript" ? WINDOW : ROW;
  },
});
Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 800 });
HTMLElement.prototype.scrollTo = function scrollTo(this: HTMLElement, to?: ScrollToOptions | number): void {
  if (typeof to === "object") this.scrollTop = to.top ?? this.scrollTop;
  this.dispatchEvent(new Event("scroll"));
} as typeof HTMLElement.prototype.scrollTo;

HTMLDialogElement.prototype.showModal = function showModal(this: HTMLDialogElement): void {
  this.setAttribute("open", "");
};
HTMLDialogElement.prototype.close = function close(this: HTMLDialogElement): void {
  this.removeAttribute("open");
};

/** A browser has fetched them by the time that somebody asks for one. */
beforeAll(async () => {
  await Promise.all(Object.values(later).map((load) => load()));
});

afterEach(() => {
  vi.restoreAllMocks();
});
