// A secret of 32 bytes that does not spill: it stays out of JSON, of texts and of what a console prints, and can be
// wiped. It promises no more than that (crypto.md section 15).
import { copyOf, wipe, type Bytes } from "./bytes";
import { SealError } from "./error";
import { KEY_LEN } from "./limits";
import { systemRandom, type Random } from "./random";

export class Secret {
  readonly #bytes: Bytes;

  /** Takes a copy. Throws bad_encoding unless there are 32 bytes. */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== KEY_LEN) throw new SealError("bad_encoding");
    this.#bytes = copyOf(bytes);
  }

  static draw(random: Random = systemRandom): Secret {
    const bytes = random(KEY_LEN);
    const secret = new Secret(bytes);
    wipe(bytes);
    return secret;
  }

  /** The bytes themselves, not a copy: do not keep them. */
  expose(): Bytes {
    return this.#bytes;
  }

  wipe(): void {
    wipe(this.#bytes);
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }
}

/** What a link or an entry of a re-key gives: to read and write, or to read. */
export type LinkKind = "full" | "view";

/** The secret of one epoch, S for a full link, R for a view link (crypto.md section 3). */
export interface LinkSecret {
  readonly kind: LinkKind;
  readonly secret: Secret;
}
