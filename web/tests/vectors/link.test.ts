// Group `link`: finding the one link in a text, writing it, and withholding its token.
import { describe, expect, test } from "vitest";
import { findLink } from "../../src/seal/link/find";
import { formatLink } from "../../src/seal/link/link";
import { redact } from "../../src/seal/link/redact";
import { expectDistinct, hex, id, kindOf, outcome, secret, vectors } from "./support";

const { ok, bad, format, redact: redacted } = vectors.link;

describe("link", () => {
  test("every case has a name of its own", () => {
    expectDistinct(ok.map(({ name }) => name));
    expectDistinct(bad.map(({ name }) => name));
  });

  test.each(ok)("found: $name", (wanted) => {
    const link = findLink(wanted.text);
    expect({ ...link, secret: hex(link.secret.expose()) }).toEqual({
      origin: wanted.origin,
      kind: kindOf(wanted.kind),
      session: id(wanted.session),
      epoch: wanted.epoch,
      secret: wanted.secret,
    });
  });

  test.each(bad)("refused: $name", async ({ text, error, append_spaces: spaces = 0 }) => {
    expect(await outcome(() => findLink(text + " ".repeat(spaces)))).toEqual({ error });
  });

  test.each(format)("written: $origin, $kind, epoch $epoch", (link) => {
    const written = formatLink({
      origin: link.origin,
      kind: kindOf(link.kind),
      session: id(link.session),
      epoch: link.epoch,
      secret: secret(link.secret),
    });
    expect(written).toBe(link.text);
  });

  test.each(redacted)("withheld, giving: $out", ({ text, out }) => {
    expect(redact(text)).toBe(out);
  });
});
