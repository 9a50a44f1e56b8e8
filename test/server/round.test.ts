/** One round of the event loop: everything is done, in order, and nobody waits for others without end. */
import { expect, test } from "vitest";
import { openRounds } from "../../src/server/round.ts";

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("work is done in the order in which it was given, when what had arrived has been read", async () => {
  const later = openRounds(setImmediate);
  const done: string[] = [];
  for (const name of ["first", "second", "third"]) later(() => void done.push(name));
  expect(done).toEqual([]);
  await nextRound();
  expect(done).toEqual(["first", "second", "third"]);
});

test("work that keeps coming does not put off the first of it", () => {
  const later = openRounds(setImmediate);
  const done: number[] = [];
  let given = 0;
  while (done.length === 0) {
    const number = (given += 1);
    later(() => void done.push(number));
  }
  expect(done).toHaveLength(given);
});

test("after a round that did not wait for its end, the next one is done too", async () => {
  const later = openRounds(setImmediate);
  const done: string[] = [];
  while (done.length === 0) later(() => void done.push("early"));
  for (const name of ["second", "third"]) {
    later(() => void done.push(name));
    await nextRound();
    expect(done.at(-1)).toBe(name);
  }
});

test("work that is given by work is done in another round", async () => {
  const later = openRounds(setImmediate);
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

/** How many works come in each turn of a tenth of a millisecond, and the turn at whose end they are done. */
const turns: readonly (readonly [sentence: string, gathers: boolean, coming: readonly number[], doneIn: number])[] = [
  ["one alone waits for nobody", true, [1], 0],
  ["several wait a turn for others", true, [3, 0], 1],
  ["several wait as long as others come", true, [3, 2, 1, 0], 3],
  ["the first of several waits two milliseconds for others, not longer", true, Array.from({ length: 22 }, () => 2), 20],
  ["where nobody is waited for, who comes later is done later", false, [3], 0],
];

test.each(turns)("%s", (_sentence, gathers, coming, doneIn) => {
  const planned: (() => void)[] = [];
  const rounds: number[] = [];
  const done: number[] = [];
  let clock = 0;
  let given = 0;
  const later = openRounds((end) => planned.push(end), { gathers, ended: (works) => rounds.push(works), now: () => clock });
  for (const [turn, count] of coming.entries()) {
    clock = turn / 10;
    for (let work = 0; work < count; work++) {
      const number = (given += 1);
      later(() => void done.push(number));
    }
    for (const end of planned.splice(0)) end();
    if (turn < doneIn) expect(done).toEqual([]);
    else break;
  }
  expect(done).toEqual(Array.from({ length: given }, (_, index) => index + 1));
  expect(rounds).toEqual([given]);
});
