/** Whatever changes come, one after another or together: the set that is compiled in part is the set that is compiled afresh. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { apply, openFiles, start, steps } from "./changes.ts";
import { follow } from "./harness.ts";

const numRuns = Number(process.env["AUTHZ_CHANGES"] ?? 40);

test("a changed set has the bytes and the diagnostics of one compiled afresh, and leaves the last good one where it has mistakes", () => {
  const counts = { good: 0, broken: 0, parts: 0 };
  fc.assert(
    fc.property(steps, (history) => {
      const sourcesOf = openFiles();
      const { next } = follow();
      let [store, good] = [start, start];
      expect(next(sourcesOf(start, 0)).compilation.compiled).toBeDefined();
      for (const { fromGood, edits, cut } of history) {
        store = apply(fromGood ? good : store, edits);
        const { compilation, isPart } = next(sourcesOf(store, cut));
        counts[compilation.compiled === undefined ? "broken" : "good"]++;
        if (compilation.compiled !== undefined) good = store;
        if (isPart) counts.parts++;
      }
    }),
    { numRuns },
  );
  // Else this would be about nothing.
  expect(counts.good).toBeGreaterThan(numRuns);
  expect(counts.broken).toBeGreaterThan(numRuns / 2);
  expect(counts.parts).toBeGreaterThan(counts.good * 0.9);
});
