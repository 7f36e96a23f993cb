// Which items of a long list stand in the page, and where: the library's bookkeeping as values that components follow.
// Rows are measured when drawn; what is read stays in place when rows above it change or the box is another, and who is at
// the end stays there. Only the reader leaves the end: a box that grew smaller under them, or rows that broke into more
// lines, did not move them.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  measureElement,
  type VirtualItem,
  Virtualizer,
  defaultRangeExtractor,
} from "@tanstack/virtual-core";

/** Rows drawn beyond each edge. */
const OVERSCAN = 5;
/** How near the end counts as at the end, in CSS pixels. */
const NEAR = 60;

type Rows = Virtualizer<HTMLElement, HTMLElement>;

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
  readonly #virtual: Rows;
  #scroller: HTMLElement | null = null;
  /** The box that `atEnd` was told of: what a scroll means is known again once the next one is seen. */
  #box = { width: 0, height: 0 };
  /** The box has no size at present. */
  #isAway = false;
  /** The end was asked for and not reached yet. */
  #isOnItsWay = false;
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

  /** After its height was drawn: what was to be scrolled to may be there only now. */
  drawn(): void {
    if (this.#scroller !== null) this.#virtual._willUpdate();
  }

  toIndex(index: number, align: "auto" | "center" = "auto"): void {
    this.#virtual.scrollToIndex(index, { align });
  }

  toEnd(): void {
    this.atEnd = this.#isOnItsWay = true;
    this.#virtual.scrollToEnd();
  }

  /** The last row whose beginning can be seen, or -1. */
  lastSeen(): number {
    const bottom = (this.#virtual.scrollOffset ?? 0) + (this.#virtual.scrollRect?.height ?? 0);
    return this.rows.findLast((row) => row.start < bottom)?.index ?? -1;
  }

  /** Whether anything of a row can be seen. */
  inSight(index: number): boolean {
    const { scrollOffset, scrollRect } = this.#virtual;
    const top = scrollOffset ?? 0;
    const row = this.rows.find((one) => one.index === index);
    return row !== undefined && row.end > top && row.start < top + (scrollRect?.height ?? 0);
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
      // While the box is away, behind what unfolds in a narrow window, nothing in it has a size.
      measureElement: (element: HTMLElement, entry: ResizeObserverEntry | undefined, virtual: Rows) => {
        if (this.#scroller?.clientWidth !== 0) return measureElement(element, entry, virtual);
        const index = virtual.indexFromElement(element);
        return virtual.itemSizeCache.get(key(index)) ?? guess(index);
      },
      rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const drawn = defaultRangeExtractor(range);
        if (kept < 0 || kept >= count || drawn.includes(kept)) return drawn;
        return [...drawn, kept].sort((one, other) => one - other);
      },
      observeElementRect: (virtual: Rows, seen: Parameters<typeof observeElementRect>[1]) =>
        observeElementRect(virtual, (rect) => {
          const before = this.#box;
          const wasAway = this.#isAway;
          this.#isAway = rect.width === 0;
          if (this.#isAway) return;
          this.#box = rect;
          // The first is seen while the box is put into the page, which must not follow what is read here.
          if (before.width === 0) return seen(rect);
          const { atEnd } = this;
          const offset = virtual.scrollOffset ?? 0;
          seen(rect);
          if (before.width !== rect.width) this.#measureAnew();
          else if (wasAway) virtual.scrollToOffset(offset);
          if (atEnd) this.toEnd();
        }),
      observeElementOffset: (virtual: Rows, seen: Parameters<typeof observeElementOffset>[1]) =>
        observeElementOffset(virtual, (offset, isScrolling) => {
          seen(offset, isScrolling);
          // The browser itself scrolls when a box grows; where that leaves the reader is decided when its size is seen.
          const { clientWidth = 0, clientHeight = 0 } = this.#scroller ?? {};
          if (clientWidth !== this.#box.width || clientHeight !== this.#box.height) return;
          const isThere = virtual.isAtEnd(NEAR);
          // On the way to the end rows are measured and the end moves on: only going back is the reader's.
          if (isThere || !this.#isOnItsWay || virtual.scrollDirection === "backward") {
            this.#isOnItsWay = false;
            this.atEnd = isThere;
          }
        }),
      scrollToFn: elementScroll,
      onChange: () => this.#read(),
    };
  }

  /** In another width all rows have other heights, also those that are not drawn; the first in sight keeps its place. */
  #measureAnew(): void {
    const virtual = this.#virtual;
    const offset = virtual.scrollOffset ?? 0;
    const anchor = this.rows.find(({ start }) => start >= offset) ?? this.rows.at(-1);
    virtual.measure();
    for (const element of virtual.elementsCache.values()) {
      if (element.isConnected) virtual.resizeItem(virtual.indexFromElement(element), element.offsetHeight);
    }
    if (anchor === undefined) return;
    const [now = 0] = virtual.getOffsetForIndex(anchor.index, "start") ?? [];
    virtual.scrollToOffset(now - (anchor.start - offset));
  }

  #read(): void {
    this.rows = this.#virtual.getVirtualItems();
    this.height = this.#virtual.getTotalSize();
    if (this.#scroller === null || this.#virtual.isAtEnd(NEAR)) this.atEnd = true;
  }
}
