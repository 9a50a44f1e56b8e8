/** Work that nobody waits for: in order, with a rest after each step, until somebody stops it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startSteps } from "../../src/server/steps.ts";
import { eventually } from "./harness.ts";

const soon = { after: 1, pause: 1 };

test.each<readonly [sentence: string, names: readonly string[]]>([
  ["none", []],
  ["one", ["a"]],
  ["several", ["a", "b", "c"]],
])("%s are done once each, in order", async (_sentence, names) => {
  const done: string[] = [];
  startSteps(
    names.map((name) => () => void done.push(name)),
    soon,
  );
  expect(done).toEqual([]);
  await eventually(
    () => done.length,
    (count) => count >= names.length,
  );
  await sleep(20);
  expect(done).toEqual(names);
});

test("between two of them whatever else waits has its turn", async () => {
  const done: string[] = [];
  startSteps(
    ["a", "b"].map((name) => () => {
      done.push(name);
      setImmediate(() => void done.push("else"));
    }),
    soon,
  );
  await eventually(
    () => done.length,
    (count) => count >= 4,
  );
  expect(done).toEqual(["a", "else", "b", "else"]);
});

test("once it is stopped nothing more is done", async () => {
  const done: string[] = [];
  const stop = startSteps([() => void done.push("a"), () => stop(), () => void done.push("c")], soon);
  await eventually(
    () => done.length,
    (count) => count > 0,
  );
  await sleep(20);
  expect(done).toEqual(["a"]);
});
