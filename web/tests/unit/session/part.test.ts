// The part of the page that opens a re-key does not come: that is a server not reached, and no fault of any record.
import { beforeEach, expect, test, vi } from "vitest";
import { makeOwnerRekey, toBase64Url, type NewEpoch } from "../../../src/seal";
import type { View } from "../../../src/session/model";
import { FakePlane } from "../../support/fake-plane";
import { until } from "../../support/seen";
import { reloadAddress, seatedVisit, visit, type Visit } from "../../support/visitor";

/** How often the part was asked for, and whether it comes. */
const part = vi.hoisted(() => ({ asked: 0, comes: true }));

vi.mock("../../../src/seal/hpke-part", async (original) => {
  const real = await original<typeof import("../../../src/seal/hpke-part")>();
  return {
    ...real,
    loadHpke: () => {
      part.asked++;
      return part.comes ? real.loadHpke() : Promise.reject(new real.Unloaded());
    },
  };
});

beforeEach(() => {
  part.comes = true;
});

/** The owner's next epoch, which keeps the visitor. */
async function keeping(plane: FakePlane, { session }: Visit): Promise<NewEpoch> {
  const kept = [plane.owner.keys, plane.rosterKeys(session.view.me?.id ?? "")];
  const made = await makeOwnerRekey(
    plane.keys,
    plane.owner,
    kept.map((keys) => ({ keys, capability: "full" })),
    "open",
  );
  part.asked = 0;
  return made;
}

/** Tried again without an end or an alarm. */
function isWaiting({ connection, phase, integrity, retryAt }: View): boolean {
  return (
    connection === "waiting" &&
    retryAt !== undefined &&
    phase.kind === "seated" &&
    integrity.state === "whole"
  );
}

async function nextTry({ session, clock }: Visit): Promise<View> {
  const { retryAt = 0 } = await until(session, "a pause", isWaiting);
  clock.advance(retryAt - clock.now() + 1);
  return session.view;
}

test("on the way back in: it is tried again, and goes on where the part came", async () => {
  const plane = await FakePlane.start();
  const visited = await seatedVisit(plane);
  const { session } = visited;
  const made = await keeping(plane, visited);
  part.comes = false;
  plane.rejoinRecords = [toBase64Url(made.record)];
  plane.tokens.clear();
  plane.hangUp({ code: "rekeyed" });
  await nextTry(visited);
  await until(session, "a second pause", () => part.asked >= 2);
  expect(await until(session, "the pause", isWaiting)).toMatchObject({ epoch: 1 });
  expect(plane.calls.filter((call) => call === "POST /participants")).toHaveLength(1);
  part.comes = true;
  plane.epochRecords = [...plane.epochRecords, toBase64Url(made.record)];
  plane.keys = made.keys;
  plane.record = made.record;
  await plane.append({ class: "epoch", sender: plane.owner.id, epoch_record: toBase64Url(made.record) });
  await nextTry(visited);
  const view = await until(
    session,
    "the new epoch",
    ({ epoch, connection }) => epoch === 2 && connection === "live",
  );
  expect(view.integrity).toMatchObject({ state: "whole" });
  expect(view.integrity.detail).toBeUndefined();
});

test("while records are read: none enters, none is held against the plane, and a reload knows of no alarm", async () => {
  const plane = await FakePlane.start();
  const visited = await seatedVisit(plane);
  const { session, content } = visited;
  const made = await keeping(plane, visited);
  part.comes = false;
  plane.keys = made.keys;
  await plane.append({ class: "epoch", sender: plane.owner.id, epoch_record: toBase64Url(made.record) });
  await nextTry(visited);
  await until(session, "a second try", () => part.asked >= 2);
  const waiting = await until(session, "the pause", isWaiting);
  expect(waiting.epoch).toBe(1);
  session.close();
  const again = visit(plane, { address: reloadAddress(plane), content });
  part.comes = true;
  const view = await until(again.session, "the new epoch", ({ epoch }) => epoch === 2);
  expect(view.integrity.state).toBe("whole");
});
