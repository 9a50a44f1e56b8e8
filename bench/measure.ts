/** Times a function: the median of rounds, in nanoseconds a call. */
import { createHash } from "node:crypto";

const rounds = 7;
const roundMilliseconds = 150;

/** Warms up, measures, prints one row, and answers nanoseconds a call. */
export function time(name: string, call: () => unknown): number {
  let sink: unknown;
  const round = (): number => {
    const start = performance.now();
    let calls = 0;
    do {
      for (let batch = 0; batch < 256; batch++) sink = call();
      calls += 256;
    } while (performance.now() - start < roundMilliseconds);
    return ((performance.now() - start) * 1e6) / calls;
  };
  round();
  const times = Array.from({ length: rounds }, round).toSorted((a, b) => a - b);
  const median = times[rounds >> 1] ?? Number.NaN;
  if (sink === times) throw new Error("the result of the call must not be thrown away");
  console.log(`${name.padEnd(32)}${median.toFixed(0).padStart(10)} ns   (${times[0]?.toFixed(0)} to ${times.at(-1)?.toFixed(0)})`);
  return median;
}

/** The digest that bundles are made with. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
