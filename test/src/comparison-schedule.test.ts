/** How long it takes until a whole directory is compared again. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openComparisonSchedule } from "../../src/store/comparison-schedule.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

interface Situation {
  readonly poll?: number;
  readonly watchesAll?: boolean;
  readonly reportsAll?: boolean;
  /** The readings before: how many milliseconds each took, and whether it compared everything. */
  readonly readings?: readonly (readonly [milliseconds: number, everything: boolean])[];
}

test.each<[sentence: string, situation: Situation, pause: number]>([
  ["as set, at first", {}, 10_000],
  ["as set, where comparing is quick", { readings: [[20, true]] }, 10_000],
  ["longer, where comparing takes long", { readings: [[50, true]] }, 20_000],
  ["not as long, where not every change is reported", { reportsAll: false, readings: [[300, true]] }, 30_000],
  ["never longer than six times what is set", { readings: [[5000, true]] }, 60_000],
  [
    "by the last comparison, not by the one before",
    {
      readings: [
        [5000, true],
        [50, true],
      ],
    },
    20_000,
  ],
  ["by no reading that did not compare everything", { readings: [[5000, false]] }, 10_000],
  [
    "by the last comparison, whatever was read since",
    {
      readings: [
        [50, true],
        [5000, false],
      ],
    },
    20_000,
  ],
  ["two seconds, where not everything is watched, however long it takes", { watchesAll: false, readings: [[5000, true]] }, 2000],
  ["as set, where that is less than two seconds", { watchesAll: false, poll: 100 }, 100],
])("the pause is %s", (_sentence, { poll = 10_000, watchesAll = true, reportsAll = true, readings = [] }, pause) => {
  let compared = 0;
  const watchers = { watchesAll: () => watchesAll, reportsAll: () => reportsAll };
  const comparisons = openComparisonSchedule({ pollMilliseconds: poll, watchers, compareAll: () => void compared++ });
  for (const [milliseconds, everything] of readings) {
    comparisons.begin(everything);
    vi.advanceTimersByTime(milliseconds);
    comparisons.end();
  }
  comparisons.schedule();
  const counts: number[] = [];
  for (let turn = 0; turn < 2; turn++)
    for (const step of [pause - 1, 1]) {
      vi.advanceTimersByTime(step);
      counts.push(compared);
    }
  comparisons.close();
  vi.advanceTimersByTime(600_000);
  expect([...counts, compared]).toEqual([0, 1, 1, 2, 2]);
});

test("the pause begins anew when it is planned anew", () => {
  let compared = 0;
  const watchers = { watchesAll: () => true, reportsAll: () => true };
  const comparisons = openComparisonSchedule({ pollMilliseconds: 100, watchers, compareAll: () => void compared++ });
  comparisons.schedule();
  vi.advanceTimersByTime(60);
  comparisons.schedule();
  vi.advanceTimersByTime(60);
  expect(compared).toBe(0);
  vi.advanceTimersByTime(40);
  expect(compared).toBe(1);
  comparisons.close();
});
