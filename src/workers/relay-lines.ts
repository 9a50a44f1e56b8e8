/** Relays what a process writes in whole lines: one process alone writes for all, so that no two lines mix. */
import type { Readable } from "node:stream";

/** Hands lines over, with their line feeds and as many as come together, once they are whole; a last one that never was, at the end. */
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
  from.on("error", () => undefined); // then the process is gone too, and of that others tell
}
