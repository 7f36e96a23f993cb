// Is an answer what it must be? The types of a schema promise nothing at run time, and the plane may send anything. Small
// checks are put together to larger ones; what they don't name is ignored, as answers of a later version want it.

/** Gives the value as what it was found to be. Throws Misshapen. */
export type Check<T> = (value: unknown) => T;

/** An answer of a form that this version does not understand. Says nothing of what stood in it. */
export class Misshapen extends Error {
  constructor() {
    super("misshapen");
    this.name = "Misshapen";
  }
}

type Checks = Readonly<Record<string, Check<unknown>>>;
type Checked<C extends Checks> = { readonly [Name in keyof C]: ReturnType<C[Name]> };

export const text: Check<string> = (value) => {
  if (typeof value !== "string") throw new Misshapen();
  return value;
};

export const yesOrNo: Check<boolean> = (value) => {
  if (typeof value !== "boolean") throw new Misshapen();
  return value;
};

/** A whole number from 0. */
export const count: Check<number> = (value) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new Misshapen();
  return value;
};

export function word<const Word extends string>(...words: readonly Word[]): Check<Word> {
  return (value) => {
    const found = words.find((known) => known === value);
    if (found === undefined) throw new Misshapen();
    return found;
  };
}

export function list<T>(item: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Misshapen();
    return value.map(item);
  };
}

/** Members that must be there, and members that may be absent or null. */
export function object<Needed extends Checks, Maybe extends Checks>(
  needed: Needed,
  maybe: Maybe,
): Check<Checked<Needed> & Partial<Checked<Maybe>>> {
  return (value) => {
    if (!isMembers(value)) throw new Misshapen();
    const found: Record<string, unknown> = {};
    for (const [name, check] of Object.entries(needed)) found[name] = check(own(value, name));
    for (const [name, check] of Object.entries(maybe)) {
      const member = own(value, name);
      if (member !== undefined && member !== null) found[name] = check(member);
    }
    // Each member was put there by its check.
    return found as Checked<Needed> & Partial<Checked<Maybe>>;
  };
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Nothing that an object has by its prototype. */
function own(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
