/** Durations as configuration writes them: `10s`, `1h30m`, `250ms`. */
import { parseDuration as parseSpan } from "../../runtime/cel/duration-text.ts";
import { EvalError } from "../../runtime/cel/error.ts";

/** Returns the milliseconds of a duration, or undefined when the text is not one, or less than nothing. */
export function parseDuration(text: string): number | undefined {
  const span = parseSpan(text);
  return span instanceof EvalError || span.seconds < 0 ? undefined : span.seconds * 1000 + span.nanos / 1e6;
}
