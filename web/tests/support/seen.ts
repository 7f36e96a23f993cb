// Waiting for what a session shows.
import type { Item, MessageItem, Session, View } from "../../src/session/model";

/** The first view, from now on, that is as wanted. */
export function until(
  session: Session,
  what: string,
  wanted: (view: View) => boolean,
  withinMs = 15_000,
): Promise<View> {
  return new Promise((seen, failed) => {
    let end: (() => void) | null = null;
    const timer = setTimeout(() => {
      end?.();
      failed(
        new Error(
          `not seen: ${what}; ${JSON.stringify({ ...session.view, items: session.view.items.length })}`,
        ),
      );
    }, withinMs);
    end = session.subscribe((view) => {
      if (!wanted(view)) return;
      clearTimeout(timer);
      queueMicrotask(() => end?.());
      seen(view);
    });
  });
}

export function messagesOf({ items }: View): readonly MessageItem[] {
  return items.filter((item): item is MessageItem => item.kind === "message");
}

export function textsOf(view: View): readonly string[] {
  return messagesOf(view).map(({ text }) => text);
}

export function eventsOf({ items }: View): readonly string[] {
  return items.flatMap((item: Item) => (item.kind === "event" ? [item.text] : []));
}
