// What was learned of participants from valid profiles (crypto.md section 6.2): keys for good, the right to write by
// epoch, names as claims. Where a profile comes from does not matter.
import { codeOf, type SealErrorCode } from "./error";
import type { ParticipantId } from "./ids";
import type { PublicKeys } from "./identity";
import type { JsonObject } from "./json";
import type { Keyring } from "./keys";
import { openProfile } from "./profile";
import type { Author } from "./record";

/** What a profile yielded: the right to write in its epoch, keys alone, nothing for lack of a key, or nothing because it
 * did not open. */
export type Learned = "full" | "view" | "no_key" | SealErrorCode;

export interface Known {
  readonly keys: PublicKeys;
  readonly mayWrite: ReadonlySet<number>;
  /** The epoch of the newest profile learned, whose claims these are. */
  readonly epoch: number;
  readonly name: string;
  readonly members: JsonObject;
}

export class Roster {
  readonly #known = new Map<ParticipantId, Known>();

  /** Takes in a profile from a `joined` event, the participants call, or one's own. A later one without a certificate
   * takes no right away. */
  async learn(
    keyring: Keyring,
    participant: ParticipantId,
    epoch: number,
    sealed: Uint8Array,
  ): Promise<Learned> {
    const keys = keyring.get(epoch);
    if (keys === undefined) return "no_key";
    try {
      const profile = await openProfile(keys, participant, sealed);
      const known = this.#known.get(participant);
      const newest = known === undefined || epoch >= known.epoch ? { ...profile, epoch } : known;
      this.#known.set(participant, {
        // The first key stays, since the id commits to it and what was found out about it is kept with it.
        keys: known?.keys ?? profile.keys,
        mayWrite: new Set([...(known?.mayWrite ?? []), ...(profile.mayWrite ? [epoch] : [])]),
        epoch: newest.epoch,
        name: newest.name,
        members: newest.members,
      });
      return profile.mayWrite ? "full" : "view";
    } catch (thrown) {
      return codeOf(thrown);
    }
  }

  get(participant: ParticipantId): Known | undefined {
    return this.#known.get(participant);
  }

  mayWrite(participant: ParticipantId, epoch: number): boolean {
    return this.#known.get(participant)?.mayWrite.has(epoch) ?? false;
  }

  /** For opening what that participant wrote in that epoch. */
  author(participant: ParticipantId, epoch: number): Author {
    return {
      key: this.#known.get(participant)?.keys.verification ?? null,
      mayWrite: this.mayWrite(participant, epoch),
    };
  }

  entries(): readonly (readonly [ParticipantId, Known])[] {
    return [...this.#known];
  }
}
