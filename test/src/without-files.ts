/** Runs something while this process has as many files open as it may: whatever it opens meanwhile is refused (EMFILE). Linux only. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** How many files more than are open now the process is left with, so that the limit can be raised again. */
const reserve = 32;

export async function withoutFiles<T>(run: () => T | Promise<T>): Promise<T> {
  const [, before = ""] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  const setLimit = (most: string): unknown => execFileSync("prlimit", [`--pid=${process.pid}`, `--nofile=${most}:`]);
  setLimit(String(Math.max(...readdirSync("/proc/self/fd").map(Number)) + reserve));
  const filling: number[] = [];
  const fill = (): void => {
    try {
      for (;;) filling.push(openSync("/dev/null", "r"));
    } catch {
      // None is left.
    }
  };
  fill();
  // Connections that close meanwhile leave room.
  const refilling = setInterval(fill, 5);
  try {
    return await run();
  } finally {
    clearInterval(refilling);
    for (const descriptor of filling) closeSync(descriptor);
    setLimit(before);
  }
}
