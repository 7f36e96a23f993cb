// Changes what is in a field as if it were typed, so that it can be undone: what a program sets is not in a field's history, and
// ends it.
import type { Change } from "./addressing";

export function retype(field: HTMLTextAreaElement, { from, to, put }: Change): void {
  field.focus();
  field.setSelectionRange(from, to);
  if (from === to && put === "") return;
  // Superseded by nothing that keeps the history.
  const isTyped = document.execCommand?.(put === "" ? "delete" : "insertText", false, put);
  if (isTyped) return;
  field.setRangeText(put, from, to, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
