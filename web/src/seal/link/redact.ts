// Keeping the token of a link out of what is shown or kept (crypto.md section 4), and telling whether it already
// stands where servers see it (section 4.2).

import { undone } from "./find";

/** Ends where another token begins, so that the first of two does not take away what the second is known by. Of one that is not
 * whole the rest may follow, spelled otherwise: it goes to the end of its word. */
const TOKEN =
  /dp1[fv](?:(?!dp1[fv])[a-z2-7]){64}(?=dp1[fv]|[^a-z0-9]|$)|dp1[fv](?:(?!dp1[fv])[a-z2-7]){16}[a-z0-9%=>|\\]*/gi;
const WITHHELD = "[session link withheld]";
/** What a token may stand in that is spelled otherwise: all that finding a link undoes within a word. */
const WORD = /[a-z0-9%=>|\\]{20,}/gi;
const BEGUN = /#dp1[fv]|dp1[fv][a-z2-7]{16}/;

/** The text without any token, also where finding a link would have to undo something first. */
export function redact(text: string): string {
  return text
    .replace(TOKEN, WITHHELD)
    .replace(WORD, (word) => (/[^a-z0-9]/i.test(word) && BEGUN.test(undone(word)) ? WITHHELD : word));
}

/** Whether an address leads to a session, also where its link is cut or altered: nobody but the page's own visitor follows it. */
export function isSessionLink(address: string): boolean {
  return BEGUN.test(undone(address));
}

/** Whether an address carries a token before its fragment: some program turned the # into %23, so the link has been
 * sent to the server and must be taken as exposed. */
export function isExposed(address: string): boolean {
  const [sent = ""] = address.split("#", 1);
  return redact(sent) !== sent;
}
