/** Work that nobody waits for: in order, with a rest after each step, until somebody stops it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startBackgroundWork } from "../../src/server/background-work.ts";
import { eventually } from "./harness.ts";

const soon = { after: 1, pause: 1, latest: 60_000 };

test.each<readonly [sentence: string, names: readonly string[]]>([
  ["none", []],
  ["one", ["a"]],
  ["several", ["a", "b", "c"]],
])("%s are done once each, in order", async (_sentence, names) => {
  const done: string[] = [];
  startBackgroundWork(
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
  startBackgroundWork(
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

/** Keeps the thread at work, turn after turn, until what is returned is called. */
function atWork(): () => void {
  let isOver = false;
  const turn = (): void => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => void (isOver = true);
}

test("while there is much else to do they wait, and are done as soon as there is time", async () => {
  const done: string[] = [];
  const rest = atWork();
  startBackgroundWork([() => void done.push("a"), () => void done.push("b")], { after: 50, pause: 1, latest: 60_000 });
  await sleep(300);
  expect(done).toEqual([]);
  rest();
  await eventually(
    () => done.length,
    (count) => count === 2,
  );
});

test("however much else there is to do, they do not wait for ever", async () => {
  const done: string[] = [];
  const rest = atWork();
  try {
    startBackgroundWork([() => void done.push("a")], { after: 10, pause: 1, latest: 100 });
    await eventually(
      () => done.length,
      (count) => count === 1,
    );
  } finally {
    rest();
  }
});

test("once it is stopped nothing more is done", async () => {
  const done: string[] = [];
  const stop = startBackgroundWork([() => void done.push("a"), () => stop(), () => void done.push("c")], soon);
  await eventually(
    () => done.length,
    (count) => count > 0,
  );
  await sleep(20);
  expect(done).toEqual(["a"]);
});
