/** Builds an evaluator from indexed policies. */
import type { EvaluationContext } from "../cel/declare.ts";
import { timestampFromMilliseconds } from "../cel/timestamp.ts";
import type { Offset } from "../cel/value.ts";
import { type Batch, openBatch } from "./batch.ts";
import { decide, schemaChecksFor } from "./decide.ts";
import type { Evaluator } from "./decision.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { openRouter } from "./router.ts";
import { allowsFast, decideFast, canTakeFastPath } from "./fast-path.ts";

/** Returns the evaluator of a set of policies. It is synchronous, and keeps caches between calls. */
export function openEvaluator(index: PolicyIndex): Evaluator {
  const router = openRouter(index);
  // Thousands of calls arrive each second, so many share a millisecond.
  let last: Last = { milliseconds: Number.NaN, offset: undefined, context: contextOf(0, undefined) };
  const isLast = ({ now, nowOffset }: CheckOptions): boolean => now === last.milliseconds && nowOffset === last.offset;
  const openContext = (options: CheckOptions): EvaluationContext => {
    const { now, nowOffset, clockRead } = options;
    if (!isLast(options)) last = { milliseconds: now, offset: nowOffset, context: contextOf(now, nowOffset) };
    return clockRead === undefined ? last.context : reportingClock(clockRead, last.context.now);
  };
  const contextFor = (options: CheckOptions): EvaluationContext =>
    isLast(options) && options.clockRead === undefined ? last.context : openContext(options);
  const check: Evaluator["check"] = (inputs, options) => {
    const context = contextFor(options);
    const mayGoFast = canTakeFastPath(options);
    let batch: Batch | undefined;
    return inputs.map(
      (input, index) =>
        (mayGoFast ? decideFast(router, context, input, options) : undefined) ??
        decide((batch ??= openBatch(router, context, options)), input, index, options),
    );
  };
  const isAllowed = (input: CheckInput, options: CheckOptions): boolean =>
    check([input], options)[0]?.actions.get(input.actions[0] ?? "")?.effect === "EFFECT_ALLOW";
  return {
    check,
    allows: (input, options) => allowsFast(router, contextFor(options), input, options) ?? isAllowed(input, options),
    schemaChecks: (inputs, options) => inputs.flatMap((input, index) => schemaChecksFor(router, input, index, options)),
  };
}

/** Frozen, because the units read both objects, and all units of a call share them. */
const contextOf = (milliseconds: number, offset: Offset | undefined): EvaluationContext =>
  Object.freeze({ now: Object.freeze(timestampFromMilliseconds(milliseconds, offset)) });

/** The context of the last call, and what it was built from. */
interface Last {
  readonly milliseconds: number;
  readonly offset: Offset | undefined;
  readonly context: EvaluationContext;
}

/** The same context, but reports when the time is read. */
const reportingClock = (clockRead: () => void, now: EvaluationContext["now"]): EvaluationContext => ({
  get now() {
    clockRead();
    return now;
  },
});
