// The session as the page has it: where the visitor stands, and what they may ask for. Puts a sitting at the seat that the
// address leads to, and turns whatever comes of it into a view; every refusal becomes a sentence here.
import { hurry } from "../api/clock";
import { PlaneFailure } from "../api/failure";
import { EpochKeys, formatLink, Identity, parseEpochRecord, SealError, type Link } from "../seal";
import { ACCESS, givesAccess } from "./access";
import { arrive } from "./address";
import { messageOf, readContent, writeContent } from "./content";
import type { Connection, Habits, NewMessage, Phase, Session, View } from "./model";
import type { Note } from "./note";
import type { Outside } from "./outside";
import { Publisher } from "./publisher";
import { HABITS, type Seat } from "./seat";
import { Sitting } from "./sitting";
import { nameLine } from "./shown";
import { Stopped } from "./stopped";
import { takeSeat } from "./tabs";
import { adviceOn, FLEETING, refusalOf, sentenceOf } from "./trouble";
import { exportedOf, integrityOf, NOTHING, seated } from "./view";

/** The session that an address leads to, with its fragment: read it before it is removed from the address bar. */
export function openSession(address: string, outside: Outside): Session {
  return new OpenSession(address, outside);
}

class OpenSession implements Session {
  readonly #outside: Outside;
  readonly #origin: string;
  readonly #publisher: Publisher;
  #phase: Phase = { kind: "entering" };
  #connection: Connection = "connecting";
  #retryAt: number | undefined;
  #loading: { done: number; total: number } | null = null;
  #trouble: string | undefined;
  /** Why it is tried again by itself: over once a try went well. */
  #lost: PlaneFailure | undefined;
  #seat: Seat | null = null;
  #sitting: Sitting | null = null;
  #letGo: (() => void) | null = null;
  readonly #unwatch: readonly (() => void)[];

  constructor(address: string, outside: Outside) {
    this.#outside = outside;
    this.#origin = new URL(address).origin;
    this.#publisher = new Publisher(outside.clock, () => this.#look());
    this.#unwatch = [
      outside.returned(() => {
        this.tryNow();
      }),
      outside.lost(() => this.#sitting?.doubt()),
    ];
    const arrived = arrive(address, outside.store);
    if (arrived.type === "closed") {
      this.#close(arrived.why, arrived.detail);
      return;
    }
    this.#seat = arrived.seat;
    if (arrived.seat.me === null) this.#toTheDoor(arrived.seat);
    else void this.#sit(arrived.seat, arrived.seat.me, arrived.link ?? null);
  }

  get view(): View {
    return this.#publisher.view;
  }

  subscribe(listener: (view: View) => void): () => void {
    return this.#publisher.subscribe(listener);
  }

