// How long the tasks of a page's main thread were, from a trace by the browser itself.
import type { Browser, Page } from "playwright-core";

/** All in milliseconds. */
export interface Traced {
  /** The most that one task had the processor. */
  busiest: number;
  /** The longest task by the clock: also what the rest of the machine took from it. */
  clock: number;
  /** What the script took in all. */
  script: number;
  /** How much processor the main thread took until the first content was painted; 0 where none was. */
  untilPaint: number;
}

interface Event {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Processor time of the thread. */
  tdur?: number;
}

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "toplevel"];
const TASK = "RunTask";
const SCRIPT = ["EvaluateScript", "FunctionCall", "RunMicrotasks", "FireAnimationFrame"];
const PAINT = "firstContentfulPaint";

/** Traces the page while `during` lasts. */
export async function traced(browser: Browser, page: Page, during: () => Promise<void>): Promise<Traced> {
  await browser.startTracing(page, { categories: CATEGORIES });
  let trace: Buffer;
  try {
    await during();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as { traceEvents: Event[] };
  // The thread that ran script is the main thread of the page.
  const main = traceEvents.find(({ name }) => SCRIPT.includes(name));
  const own = traceEvents.filter(({ pid, tid }) => pid === main?.pid && tid === main.tid);
  const tasks = own.filter(({ name, ph }) => name === TASK && ph === "X");
  if (tasks.length === 0 || tasks.every(({ tdur }) => tdur === undefined)) {
    throw new Error("the browser gave no times of tasks");
  }
  const paint = own.find(({ name }) => name === PAINT)?.ts ?? -Infinity;
  const sum = (events: readonly Event[]) =>
    events.reduce((total, { tdur }) => total + (tdur ?? 0), 0) / 1_000;
  const most = (times: readonly number[]) => times.reduce((one, other) => Math.max(one, other), 0) / 1_000;
  return {
    busiest: most(tasks.map(({ tdur }) => tdur ?? 0)),
    clock: most(tasks.map(({ dur }) => dur ?? 0)),
    script: sum(own.filter(({ name }) => SCRIPT.includes(name))),
    untilPaint: sum(tasks.filter(({ ts }) => ts <= paint)),
  };
}
