// The calls of one session by name (plane-api.md). Says which of them may be sent twice; what their answers mean is for
// src/session.
import * as answers from "./answers";
import { checked, type Client } from "./client";
import type { EpochRecords, Join, Joined, Knocking, Page, Participants, Post, Posted } from "./types";
import type { Propose, Rejoin, SessionView, SetTitle, State } from "./types";

/** Records a request: the most a plane gives. */
const PAGE = 1_000;

/** What came of asking to be let in. */
export type Entry =
  | { readonly type: "joined"; readonly joined: Joined }
  | { readonly type: "knocking"; readonly knocking: Knocking };

export class Plane {
  readonly client: Client;
  readonly #base: string;

  /** `session` is its id with hyphens. */
  constructor(client: Client, session: string) {
    this.client = client;
    this.#base = `/v1/sessions/${session}`;
  }

  /** Not sent again by itself: a repeat has another body (crypto.md section 6.1). */
  async join(join: Join, signal?: AbortSignal): Promise<Entry> {
    const { status, body } = await this.client.answer({
      method: "POST",
      path: `${this.#base}/participants`,
      body: join,
      repeatable: false,
      ...maybe(signal),
    });
    return status === 202
      ? { type: "knocking", knocking: checked(body, answers.knocking) }
      : { type: "joined", joined: checked(body, answers.joined) };
  }

  rejoin(rejoin: Rejoin, signal?: AbortSignal): Promise<EpochRecords> {
    return this.client.json(
      { method: "POST", path: `${this.#base}/rejoin`, body: rejoin, repeatable: true, ...maybe(signal) },
      answers.epochRecords,
    );
  }

  /** Where the session is, and its title. */
  look(token: string, signal?: AbortSignal): Promise<SessionView> {
    return this.client.json(
      { method: "GET", path: this.#base, token, repeatable: true, ...maybe(signal) },
      answers.sessionView,
    );
  }

  records(token: string, after: number, signal?: AbortSignal): Promise<Page> {
    return this.client.json(
      {
        method: "GET",
        path: `${this.#base}/records?after=${String(after)}&limit=${String(PAGE)}`,
        token,
        repeatable: true,
        ...maybe(signal),
      },
      answers.page,
    );
  }

  /** Everybody; with the profiles of an epoch and later ones where it is named. */
  participants(token: string, fromEpoch: number | null, signal?: AbortSignal): Promise<Participants> {
    const query = fromEpoch === null ? "" : `?profiles_from_epoch=${String(fromEpoch)}`;
    return this.client.json(
      {
        method: "GET",
        path: `${this.#base}/participants${query}`,
        token,
        repeatable: true,
        ...maybe(signal),
      },
      answers.participants,
    );
  }

  /** The same message id and bytes again are the same record. Not sent again by itself: who posts has to know of each try
   * whether it may have been stored. */
  post(token: string, post: Post, signal?: AbortSignal): Promise<Posted> {
    return this.client.json(
      {
        method: "POST",
        path: `${this.#base}/records`,
        token,
        body: post,
        repeatable: false,
        ...maybe(signal),
      },
      answers.posted,
    );
  }

  setMode(token: string, set: "observe" | "relay"): Promise<State> {
    return this.#state("POST", "mode", token, { set });
  }

  propose(token: string, propose: Propose): Promise<State> {
    return this.#state("POST", "auto", token, propose);
  }

  accept(token: string, proposal: string): Promise<State> {
    return this.#state("POST", "auto/accept", token, { proposal_id: proposal });
  }

  decline(token: string, proposal: string): Promise<State> {
    return this.#state("POST", "auto/decline", token, { proposal_id: proposal });
  }

  stop(token: string): Promise<State> {
    return this.#state("POST", "auto/stop", token, {});
  }

  setTitle(token: string, title: SetTitle): Promise<State> {
    return this.#state("PUT", "title", token, title);
  }

  async leave(token: string): Promise<void> {
    const request = {
      method: "POST",
      path: `${this.#base}/leave`,
      token,
      body: {},
      repeatable: true,
    } as const;
    await this.client.json(request, answers.nothing);
  }

  /** The stream of what comes after a seq. */
  events(token: string, after: number, lastEventId: string | null, signal: AbortSignal) {
    return this.client.stream(
      {
        method: "GET",
        path: `${this.#base}/events?after=${String(after)}`,
        token,
        repeatable: false,
        signal,
      },
      lastEventId,
    );
  }

  async #state(method: "POST" | "PUT", call: string, token: string, body: unknown): Promise<State> {
    const path = `${this.#base}/${call}`;
    return (await this.client.json({ method, path, token, body, repeatable: true }, answers.stateAnswer))
      .state;
  }
}

function maybe(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
