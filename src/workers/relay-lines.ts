/** What a process writes, line by line: one process alone writes for all, so that no two lines mix. */
import type { Readable } from "node:stream";

/** Hands over each line, with its line feed, once it is whole; a last one that never was, at the end. */
export function relayLines(from: Readable, write: (line: string) => void): void {
  let rest = "";
  from.setEncoding("utf8");
  from.on("data", (text: string) => {
    const [first = "", ...lines] = text.split("\n");
    rest += first;
    for (const line of lines) {
      write(`${rest}\n`);
      rest = line;
    }
  });
  from.on("end", () => {
    if (rest !== "") write(`${rest}\n`);
  });
  from.on("error", () => undefined); // then the process is gone too, and of that others tell
}
