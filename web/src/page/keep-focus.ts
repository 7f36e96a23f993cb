// The focus is never lost: where what had it vanishes, the nearest thing around it that still stands takes it, so that
// the keyboard goes on from there and not from the top of the page.

/** What takes it where nothing around it is left: the transcript of a seat, or the content of a plain page. */
const LAST_RESORT = "#transcript, main[tabindex]";

const nowhere = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** Watches all that is under `root` until the returned function is called. */
export function keepFocus(root: HTMLElement): () => void {
  /** What has the focus, and around it, from the inside out, what could take it. */
  let had: Element | undefined;
  let around: readonly HTMLElement[] = [];

  function came({ target }: FocusEvent) {
    if (!(target instanceof Element)) return;
    had = target;
    const outer: HTMLElement[] = [];
    for (let at = target.parentElement; at !== null; at = at.parentElement) {
      if (at.hasAttribute("tabindex")) outer.push(at);
    }
    around = outer;
  }

  /** The person went away from it, and it is still there: then nothing was lost. */
  function went() {
    setTimeout(() => {
      if (had?.isConnected === true && nowhere()) had = undefined;
    });
  }

  const changes = new MutationObserver(() => {
    if (had === undefined || had.isConnected || !nowhere()) return;
    const next =
      around.find((element) => element.isConnected) ?? root.querySelector<HTMLElement>(LAST_RESORT);
    // Where nothing can take it yet, a page is on its way that will.
    if (next === undefined || next === null) return;
    had = undefined;
    next.focus({ preventScroll: true });
  });

  root.addEventListener("focusin", came);
  root.addEventListener("focusout", went);
  changes.observe(root, { childList: true, subtree: true });
  return () => {
    root.removeEventListener("focusin", came);
    root.removeEventListener("focusout", went);
    changes.disconnect();
  };
}
