// The session's view as a value that components follow. The view is replaced as a whole, so nothing inside is watched.
import type { Session, View } from "../session/model";

export class Watched {
  #view: View;
  readonly #end: () => void;

  constructor(readonly session: Session) {
    this.#view = $state.raw(session.view);
    this.#end = session.subscribe((view) => (this.#view = view));
  }

  get view(): View {
    return this.#view;
  }

  end(): void {
    this.#end();
  }
}
