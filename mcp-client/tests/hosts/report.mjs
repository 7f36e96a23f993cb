// What was checked, one line a check. The first that fails ends its host, and the run with a failure.

/** The checks of one host. */
export class Report {
  #title;
  #lines = 0;

  constructor({ title, version }) {
    this.#title = `${title} ${version}`;
  }

  /** Runs one check and says how it went; gives what the check gave. */
  async check(what, run) {
    try {
      const result = await run();
      this.#say("ok", what);
      return result;
    } catch (error) {
      this.#say("FAILED", what);
      throw error;
    }
  }

  get lines() {
    return this.#lines;
  }

  #say(outcome, what) {
    this.#lines += 1;
    console.log(`${outcome.padEnd(7)} ${this.#title.padEnd(24)} ${what}`);
  }
}

/** Fails with all that a program said. */
export function expect(holds, why, ran) {
  if (!holds) {
    throw new Error(ran === undefined ? why : `${why}\n${typeof ran === "string" ? ran : JSON.stringify(ran, null, 2)}`);
  }
}
