/** Who alone asks again at once finds the process awake; nobody else keeps it from its sleep. */
import { expect, test } from "vitest";
import { openBusyPoll } from "../../src/server/busy-poll.ts";

/** Batches: how many asked, and how many milliseconds after the batch before. */
type Batches = readonly (readonly [asked: number, after: number])[];

const soon = (count: number): Batches => Array.from({ length: count }, () => [1, 0.1]);
const late: Batches = [[1, 5]];

const cases: readonly (readonly [sentence: string, batches: Batches, isAwake: boolean])[] = [
  ["nobody has asked", [], false],
  ["somebody has asked once", late, false],
  ["somebody asks again at once, a few times", [...late, ...soon(7)], false],
  ["somebody asks again at once, and again", [...late, ...soon(8)], true],
  ["somebody who did so pauses once", [...late, ...soon(20), ...late], true],
  ["somebody who did so pauses again and again", [...late, ...soon(20), ...late, ...late], false],
  ["somebody pauses after every few questions", Array.from({ length: 20 }, () => [...late, ...soon(7)]).flat(), false],
  ["several ask at the same time", [...late, ...soon(20), [2, 0.1]], false],
  ["several have asked at the same time, and now one alone", [...late, ...soon(20), [2, 0.1], ...soon(7)], false],
  ["many ask all the time", Array.from({ length: 50 }, () => [12, 0] as const), false],
];

test.each(cases)("%s: awake? %#", (_sentence, batches, isAwake) => {
  let clock = 0;
  const turns: (() => void)[] = [];
  const turnUntil = (end: number): void => {
    for (; turns.length > 0 && clock < end; clock += 0.01) turns.shift()?.();
    clock = end;
  };
  const busyPoll = openBusyPoll({ now: () => clock, turn: (next) => turns.push(next) });
  for (const [asked, after] of batches) {
    turnUntil(clock + after);
    busyPoll(asked, clock);
  }
  turnUntil(clock + 0.1);
  expect(turns.length > 0).toBe(isAwake);
  turnUntil(clock + 0.3);
  expect(turns).toEqual([]);
});
