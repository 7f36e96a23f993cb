// Keeping the token of a link out of what is shown or kept (crypto.md section 4), and telling whether it already
// stands where servers see it (section 4.2).

const TOKEN = /dp1[fv][a-z2-7]{16,}/gi;
const WITHHELD = "[session link withheld]";

/** The text without any token. */
export function redact(text: string): string {
  return text.replace(TOKEN, WITHHELD);
}

/** Whether an address carries a token before its fragment: some program turned the # into %23, so the link has been
 * sent to the server and must be taken as exposed. */
export function isExposed(address: string): boolean {
  const [sent = ""] = address.split("#", 1);
  return redact(sent) !== sent;
}
