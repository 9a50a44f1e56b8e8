/** Work that waits for its turn. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { openSerialQueue } from "../../src/serial-queue.ts";

test("each piece begins when those before it have ended, also where one has failed; the failure is its caller's alone", async () => {
  const { inTurn, ended } = openSerialQueue();
  const seen: string[] = [];
  const piece = (name: string, fails = false) =>
    inTurn(async () => {
      seen.push(`${name} begins`);
      await nextTurn();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const answers = Promise.allSettled([piece("a"), piece("b", true), piece("c")]);
  await ended();
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(await answers).toMatchObject([{ value: "a" }, { reason: { message: "b" } }, { value: "c" }]);
});
