/** How long a burst of announcements keeps its work waiting. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openDebouncer } from "../../src/follow/debouncer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Announces every so often for so long, each piece of work costing so much and having so many changes; returns when work was done. */
function announce(every: number, until: number, { changes, cost }: { readonly changes: number; readonly cost: number }): readonly number[] {
  const done: number[] = [];
  const debouncer = openDebouncer({
    quietMilliseconds: 40,
    longestWaitMilliseconds: 400,
    run: () => {
      done.push(Math.round(performance.now() - began));
      debouncer.worked(changes, cost);
    },
  });
  const began = performance.now();
  for (let at = 0; at < until; at += every) {
    debouncer.announce();
    vi.advanceTimersByTime(every);
  }
  vi.advanceTimersByTime(10_000);
  debouncer.close();
  return done;
}

const gaps = (times: readonly number[]): readonly number[] => times.map((time, index) => time - (times[index - 1] ?? 0));

test("one change waits for a moment of quiet", () => {
  expect(announce(1, 1, { changes: 1, cost: 10 })).toEqual([40]);
});

test.each([
  ["at once", 0.1, 100],
  ["within a second", 1, 1000],
  ["within three seconds", 3, 3000],
])("a thousand changes %s are at most five pieces of work", (_sentence, every, until) => {
  expect(announce(every, until, { changes: 200, cost: 30 }).length).toBeLessThanOrEqual(5);
});

test.each([
  ["a change after the other without end", 10, { changes: 100, cost: 20 }],
  ["a store that is asked every half second, after much has changed", 500, { changes: 100, cost: 20 }],
  ["a store that is asked all the time", 30, { changes: 100, cost: 20 }],
  ["work that takes long", 10, { changes: 100, cost: 1500 }],
])("%s is never waited for much longer than two seconds", (_sentence, every, work) => {
  const done = announce(every, 30_000, work);
  expect(done.length).toBeGreaterThan(10);
  expect(Math.max(...gaps(done))).toBeLessThanOrEqual(2600);
});

test("work that takes longer than that leaves as much time as it takes", () => {
  expect(Math.min(...gaps(announce(10, 60_000, { changes: 100, cost: 5000 })).slice(1, -1))).toBeGreaterThanOrEqual(5000);
});

test("what is closed does no more work", () => {
  let done = 0;
  const debouncer = openDebouncer({ quietMilliseconds: 40, longestWaitMilliseconds: 400, run: () => void done++ });
  debouncer.announce();
  debouncer.close();
  debouncer.announce();
  vi.advanceTimersByTime(1000);
  expect(done).toBe(0);
});
