// HPKE comes as a part of its own: only who stays over a re-key opens anything with it, and nobody does at first.

type Hpke = typeof import("./hpke");

/** The part did not come. That says nothing of any record, so it is no SealError: the same is to be tried again. */
export class Unloaded extends Error {
  constructor() {
    super("unloaded");
    this.name = "Unloaded";
  }
}

let loading: Promise<Hpke> | undefined;

/** Loads once; a load that failed is forgotten. Throws Unloaded. */
export function loadHpke(): Promise<Hpke> {
  return (loading ??= import("./hpke").catch(() => {
    loading = undefined;
    throw new Unloaded();
  }));
}
