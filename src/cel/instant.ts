/** The instant of an evaluation: the current time, or the caller's. Expressions that do not use it get a constant. */
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { timestampFromMilliseconds } from "../../runtime/cel/timestamp.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import type { EvaluationOptions } from "./program.ts";
import { isDate } from "./realms.ts";

/** The instant for expressions that do not use it. */
export const epoch: EvaluationContext = Object.freeze({ now: new Timestamp(0, 0) });

/** Returns the context of an evaluation with its instant; throws a TypeError when `now` is not a valid Date. */
export function contextAt(options: EvaluationOptions | undefined): EvaluationContext {
  const now = options?.now ?? new Date();
  const milliseconds = isDate(now) ? Number(now) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new TypeError("now must be a valid Date");
  return { now: timestampFromMilliseconds(milliseconds, now === options?.now ? 0 : "local") };
}
