/** Relays the output of a process in complete lines, so that one process alone writes for all, and lines are not interleaved. */
import type { Readable } from "node:stream";

/** Calls `write` with complete lines, as many as arrive together; an incomplete last line is terminated. */
export function relayLines(from: Readable, write: (lines: string) => void): void {
  let rest = "";
  from.setEncoding("utf8");
  from.on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  from.on("end", () => {
    if (rest !== "") write(`${rest}\n`);
  });
  from.on("error", () => undefined); // The process is gone then, which is reported elsewhere.
}
