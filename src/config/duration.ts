/** Parses and prints durations as configuration writes them: `10s`, `1h30m`, `250ms`. */
import { parseDuration as parseSpan } from "../../runtime/cel/duration-text.ts";
import { EvalError } from "../../runtime/cel/error.ts";

/** Parses a duration to milliseconds; undefined when it is malformed or negative. */
export function parseDuration(text: string): number | undefined {
  const span = parseSpan(text);
  return span instanceof EvalError || span.seconds < 0 || span.nanos < 0 ? undefined : span.seconds * 1000 + span.nanos / 1e6;
}

const units = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** Prints milliseconds as a duration: `168h`, `1m30s`. */
export function printDuration(milliseconds: number): string {
  let [text, rest] = ["", milliseconds];
  for (const [unit, length] of units) {
    const many = Math.floor(rest / length);
    if (many > 0) text += `${many}${unit}`;
    rest -= many * length;
  }
  return rest > 0 ? `${text}${Number(rest.toFixed(6))}ms` : text === "" ? "0s" : text;
}
