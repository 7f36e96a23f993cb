// Hands bytes to the person as a file, without a request.

/** Lets the browser save `content` under `name`. */
export function save(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser takes its own hold of the bytes when the click is handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file name of letters and digits out of a title. */
export function fileName(title: string | undefined, ending: string): string {
  const slug = (title ?? "")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .toLowerCase();
  return `${slug === "" ? "session" : slug}.${ending}`;
}
