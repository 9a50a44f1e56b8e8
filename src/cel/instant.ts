/** The instant of an evaluation: the present, or what the caller says; for those who do not ask, none. */
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { timestampFromMilliseconds } from "../../runtime/cel/timestamp.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import type { EvaluationOptions } from "./program.ts";
import { isDate } from "./realms.ts";

/** The instant of those who do not ask for it. */
export const epoch: EvaluationContext = Object.freeze({ now: new Timestamp(0, 0) });

/** Answers the instant of an evaluation. */
export function contextAt(options: EvaluationOptions | undefined): EvaluationContext {
  const now = options?.now ?? new Date();
  const milliseconds = isDate(now) ? Number(now) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new TypeError("now must be a valid Date");
  return { now: timestampFromMilliseconds(milliseconds, now === options?.now ? 0 : "local") };
}
