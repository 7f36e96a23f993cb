// What the address of the page leads to: a link, a seat that this tab kept, or the page that says what is wrong. Pure, but
// for the look into the store.
import { findLink, isExposed, SealError, sessionId, type Link } from "../seal";
import type { ClosedWhy } from "./model";
import type { Store } from "./outside";
import { Seat } from "./seat";
import { closedByLink } from "./trouble";

export type Arrived =
  | { readonly type: "closed"; readonly why: ClosedWhy; readonly detail?: string }
  | {
      readonly type: "seat";
      readonly seat: Seat;
      /** The link in the address, where it gives a kept participant more than it has. */
      readonly link?: Link;
    };

const SESSION_PATH = /^\/s\/([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\/?$/i;

/** `address` is all of it, with the fragment. Nothing of it is kept but what the link holds. */
export function arrive(address: string, store: Store): Arrived {
  if (isExposed(address)) return { type: "closed", why: "exposed" };
  const kept = keptAt(address, store);
  if (new URL(address).hash === "") {
    return kept === null
      ? { type: "closed", why: "no_link", detail: "link_no_key" }
      : { type: "seat", seat: kept };
  }
  let link: Link;
  try {
    link = findLink(address);
  } catch (thrown) {
    if (!(thrown instanceof SealError)) throw thrown;
    // A fragment that is no part of a link, such as one of the page's own places: the seat of this tab is meant.
    if (kept !== null && (thrown.code === "link_no_key" || thrown.code === "link_missing"))
      return { type: "seat", seat: kept };
    return { type: "closed", why: closedByLink(thrown.code), detail: thrown.code };
  }
  if (kept === null || kept.session !== link.session)
    return { type: "seat", seat: Seat.atTheDoor(link, store) };
  if (!gains(kept, link)) return { type: "seat", seat: kept };
  return kept.me === null
    ? { type: "seat", seat: Seat.atTheDoor(link, store) }
    : { type: "seat", seat: kept, link };
}

function keptAt(address: string, store: Store): Seat | null {
  const match = SESSION_PATH.exec(new URL(address).pathname);
  if (match === null) return null;
  return Seat.kept(sessionId(match.slice(1).join("-").toLowerCase()), store);
}

/** A later epoch, or the right to write in the same one. */
function gains(seat: Seat, link: Link): boolean {
  const newest = seat.newestEpoch;
  if (link.epoch !== newest) return link.epoch > newest;
  return link.kind === "full" && seat.secrets.get(newest)?.kind === "view";
}
