// Coming in and coming back (crypto.md sections 5, 6.1, 6.2, 10.2 and 10.4): a first join, a return for a fresh token, and the
// way through re-keys that keep this participant. Nothing of an answer is used before its records are those known already,
// each owner follows from the one before, and the record of the epoch has passed its check together with the secret.
import { sleep } from "../api/clock";
import { askedMs, pauseMs } from "../api/backoff";
import { PlaneFailure } from "../api/failure";
import type { Entry, Plane } from "../api/plane";
import type { Joined } from "../api/types";
import {
  entryKeys,
  EpochKeys,
  equal,
  fromBase64Url,
  openPast,
  openRekey,
  ownerInForce,
  parseEpochRecord,
  proofOf,
  SealError,
  sealProfile,
  toBase64Url,
  type Bytes,
  type EpochRecord,
  type LinkSecret,
} from "../seal";
import type { Held } from "./held";
import type { Outside } from "./outside";
import { withParts } from "./part";
import { Stopped } from "./stopped";
import { closedBy } from "./trouble";

/** Re-keys that may come in between while this seat comes back. */
const ROUNDS = 4;

export interface EnteringNeeds {
  readonly held: Held;
  readonly plane: Plane;
  readonly outside: Pick<Outside, "clock" | "random">;
  readonly signal: AbortSignal;
  /** Waits before the door. */
  readonly knocking: () => void;
  /** The plane can't be reached now; the next try is at this time. */
  readonly waiting: (failure: PlaneFailure, until: number) => void;
}

export class Entering {
  readonly #needs: EnteringNeeds;
  #comingBack: Promise<void> | null = null;
  #leaving: Promise<void> | null = null;

  constructor(needs: EnteringNeeds) {
    this.#needs = needs;
  }

  /** Joins with the link, as the participant the seat was made for. Throws Stopped, SealError. */
  async join(): Promise<void> {
    const { seat } = this.#needs.held;
    const epoch = seat.newestEpoch;
    // A join whose answer was lost is repeated with the rejoin secret in place of the verifier.
    const isRepeat = seat.entry !== "door";
    seat.entry = seat.entry === "door" ? "asked" : seat.entry;
    await this.#ask(epoch, isRepeat);
  }

