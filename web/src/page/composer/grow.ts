// A field as high as its text, up to a part of the window.

const TALLEST = 0.4;

/** While it is measured its form keeps its height: else the transcript would be higher for a moment, and scroll by what it is. */
export function grow(field: HTMLTextAreaElement): void {
  const { form } = field;
  if (!form) return;
  form.style.minHeight = `${form.offsetHeight}px`;
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight + 2, window.innerHeight * TALLEST)}px`;
  form.style.minHeight = "";
}
