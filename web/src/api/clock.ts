// Time as a value, so that nothing here waits in a test.

export interface Clock {
  /** Milliseconds since the epoch, by this machine. */
  now(): number;
  /** Calls back once, later. Gives what calls it off. */
  after(milliseconds: number, then: () => void): () => void;
}

/** A wait that a signal ends early: it then ends all the same, and whoever waited asks the signal. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted === true) {
      done();
      return;
    }
    const wake = () => {
      signal?.removeEventListener("abort", wake);
      callOff();
      done();
    };
    const callOff = clock.after(milliseconds, wake);
    signal?.addEventListener("abort", wake);
  });
}
