// Which items of a long list stand in the page, and where: the library's bookkeeping as values that components follow.
// Rows are measured when drawn; what is read stays in place when rows above it change, and the end stays in sight.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
  defaultRangeExtractor,
} from "@tanstack/virtual-core";

/** Rows drawn beyond each edge. */
const OVERSCAN = 5;
/** How near the end counts as at the end, in CSS pixels. */
const NEAR = 60;

export interface List {
  count: number;
  key: (index: number) => number;
  guess: (index: number) => number;
  /** A row that stays drawn wherever the reader scrolls, since the focus is in it; -1 for none. */
  kept: number;
}

export class Window {
  rows = $state.raw<readonly VirtualItem[]>([]);
  height = $state(0);
  atEnd = $state(true);
  readonly #virtual: Virtualizer<HTMLElement, HTMLElement>;
  #scroller: HTMLElement | null = null;
  #list: List = { count: 0, key: (index) => index, guess: () => 36, kept: -1 };

  constructor() {
    this.#virtual = new Virtualizer(this.#options());
  }

  /** For the element that scrolls: begins when it is in the page, ends when it goes. */
  scroller = (element: HTMLElement): (() => void) => {
    this.#scroller = element;
    this.#virtual.setOptions(this.#options());
    const end = this.#virtual._didMount();
    this.#virtual._willUpdate();
    this.toEnd();
    this.#read();
    return () => {
      end();
      this.#scroller = null;
    };
  };

  /** For each row: measured now, and whenever its size changes. Its place is in `data-index`. */
  row = (element: HTMLElement): (() => void) => {
    this.#virtual.measureElement(element);
    return () => this.#virtual.measureElement(null);
  };

  show(list: List): void {
    this.#list = list;
    this.#virtual.setOptions(this.#options());
    if (this.#scroller !== null) this.#virtual._willUpdate();
    this.#read();
  }

  toIndex(index: number, align: "auto" | "center" = "auto"): void {
    this.#virtual.scrollToIndex(index, { align });
  }

  toEnd(): void {
    this.#virtual.scrollToEnd();
  }

  /** The last row whose beginning can be seen, or -1. */
  lastSeen(): number {
    const bottom = (this.#virtual.scrollOffset ?? 0) + (this.#virtual.scrollRect?.height ?? 0);
    return this.rows.findLast((row) => row.start < bottom)?.index ?? -1;
  }

  #options() {
    const { count, key, guess, kept } = this.#list;
    return {
      count,
      getScrollElement: () => this.#scroller,
      getItemKey: key,
      estimateSize: guess,
      overscan: OVERSCAN,
      anchorTo: "end" as const,
      followOnAppend: true,
      scrollEndThreshold: NEAR,
      paddingEnd: 16,
      rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const drawn = defaultRangeExtractor(range);
        if (kept < 0 || kept >= count || drawn.includes(kept)) return drawn;
        return [...drawn, kept].sort((one, other) => one - other);
      },
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => this.#read(),
    };
  }

  #read(): void {
    this.rows = this.#virtual.getVirtualItems();
    this.height = this.#virtual.getTotalSize();
    this.atEnd = this.#scroller === null || this.#virtual.isAtEnd(NEAR);
  }
}
