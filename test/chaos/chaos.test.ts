/** The chaos run in short: what must hold however busy the machine is. */
import { expect, test } from "vitest";
import { main } from "../server/process.ts";
import { run } from "./run.ts";

test("stores are changed, broken, mended and cut off, servers come and go, and no answer is wrong", { timeout: 180_000 }, async () => {
  const told: string[] = [];
  const { played, violations } = await run({
    seed: 6,
    seconds: 15,
    program: main,
    stores: ["disk", "git", "sqlite"],
    // No timing is asserted: what is superseded must go some time, and what mixes sets may never come.
    graceMilliseconds: 60_000,
    quietMilliseconds: 0,
    enough: 1,
    onViolation: (text) => void told.push(text),
  });
  expect(violations, told.join("\n")).toEqual([]);
  for (const { counts } of played) expect(Math.min(counts.requests, counts.commits)).toBeGreaterThan(0);
});
