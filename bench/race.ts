/** Times several runners in turn, round by round (A B C, B C A, C A B), so that the noise of a shared machine hits all alike. */
import { processMilliseconds } from "./clock.ts";

/** Nanoseconds of processor time a call, the garbage collector's included: the median of the rounds, and the fastest and slowest round. */
export interface Time {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The length of a race; the shorter one is for looking. */
export interface Course {
  readonly rounds: number;
  readonly warmUpMilliseconds: number;
  readonly roundMilliseconds: number;
}

/** Runs every pass, each of so many calls, and answers their times in the same order. */
export function race(passes: readonly (() => number)[], callsAPass: number, course: Course): readonly Time[] {
  // Code that all share, once it has met the last of them, is compiled anew for the first: so everybody warms up twice.
  for (const pass of passes) warmUp(pass, course);
  const lanes = passes.map((pass) => ({ pass, expected: pass(), passes: warmUp(pass, course), times: [] as number[] }));
  for (let round = 0; round < course.rounds; round++) {
    const first = round % lanes.length;
    for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      globalThis.gc?.();
      const start = processMilliseconds();
      let held = 0;
      for (let n = 0; n < lane.passes; n++) held += lane.pass();
      lane.times.push(((processMilliseconds() - start) * 1e6) / (lane.passes * callsAPass));
      if (held !== lane.expected * lane.passes) throw new Error("the answers changed while they were timed");
    }
  }
  return lanes.map(({ times }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (index: number): number => sorted[index] ?? Number.NaN;
    return { median: at(sorted.length >> 1), least: at(0), most: at(sorted.length - 1) };
  });
}

/** Runs a pass until it is optimised, and answers how many fill a round. */
function warmUp(pass: () => number, { warmUpMilliseconds, roundMilliseconds }: Course): number {
  const run = (atLeast: number): number => {
    const start = processMilliseconds();
    let passes = 0;
    do {
      pass();
      passes++;
    } while (processMilliseconds() - start < atLeast);
    return passes / (processMilliseconds() - start);
  };
  run(warmUpMilliseconds);
  return Math.max(1, Math.round(run(roundMilliseconds) * roundMilliseconds));
}