  async join(name: string): Promise<void> {
    const seat = this.#seat;
    if (seat === null || this.#phase.kind !== "door") return;
    this.#trouble = givesAccess(name) ? ACCESS : undefined;
    if (this.#trouble !== undefined) {
      this.#publisher.now();
      return;
    }
    const me = Identity.draw(seat.session);
    seat.me = me;
    seat.name = nameLine(name) ?? "";
    await this.#sit(seat, me, null);
  }

  joinAsAnother(): void {
    const seat = this.#seat;
    const { phase } = this.view;
    const isOffered = phase.kind === "closed" && (phase.why === "elsewhere" || phase.why === "left");
    if (seat === null || !isOffered) return;
    this.#leaveSitting();
    this.#seat = seat.asAnother();
    this.#toTheDoor(this.#seat);
  }

  /** What was refused stands in the view when this settles: whoever asked sees that it is kept. */
  async post(message: NewMessage): Promise<boolean | null> {
    const isStored = await this.#sitting?.outbox.post(writeContent(message));
    if (isStored === false) this.#publisher.now();
    return isStored ?? null;
  }

  async retry(seq: number): Promise<void> {
    await this.#sitting?.outbox.retry(seq);
  }

  discard(seq: number): void {
    this.#sitting?.outbox.discard(seq);
  }

  takeBack(seq: number): void {
    this.#sitting?.outbox.takeBack(seq);
  }

  tryNow(): void {
    hurry(this.#outside.clock);
    if (this.#connection !== "waiting" || this.#phase.kind === "knocking") return;
    this.#connection = "connecting";
    this.#retryAt = undefined;
    this.#publisher.now();
  }

  written(): NewMessage | null {
    const written = this.#seat?.me == null ? null : this.#seat.written();
    return written === null ? null : messageOf(readContent(written));
  }

  keepWritten(message: NewMessage | null): void {
    if (this.#seat?.me != null) this.#seat.keepWritten(message === null ? null : writeContent(message));
  }

  habits(): Habits {
    return this.#seat?.habits ?? HABITS;
  }

  keepHabits(habits: Habits): void {
    const seat = this.#seat;
    const { enterSends, singleKeys } = seat?.habits ?? habits;
    if (seat === null || (enterSends === habits.enterSends && singleKeys === habits.singleKeys)) return;
    seat.habits = habits;
    seat.save();
  }

  setMode(name: "observe" | "relay"): Promise<void> {
    const call = (sitting: Sitting) => sitting.setMode(name);
    return name === "observe" ? this.#asked(call) : this.#asking(call);
  }

  async propose(goal: string, budget: number, ttlMs: number): Promise<boolean> {
    let isTaken = false;
    if (givesAccess(goal)) {
      this.#trouble = ACCESS;
      this.#publisher.now();
      return isTaken;
    }
    await this.#asking(async (sitting) => {
      await sitting.propose(goal, budget, Math.round(ttlMs / 1_000));
      isTaken = true;
    });
    return isTaken;
  }

  /** What was shown, and no other: a proposal, or the auto that goes on. */
  accept(): Promise<void> {
    const { proposal, mode } = this.view;
    const { proposal: id, budget, ttlMs } = mode;
    return this.#asking(async (sitting) => {
      if (mode.name !== "auto") {
        if (proposal !== undefined) await sitting.accept(proposal);
      } else if (id !== undefined && budget !== undefined && ttlMs !== undefined) {
        await sitting.acceptAsWell({ id, budget, ttlMs });
      }
    });
  }

