// An owner made of this app's own cryptography, to re-key without a terminal: the client asks its human at one.
import {
  drawId,
  formatLink,
  fromBase64Url,
  Identity,
  makeAdminRekey,
  makeCreation,
  makeOwnerRekey,
  participantId,
  Roster,
  Keyring,
  sealProfile,
  sealTitle,
  toBase64Url,
  type EpochKeys,
  type LinkKind,
  type SessionId,
} from "../../src/seal";
import type { RealPlane } from "./real";

export class TestOwner {
  readonly session: SessionId;
  readonly me: Identity;
  readonly #plane: RealPlane;
  readonly #machine: string;
  #keys: EpochKeys;
  token = "";

  private constructor(plane: RealPlane, session: SessionId, me: Identity, keys: EpochKeys) {
    this.#plane = plane;
    this.session = session;
    this.me = me;
    this.#keys = keys;
    this.#machine = plane.machineToken;
  }

  /** A session with a title and nothing else. */
  static async create(plane: RealPlane, title: string): Promise<TestOwner> {
    const session = drawId<"session">();
    const me = Identity.draw(session);
    const { record, keys } = makeCreation(session, me.id);
    const owner = new TestOwner(plane, session, me, keys);
    const { session_token: token } = await owner.#call("POST", "", owner.#machine, {
      session_id: session,
      epoch_record: toBase64Url(record),
      title: { participant_id: me.id, epoch: 1, sealed: toBase64Url(sealTitle(keys, me, title)) },
      participant: {
        participant_id: me.id,
        kind: "human",
        rejoin_verifier: toBase64Url(me.rejoinVerifier()),
        sealed_profile: toBase64Url(sealProfile(keys, me, "Olga")),
      },
    });
    owner.token = String(token);
    return owner;
  }

  link(kind: LinkKind): string {
    const secret = this.#keys.linkSecret(kind);
    if (secret === null) throw new Error("no secret");
    return formatLink({
      origin: this.#plane.origin,
      session: this.session,
      epoch: this.#keys.epoch,
      ...secret,
    });
  }

  /** Re-keys so that these stay, with what is said. */
  async rekey(stay: Readonly<Record<string, LinkKind>>): Promise<void> {
    const answer = await this.#call("GET", `/${this.session}/participants?profiles_from_epoch=1`, this.token);
    const [keyring, roster] = [new Keyring(), new Roster()];
    keyring.add(this.#keys);
    for (const { participant_id, epoch, sealed } of answer["sealed_profiles"] as readonly SealedProfile[]) {
      await roster.learn(keyring, participantId(participant_id), epoch, fromBase64Url(sealed));
    }
    const kept = Object.entries({ [this.me.id]: "full" as const, ...stay }).map(([id, capability]) => {
      const known = roster.get(participantId(id));
      if (known === undefined) throw new Error("no profile");
      return { keys: known.keys, capability };
    });
    const { record, keys } = await makeOwnerRekey(this.#keys, this.me, kept, "open");
    await this.#rekey(record, toBase64Url(this.me.rejoinSecret().expose()));
    this.#keys = keys;
  }

  async adminRekey(): Promise<void> {
    const { record, keys } = makeAdminRekey(this.session, this.#keys.epoch);
    await this.#rekey(record);
    this.#keys = keys;
  }

  async end(): Promise<void> {
    await this.#call("DELETE", `/${this.session}`, this.#machine);
  }

  async door(state: "open" | "ask" | "closed"): Promise<void> {
    await this.#call("PUT", `/${this.session}/door`, this.token, { state });
  }

  async decide(participant: string, admit: boolean): Promise<void> {
    await this.#call("POST", `/${this.session}/door/${participant}`, this.token, { admit });
  }

  /** The ids of those who wait before the door. */
  async knocking(): Promise<readonly string[]> {
    const door = await this.#call("GET", `/${this.session}/door`, this.token);
    return (door["knocking"] as readonly { participant_id: string }[]).map(({ participant_id: id }) => id);
  }

  #rekey(record: Uint8Array, rejoin?: string) {
    const body = {
      epoch_record: toBase64Url(record),
      ...(rejoin === undefined ? {} : { rejoin_secret: rejoin }),
    };
    return this.#call("POST", `/${this.session}/rekey`, this.#machine, body);
  }

  async #call(
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.#plane.origin}/v1/sessions${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path.replace(/.*\//, "")}: ${text}`);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  }
}

interface SealedProfile {
  readonly participant_id: string;
  readonly epoch: number;
  readonly sealed: string;
}

/** The plane of this machine gave it to the client of this machine. */
