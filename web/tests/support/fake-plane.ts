// A plane in memory, honest unless a test bends what it serves. It keeps the records of one session, made by participants of
// its own, and answers over a fetch.
import {
  drawId,
  formatLink,
  fromBase64Url,
  fromWire,
  Identity,
  Keyring,
  makeCreation,
  participantId,
  Roster,
  sealMessage,
  sealProfile,
  sealTitle,
  toBase64Url,
  Transcript,
  type Bytes,
  type EpochKeys,
  type Head,
  type JsonObject,
  type LinkKind,
  type MessageId,
  type PublicKeys,
  type SessionId,
} from "../../src/seal";
import type { Bye, Checkpoint, State, WireRecord } from "../../src/api/types";

export const ORIGIN = "https://plane.example";
const PAGE = 1_000;
const NOON = "2026-11-30T12:00:00.000Z";

/** What a test may do to a request before the plane sees it: an answer in its place, or undefined. */
export type Hook = (call: string, body: JsonObject | null) => Response | Promise<Response> | undefined;

export class FakePlane {
  readonly session: SessionId = drawId();
  readonly owner: Identity;
  keys: EpochKeys;
  record: Bytes;
  readonly records: WireRecord[] = [];
  /** Bends what is served. */
  bend: (record: WireRecord) => WireRecord | null = (record) => record;
  hook: Hook = () => undefined;
  mode: State["mode"] = { name: "observe", effective: "observe" };
  minSeq = 1;
  checkpoint: Checkpoint | null = null;
  withholdsProfiles = false;
  headSeq: number | null = null;
  readonly calls: string[] = [];
  readonly posts: JsonObject[] = [];
  epochRecords: string[] = [];
  rejoinRecords: string[] = [];
  tokens = new Set<string>();
  readonly #truth: Transcript;
  readonly #reader: { keys: Keyring; roster: Roster; me: null };
  readonly #profiles: { participant_id: string; epoch: number; sealed: string }[] = [];
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #joined = new Map<string, string>();

  private constructor() {
    this.owner = Identity.draw(this.session);
    const { record, keys } = makeCreation(this.session, this.owner.id);
    this.keys = keys;
    this.record = record;
    this.epochRecords = [toBase64Url(record)];
    this.#truth = new Transcript(this.session);
    this.#reader = { keys: new Keyring(), roster: new Roster(), me: null };
    this.#reader.keys.add(keys);
  }

  static async start(): Promise<FakePlane> {
    const plane = new FakePlane();
    await plane.append({ class: "epoch", sender: plane.owner.id, epoch_record: toBase64Url(plane.record) });
    await plane.admit(plane.owner, "Olga", "agent");
    return plane;
  }

  /** The public keys of somebody who joined. */
  rosterKeys(id: string): PublicKeys {
    const known = this.#reader.roster.get(participantId(id));
    if (known === undefined) throw new Error("nobody");
    return known.keys;
  }

  link(kind: LinkKind = "full"): string {
    const secret = this.keys.linkSecret(kind);
    if (secret === null) throw new Error("no secret");
    return formatLink({ origin: ORIGIN, session: this.session, epoch: this.keys.epoch, ...secret });
  }

  get head(): Head {
    return this.#truth.head;
  }

  /** Somebody joins. */
  async admit(who: Identity, name: string, kind: "agent" | "human" = "agent"): Promise<void> {
    await this.join(who.id, toBase64Url(sealProfile(this.keys, who, name)), kind);
  }

  async join(id: string, sealed: string, kind: string): Promise<void> {
    this.#profiles.push({ participant_id: id, epoch: this.keys.epoch, sealed });
    this.#joined.set(id, kind);
    const body = { event: "joined", participant_id: id, kind, capability: "full", sealed_profile: sealed };
    await this.append({ class: "member", sender: id, body: JSON.stringify(body) });
  }

  /** Somebody writes, at the head unless another is given. */
  say(
    who: Identity,
    content: JsonObject,
    head: Head = this.head,
    id: MessageId = drawId(),
  ): Promise<WireRecord> {
    const sealed = toBase64Url(sealMessage(this.keys, who, id, { head, content }));
    return this.append({ class: "message", sender: who.id, item_id: id, sealed });
  }

  chat(who: Identity, text: string): Promise<WireRecord> {
    return this.say(who, { kind: "chat", text });
  }

  notice(body: JsonObject): Promise<WireRecord> {
    return this.append({ class: "notice", body: JSON.stringify(body) });
  }

  /** Appends, and tells those who stream. */
  async append(record: Omit<WireRecord, "seq" | "at" | "epoch">): Promise<WireRecord> {
    const whole: WireRecord = { seq: this.head.seq + 1, at: NOON, epoch: this.keys.epoch, ...record };
    await this.#truth.accept(fromWire(whole), this.#reader);
    this.records.push(whole);
    const served = this.bend(whole);
    if (served !== null) this.stream("record", served, String(whole.seq));
    return whole;
  }

  /** A checkpoint at a seq, with what came before gone. */
  evict(seq: number): void {
    const hash = this.#truth.hashAt(seq);
    if (hash === undefined) throw new Error("no such seq");
    this.minSeq = seq + 1;
    this.checkpoint = { seq, hash: toBase64Url(hash), epoch_record: toBase64Url(this.record) };
  }

  state(): State {
    return {
      created_at: NOON,
      expires_at: "2026-12-30T12:00:00.000Z",
      door: { state: "open", knocking: 0 },
      epoch: this.keys.epoch,
      head_seq: this.headSeq ?? this.head.seq,
      min_seq: this.minSeq,
      mode: this.mode,
      session_id: this.session,
      owner: this.owner.id,
    };
  }

