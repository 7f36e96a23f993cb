// The part of the cryptography that comes later. Where it does not come, that is the server not reached: nothing is held
// against a record for it, nothing of the record is used, and the same is tried again.
import { PlaneFailure } from "../api/failure";
import { Unloaded } from "../seal";

export { loadHpke } from "../seal";

/** What may need that part. Throws PlaneFailure in place of Unloaded. */
export async function withParts<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw thrown instanceof Unloaded ? new PlaneFailure("unreachable") : thrown;
  }
}
