/** Work that many ask for at once is run for all of them, and nobody gets what is older than the question. */
import { expect, test } from "vitest";
import { onceForAll } from "../../src/server/http/once-for-all.ts";

test("who asks while it runs shares the next run, whether or not this one succeeds", async () => {
  let runs = 0;
  const ends: (() => void)[] = [];
  const ask = onceForAll(async () => {
    const run = ++runs;
    await new Promise<void>((resolve) => ends.push(resolve));
    if (run === 1) throw new Error("not now");
    return run;
  });
  const first = ask().catch((error: unknown) => String(error));
  const others = [ask(), ask(), ask()];
  expect(runs).toBe(1);
  ends.shift()?.();
  expect(await first).toBe("Error: not now");
  await new Promise((resolve) => setImmediate(resolve));
  const last = [ask(), ask()];
  ends.shift()?.();
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  ends.shift()?.();
  expect(await Promise.all(last)).toEqual([3, 3]);
  expect(runs).toBe(3);
});
