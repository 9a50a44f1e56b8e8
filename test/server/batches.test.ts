/** One round of the event loop: everything is done, in order, and nobody waits for others without end. */
import { expect, test } from "vitest";
import { openBatches } from "../../src/server/batches.ts";

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("work is done in the order in which it was given, when what had arrived has been read", async () => {
  const later = openBatches(setImmediate);
  const done: string[] = [];
  for (const name of ["first", "second", "third"]) later(() => void done.push(name));
  expect(done).toEqual([]);
  await nextRound();
  expect(done).toEqual(["first", "second", "third"]);
});

test("work that keeps coming does not put off the first of it", () => {
  const later = openBatches(setImmediate);
  const done: number[] = [];
  let given = 0;
  while (done.length === 0) {
    const number = (given += 1);
    later(() => void done.push(number));
  }
  expect(done).toHaveLength(given);
});

test("after a round that did not wait for its end, the next one is done too", async () => {
  const later = openBatches(setImmediate);
  const done: string[] = [];
  while (done.length === 0) later(() => void done.push("early"));
  for (const name of ["second", "third"]) {
    later(() => void done.push(name));
    await nextRound();
    expect(done.at(-1)).toBe(name);
  }
});

test("a round of many takes in those who come in the next turn, and then no more; one of few does not wait", async () => {
  const later = openBatches(setImmediate, { extendsFrom: 3, now: () => 0 });
  const done: number[] = [];
  const give = (...numbers: readonly number[]): void => numbers.forEach((number) => later(() => void done.push(number)));
  give(1, 2, 3);
  await nextRound();
  expect(done).toEqual([]);
  give(4);
  await nextRound();
  expect(done).toEqual([1, 2, 3, 4]);
  give(5, 6);
  await nextRound();
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  give(7, 8, 9);
  await nextRound();
  await nextRound();
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a round that has lasted for half of the longest wait does not take in others", async () => {
  let now = 0;
  const later = openBatches(setImmediate, { extendsFrom: 2, now: () => now });
  const done: string[] = [];
  for (const name of ["first", "second"]) later(() => void done.push(name));
  now = 1;
  await nextRound();
  expect(done).toEqual(["first", "second"]);
});

test("work that is given by work is done in another round", async () => {
  const later = openBatches(setImmediate);
  const done: string[] = [];
  later(() => {
    later(() => void done.push("second"));
    done.push("first");
  });
  await nextRound();
  expect(done).toEqual(["first"]);
  await nextRound();
  expect(done).toEqual(["first", "second"]);
});