  decline(): Promise<void> {
    const { proposal } = this.view;
    return this.#asked(async (sitting) => {
      if (proposal !== undefined) await sitting.decline(proposal.id);
    });
  }

  stop(): Promise<void> {
    return this.#asked((sitting) => sitting.stop(), STILL_ON);
  }

  async leave(): Promise<void> {
    await this.#asked(async (sitting) => {
      await sitting.leave();
      // A reload does not come back by itself.
      this.#seat = sitting.held.seat.asAnother();
      this.#close("left");
    });
  }

  acknowledge(): void {
    const held = this.#sitting?.held;
    const alarm = held?.seat.alarm;
    if (held === undefined || alarm === undefined || alarm === null) return;
    if (integrityOf(held).state !== "warning") return;
    held.seat.alarm = { ...alarm, acknowledged: true };
    held.keep();
    this.#sitting?.outbox.go();
    this.#publisher.now();
  }

  note(): Note | undefined {
    const link = this.#link();
    const { me, title, expiresAt } = this.view;
    if (link === null || me === undefined) return undefined;
    return {
      from: this.#seat?.name ?? me.name,
      title: title ?? "",
      expiresAt: expiresAt ?? this.#outside.clock.now(),
      origin: this.#origin,
      viewOnly: link.kind === "view",
      link: formatLink(link),
    };
  }

  link(): string {
    const link = this.#link();
    return link === null ? "" : formatLink(link);
  }

  async export(format: "markdown" | "json"): Promise<string> {
    const sitting = this.#sitting;
    if (sitting === null) return "";
    const exported = exportedOf(sitting.looking(), this.#origin);
    const { asJson, asMarkdown } = await import("./export");
    return format === "json" ? asJson(exported) : asMarkdown(exported);
  }

  close(): void {
    for (const end of this.#unwatch) end();
    this.#leaveSitting();
    this.#publisher.close();
  }

  /** Of the epoch in force: what this seat holds, as a link gives it. */
  #link(): Link | null {
    const seat = this.#seat;
    const secret = seat?.secrets.get(seat.newestEpoch);
    if (seat === null || secret === undefined) return null;
    return { origin: this.#origin, session: seat.session, epoch: seat.newestEpoch, ...secret };
  }

  #toTheDoor(seat: Seat): void {
    const capability = seat.secrets.get(seat.newestEpoch)?.kind ?? "view";
    this.#phase = { kind: "door", capability };
    this.#connection = "stopped";
    this.#publisher.now();
  }

  /** Takes the seat, if no other tab has it, gets in, and stays until it is over. */
  async #sit(seat: Seat, me: Identity, link: Link | null): Promise<void> {
    this.#phase = { kind: "entering" };
    this.#connection = "connecting";
    this.#publisher.now();
    const before = link === null ? undefined : seat.secrets.get(link.epoch);
    try {
      this.#letGo = await takeSeat(me.id, this.#outside);
      if (this.#letGo === null) {
        this.#close("elsewhere");
        return;
      }
      const sitting = new Sitting(seat, me, this.#origin, this.#outside, this.#watching(seat));
      this.#sitting = sitting;
      await sitting.resume();
      if (link !== null) this.#takeLink(seat, link);
      await sitting.enter(link !== null);
      if (sitting.signal.aborted) return;
      this.#phase = { kind: "seated" };
      this.#lost = undefined;
      this.#publisher.now();
      await sitting.run();
    } catch (thrown) {
      if (link !== null && seat.token === null) restore(seat, link, before);
      this.#failed(thrown);
    }
  }

  /** A link that a person gave, for a seat that has less. Its record may be known already: then they must fit. */
  #takeLink(seat: Seat, { epoch, kind, secret }: Link): void {
    const record = seat.records.get(epoch);
    if (record !== undefined) EpochKeys.checked(parseEpochRecord(record), { kind, secret });
    seat.secrets.set(epoch, { kind, secret });
    // What was sealed without a certificate gives no right to write.
    seat.profiles.delete(epoch);
    seat.token = null;
  }

  #watching(seat: Seat) {
    return {
      changed: () => {
        this.#publisher.changed();
      },
      connection: (connection: Connection, retryAt?: number, failure: PlaneFailure | null = null) => {
        this.#connection = connection;
        this.#retryAt = retryAt;
        // What is only connecting anew has not got over it.
        if (connection !== "connecting") this.#lost = undefined;
        if (failure !== null) this.#lost = failure;
        // Let in once more, or reached again.
        const isBack = this.#phase.kind === "knocking" || isUnreachable(this.#phase);
        if (connection !== "stopped" && isBack) this.#phase = { kind: "seated" };
        this.#publisher.changed();
      },
      loading: (loading: { done: number; total: number } | null) => {
        this.#loading = loading;
        this.#publisher.changed();
      },
      knocking: () => {
        if (this.#phase.kind !== "knocking")
          this.#phase = { kind: "knocking", since: this.#outside.clock.now() };
        this.#connection = "waiting";
        this.#retryAt = undefined;
        this.#lost = undefined;
        this.#publisher.changed();
      },
      waiting: (failure: PlaneFailure, until: number) => {
        // Somebody who waits before the door stays there; for everybody else there is nothing to see yet.
        if (seat.entry !== "knocked") this.#phase = { kind: "closed", why: "unreachable" };
        this.#lost = failure;
        this.#connection = "waiting";
        this.#retryAt = until;
        this.#publisher.changed();
      },
      failed: (thrown: unknown) => {
        this.#failed(thrown);
      },
    };
  }

  /** As `#asked`, for what leads to more than reading: not while nothing is written from here. */
  async #asking(call: (sitting: Sitting) => Promise<void>): Promise<void> {
    const sitting = this.#sitting;
    const isMuted = sitting === null || this.#phase.kind !== "seated" || !seated(sitting.looking()).canWrite;
    if (!isMuted) return this.#asked(call);
    this.#trouble = MUTED;
    this.#publisher.now();
  }

  /** Runs what a person asked for; what is refused is a sentence, and what that leaves open another. */
  async #asked(call: (sitting: Sitting) => Promise<void>, leaves = ""): Promise<void> {
    const sitting = this.#sitting;
    if (sitting === null) return;
    this.#trouble = undefined;
    try {
      await call(sitting);
    } catch (thrown) {
      if (thrown instanceof PlaneFailure) this.#trouble = refusalOf(thrown) + leaves;
      else if (thrown instanceof SealError && isOfOwnText(thrown)) this.#trouble = adviceOn(thrown.code);
      else this.#failed(thrown);
    }
    this.#publisher.now();
  }

  /** The seat is over, or a check failed: before anything was accepted, that is a page of its own. */
  #failed(thrown: unknown): void {
    if (thrown instanceof Stopped) {
      this.#close(thrown.why, thrown.detail);
      return;
    }
    if (thrown instanceof PlaneFailure) {
      this.#lost = thrown;
      this.#publisher.changed();
      return;
    }
    if (!(thrown instanceof SealError)) {
      this.#stumbled(thrown);
      return;
    }
    const sitting = this.#sitting;
    if (sitting === null || this.#phase.kind !== "seated") {
      this.#close("altered", thrown.code);
      return;
    }
    sitting.fail(thrown);
    sitting.close();
    this.#connection = "stopped";
    this.#retryAt = undefined;
    this.#publisher.now();
  }

  /** A fault of this page's own: it must not go on looking live. Of what was thrown the name alone is shown, since its text
   * may hold anything. */
  #stumbled(thrown: unknown): void {
    const name = thrown instanceof Error ? thrown.name : "unknown";
    this.#trouble = `This page made a mistake and stopped (${name}). Nothing was lost; reload it, and tell its operator if it stays so.`;
    this.#sitting?.close();
    this.#connection = "stopped";
    this.#retryAt = undefined;
    this.#publisher.now();
  }

  /** What was read stays to be seen. */
  #close(why: Extract<Phase, { kind: "closed" }>["why"], detail?: string): void {
    this.#phase = { kind: "closed", why, ...(detail === undefined ? {} : { detail }) };
    this.#connection = "stopped";
    this.#retryAt = undefined;
    this.#loading = null;
    this.#sitting?.close();
    this.#publisher.now();
  }

  #leaveSitting(): void {
    this.#sitting?.close();
    this.#sitting = null;
    this.#letGo?.();
    this.#letGo = null;
  }

  #look(): View {
    const { kind } = this.#phase;
    const sitting = this.#sitting;
    const shows = sitting !== null && (kind === "seated" || kind === "closed");
    const what = shows ? seated(sitting.looking()) : NOTHING;
    const lost = this.#lost === undefined ? undefined : sentenceOf(this.#lost);
    const trouble = this.#trouble ?? (kind === "seated" ? undefined : lost);
    return {
      ...what,
      canWrite: what.canWrite && kind === "seated",
      phase: this.#phase,
      connection: this.#connection,
      ...(this.#retryAt === undefined ? {} : { retryAt: this.#retryAt }),
      ...(this.#outside.store.isLasting ? {} : { fleeting: FLEETING }),
      ...(this.#loading === null ? {} : { loading: this.#loading }),
      ...(trouble === undefined ? {} : { trouble }),
      ...(lost === undefined || this.#lost?.status === 0 ? {} : { lost }),
    };
  }
}

const STILL_ON = " Auto may still be on: try to stop it again, or stop the agents where they run.";
const MUTED = "Nothing is written from here at present, so this was not asked for.";

function isUnreachable(phase: Phase): boolean {
  return phase.kind === "closed" && phase.why === "unreachable";
}

/** What can't be sealed is this person's own text, and says nothing of the plane. */
function isOfOwnText({ code }: SealError): boolean {
  return code === "too_large" || code === "bad_content";
}

/** A link that did not lead in leaves the seat as it was. */
function restore(seat: Seat, { epoch }: Link, before: ReturnType<Seat["secrets"]["get"]>): void {
  if (before === undefined) seat.secrets.delete(epoch);
  else seat.secrets.set(epoch, before);
  seat.profiles.delete(epoch);
  seat.save();
}