  stream(event: string, data: unknown, id?: string): void {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n${id === undefined ? "" : `id: ${id}\n`}\n`;
    for (const stream of this.#streams) stream.enqueue(new TextEncoder().encode(text));
  }

  /** Ends all streams, with a word or without one. */
  hangUp(bye?: Bye): void {
    if (bye !== undefined) this.stream("bye", bye);
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
  }

  get streams(): number {
    return this.#streams.size;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    const call = `${init.method ?? "GET"} ${pathname.replace(`/v1/sessions/${this.session}`, "")}`;
    this.calls.push(call);
    if (init.signal?.aborted === true) throw new DOMException("aborted", "AbortError");
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as JsonObject) : null;
    const bent = this.hook(call, body);
    if (bent !== undefined) return unlessAborted(bent, init.signal ?? null);
    const token = new Headers(init.headers).get("authorization")?.replace("Bearer ", "") ?? "";
    return this.#answer(call, body, Number(searchParams.get("after") ?? "0"), token, init.signal ?? null);
  };

  async #answer(
    call: string,
    body: JsonObject | null,
    after: number,
    token: string,
    signal: AbortSignal | null,
  ): Promise<Response> {
    if (call === "POST /participants" && body !== null) return this.#join(body);
    if (call === "POST /rejoin") return json({ epoch_records: this.rejoinRecords });
    if (!this.tokens.has(token)) return problem(401, "rekeyed");
    switch (call) {
      case "GET ":
        return json({ state: this.state(), title: this.#title() });
      case "GET /records":
        return json(this.#page(after));
      case "GET /participants":
        return json({
          participants: [...this.#joined].map(([participant_id, kind]) => ({
            participant_id,
            kind,
            capability: "full",
            fetched_seq: 0,
            joined_at: NOON,
            last_seen_at: NOON,
            listening: false,
          })),
          sealed_profiles: this.withholdsProfiles ? [] : this.#profiles,
        });
      case "GET /events":
        return this.#events(after, signal);
      case "POST /records":
        return this.#post(body ?? {});
      case "POST /leave":
        return json({});
      default:
        return call.startsWith("POST /") ? json({ state: this.state() }) : problem(404, "not_found");
    }
  }

  async #join(body: JsonObject): Promise<Response> {
    const participant = body["participant"] as JsonObject;
    const [id, sealed] = [String(participant["participant_id"]), String(participant["sealed_profile"])];
    const isKnown = this.#profiles.some((one) => one.participant_id === id && one.sealed === sealed);
    if (!isKnown) await this.join(id, sealed, String(participant["kind"]));
    const token = `dps_${String(this.tokens.size)}`;
    this.tokens.add(token);
    return json(
      {
        session_token: token,
        capability: "full",
        state: this.state(),
        epoch_records: this.epochRecords,
        title: this.#title(),
      },
      201,
    );
  }

  async #post(body: JsonObject): Promise<Response> {
    this.posts.push(body);
    const id = String(body["message_id"]) as MessageId;
    const known = this.records.find((record) => record.item_id === id);
    if (known !== undefined) return json({ seq: known.seq, at: NOON, state: this.state() });
    if (body["epoch"] !== this.keys.epoch) return problem(409, "epoch_moved");
    const sealed = String(body["sealed"]);
    const sender = [...this.#joined].find(([, kind]) => kind === "human")?.[0] ?? "";
    const { seq } = await this.append({ class: "message", sender, item_id: id, sealed });
    return json({ seq, at: NOON, state: this.state() }, 201);
  }

  #title() {
    const sealed = toBase64Url(sealTitle(this.keys, this.owner, "A title"));
    return { epoch: this.keys.epoch, participant_id: this.owner.id, sealed };
  }

  #page(after: number) {
    const left = this.records.filter(({ seq }) => seq > after && seq >= this.minSeq);
    const records = left.slice(0, PAGE).flatMap((record) => this.bend(record) ?? []);
    const checkpoint =
      this.checkpoint !== null && after < this.minSeq - 1 ? { checkpoint: this.checkpoint } : {};
    return { more: left.length > PAGE, records, state: this.state(), ...checkpoint };
  }

  #events(after: number, signal: AbortSignal | null): Response {
    let own: ReadableStreamDefaultController<Uint8Array> | null = null;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#streams.add(controller);
      },
      cancel: () => {
        if (own !== null) this.#streams.delete(own);
      },
    });
    signal?.addEventListener("abort", () => {
      if (own !== null && this.#streams.delete(own)) own.error(new DOMException("aborted", "AbortError"));
    });
    for (const record of this.records.filter(({ seq }) => seq > after)) {
      const served = this.bend(record);
      if (served !== null) this.stream("record", served, String(record.seq));
    }
    this.stream("state", this.state());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}

/** As a fetch ends for the one who calls it off, whatever the other side does. */
function unlessAborted<T>(answer: T | Promise<T>, signal: AbortSignal | null): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener("abort", () => {
      reject(new DOMException("aborted", "AbortError"));
    });
    Promise.resolve(answer).then(resolve, reject);
  });
}

export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
}

export function problem(status: number, code: string, more: JsonObject = {}): Response {
  const body = { type: "about:blank", title: code, status, detail: "", code, ...more };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}

/** The same record with one byte of its sealed form changed. */
export function altered(record: WireRecord): WireRecord {
  const bytes = fromBase64Url(record.sealed ?? "");
  bytes[60] = (bytes[60] ?? 0) ^ 1;
  return { ...record, sealed: toBase64Url(bytes) };
}
