// What stays in the address bar: never a part of a link, however a program wrote it.
import { expect, test } from "vitest";
import { withoutLink } from "../../../src/page/address-bar";

const ID = "a4d75a84-e18e-4bec-8356-3fc690c9b9dd";

test.each([
  [`/s/${ID}`, `/s/${ID}`],
  [`/s/${ID}/`, `/s/${ID}`],
  [`/s/${ID.replaceAll("-", "")}`, `/s/${ID.replaceAll("-", "")}`],
  [`/s/${ID}%23dp1fsecret`, `/s/${ID}`],
  [`/s/${ID}%2523dp1fsecret`, `/s/${ID}`],
  [`/s/${ID}/dp1fsecret`, `/s/${ID}`],
  [`/S/${ID.toUpperCase()}`, `/s/${ID}`],
  [`/S/${ID.toUpperCase()}%23DP1FSECRET`, `/s/${ID}`],
  ["/elsewhere/dp1fsecret", "/s/"],
])("%s leaves %s", (path, left) => expect(withoutLink(path)).toBe(left));