  /** A fresh token: through the re-keys that keep this participant, then by a return. One at a time, however many ask. Throws
   * Stopped, SealError, PlaneFailure. */
  comeBack(): Promise<void> {
    this.#comingBack ??= this.#comeBack().finally(() => {
      this.#comingBack = null;
    });
    return this.#comingBack;
  }

  /** Goes for good. Nobody comes back meanwhile: that the token ends is what leaving does. Throws as `comeBack`. */
  async leave(): Promise<void> {
    const leaving = this.#leave(this.#comingBack);
    this.#leaving = leaving;
    try {
      await leaving;
    } finally {
      this.#leaving = null;
    }
  }

  async #leave(comingBack: Promise<void> | null): Promise<void> {
    const { held, plane } = this.#needs;
    await comingBack?.catch(() => undefined);
    try {
      if (held.seat.token !== null) {
        await plane.leave(held.seat.token);
        return;
      }
    } catch (thrown) {
      if (!(thrown instanceof PlaneFailure) || !thrown.isTokenOver) throw thrown;
      // An answer was lost: a token that ended by itself, without a re-key, ended by leaving.
      if (thrown.code !== "rekeyed") return;
    }
    await this.#rounds();
    if (held.seat.token !== null) await plane.leave(held.seat.token);
  }

  async #comeBack(): Promise<void> {
    const hasLeft = await this.#leaving?.then(
      () => true,
      () => false,
    );
    if (hasLeft === true) throw new Stopped("left");
    await this.#rounds();
  }

  async #rounds(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await this.#follow();
      try {
        await this.#return();
        return;
      } catch (thrown) {
        // Re-keyed once more between the two requests.
        if (!(thrown instanceof PlaneFailure) || thrown.code !== "rekeyed") throw stoppedBy(thrown, true);
      }
    }
    throw new Stopped("rekeyed");
  }

  /** Comes back with a link that a person gave, to a later epoch or to more than this seat has. */
  async returnWith(): Promise<void> {
    await this.#ask(this.#needs.held.seat.newestEpoch, true);
  }

  /** Opens each owner's re-key after the newest epoch held. Stops at an administrator's, whose secret a person brings. */
  async #follow(): Promise<void> {
    const { held, plane, signal } = this.#needs;
    const rejoin = {
      participant_id: held.me.id,
      rejoin_secret: toBase64Url(held.me.rejoinSecret().expose()),
      after_epoch: held.epoch,
    };
    let answer;
    try {
      answer = await plane.rejoin(rejoin, signal);
    } catch (thrown) {
      throw stoppedBy(thrown, false);
    }
    for (const text of answer.epoch_records) await this.#followOne(parsedRecord(text));
  }

  async #followOne(record: EpochRecord): Promise<void> {
    const { held } = this.#needs;
    if (record.session !== held.seat.session) throw new SealError("epoch_record_malformed");
    if (record.type === "admin_rekey") throw new Stopped("rekeyed", "admin_rekey");
    const old = held.keys.newest();
    const id = held.owner;
    if (old === undefined) throw new SealError("epoch_order");
    try {
      const owner = { id, keys: id === null ? null : (held.roster.get(id)?.keys ?? null) };
      held.takeEpoch(await withParts(openRekey(record, old, owner, held.me)), record);
    } catch (thrown) {
      const isOut = thrown instanceof SealError && thrown.code === "rekey_removed";
      throw isOut ? new Stopped("removed", "rekey_removed") : thrown;
    }
    held.keep();
  }

  /** Under the newest epoch held. */
  async #return(): Promise<void> {
    const { held } = this.#needs;
    const secret = this.#secretOf(held.epoch);
    await this.#settle(await this.#request(held.epoch, secret, true), held.epoch, secret);
  }

  /** Asks until it is let in, waiting out what passes and the door. */
  async #ask(epoch: number, isRepeat: boolean): Promise<void> {
    const { held, outside, signal, knocking, waiting } = this.#needs;
    const secret = this.#secretOf(epoch);
    let repeats = isRepeat;
    let failures = 0;
    while (!signal.aborted) {
      let pause: number;
      try {
        const entry = await this.#request(epoch, secret, repeats);
        if (entry.type === "joined") {
          await this.#admitted(entry.joined, epoch, secret);
          return;
        }
        held.seat.entry = "knocked";
        held.seat.save();
        knocking();
        failures = 0;
        pause = askedMs(Math.max(1, entry.knocking.retry_after_s));
      } catch (thrown) {
        if (!(thrown instanceof PlaneFailure)) throw thrown;
        const why = closedBy(thrown, held.seat.entry === "knocked");
        if (why !== null) throw new Stopped(why, thrown.code ?? undefined);
        failures++;
        pause = pauseMs(failures, thrown.extras.retry_after_s, outside.random());
        waiting(thrown, outside.clock.now() + pause);
      }
      repeats = true;
      await sleep(outside.clock, pause, signal);
    }
  }

  async #settle(entry: Entry, epoch: number, secret: LinkSecret): Promise<void> {
    if (entry.type === "joined") await this.#admitted(entry.joined, epoch, secret);
    else await this.#ask(epoch, true);
  }

  /** The profile's bytes are kept first, so that a repeat sends the same. */
  #request(epoch: number, secret: LinkSecret, isRepeat: boolean): Promise<Entry> {
    const { held, plane, signal } = this.#needs;
    const { seat, me } = held;
    let profile = seat.profiles.get(epoch);
    if (profile === undefined) {
      profile = sealProfile(entryKeys(seat.session, epoch, secret), me, seat.name);
      seat.profiles.set(epoch, profile);
    }
    held.seat.save();
    const proof = proofOf(seat.session, epoch, secret);
    const participant = {
      participant_id: me.id,
      kind: "human",
      sealed_profile: toBase64Url(profile),
      ...(isRepeat
        ? { rejoin_secret: toBase64Url(me.rejoinSecret().expose()) }
        : { rejoin_verifier: toBase64Url(me.rejoinVerifier()) }),
    } as const;
    return plane.join({ proof: toBase64Url(proof), epoch, participant }, signal);
  }

  #secretOf(epoch: number): LinkSecret {
    const { held } = this.#needs;
    const keys = held.keys.get(epoch);
    const secret = held.seat.secrets.get(epoch) ?? keys?.linkSecret(keys.kind) ?? null;
    if (secret === null) throw new SealError("verifier_mismatch");
    return secret;
  }

  /** Takes over the answer to a join or return, or nothing of it. */
  async #admitted(joined: Joined, epoch: number, secret: LinkSecret): Promise<void> {
    const { held } = this.#needs;
    const { seat } = held;
    const records = joined.epoch_records.map(parsedRecord);
    for (const record of records) this.#checkKnown(record);
    ownerInForce(records);
    const newest = records.at(-1);
    if (newest?.epoch !== epoch) throw new SealError("verifier_mismatch");
    held.keys.add(EpochKeys.checked(newest, secret));
    const unopened = openPast(held.keys, records);
    if (unopened !== null && unopened !== "history_closed") throw new SealError(unopened);
    for (const { epoch: of, bytes } of records) seat.records.set(of, bytes);
    held.noteSecrets();
    seat.token = joined.session_token;
    seat.entry = "in";
    const profile = seat.profiles.get(epoch);
    if (profile !== undefined) await held.roster.learn(held.keys, held.me.id, epoch, profile);
    held.title = joined.title;
    held.state = null;
    held.hear(joined.state);
    held.touch();
    held.keep();
  }

  /** Also what no key vouches for, such as who owns the session, is what it was. */
  #checkKnown(record: EpochRecord): void {
    const { held } = this.#needs;
    if (record.session !== held.seat.session) throw new SealError("epoch_record_malformed");
    const known = held.seat.records.get(record.epoch);
    if (known !== undefined && !equal(known, record.bytes)) throw new SealError("rollback");
    held.keys.get(record.epoch)?.checkRecord(record);
  }
}

function parsedRecord(text: string): EpochRecord {
  let bytes: Bytes;
  try {
    bytes = fromBase64Url(text);
  } catch {
    throw new SealError("epoch_record_malformed");
  }
  return parseEpochRecord(bytes);
}

/** A refusal that no later try will change, as the end it is. */
function stoppedBy(thrown: unknown, hasKnocked: boolean): unknown {
  if (!(thrown instanceof PlaneFailure)) return thrown;
  const why = closedBy(thrown, hasKnocked);
  return why === null ? thrown : new Stopped(why, thrown.code ?? undefined);
}
