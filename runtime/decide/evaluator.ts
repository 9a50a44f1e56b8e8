/** Policies, indexed -> an evaluator: what answers a batch of inputs with one instant. */
import type { EvaluationContext } from "../cel/declare.ts";
import { timestampFromMilliseconds } from "../cel/timestamp.ts";
import { openBatch } from "./batch.ts";
import { decide, schemaChecksFor } from "./decide.ts";
import type { Decision, Evaluator } from "./decision.ts";
import { listOf } from "./list-of.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { openRouter } from "./router.ts";

/** Opens the evaluator of a policy set. */
export function openEvaluator(index: PolicyIndex): Evaluator {
  const router = openRouter(index);
  // Calls come by the thousand in a second: many share their millisecond.
  let last = { milliseconds: Number.NaN, context: contextOf(0) };
  const contextAt = (milliseconds: number): EvaluationContext => {
    if (last.milliseconds !== milliseconds) last = { milliseconds, context: contextOf(milliseconds) };
    return last.context;
  };
  return {
    check(inputs, options) {
      const { now, clockRead } = options;
      const context = contextAt(now);
      const batch = openBatch(router, clockRead === undefined ? context : heardBy(clockRead, context), options);
      const decisions = listOf<Decision>(inputs.length);
      let index = 0;
      for (const input of inputs) decisions[index] = decide(batch, input, index++, options);
      return decisions;
    },
    schemaChecks: (inputs, options) => inputs.flatMap((input, index) => schemaChecksFor(router, input, index, options)),
  };
}

/** Units hold both objects, and all units of a call share them. */
const contextOf = (milliseconds: number): EvaluationContext =>
  Object.freeze({ now: Object.freeze(timestampFromMilliseconds(milliseconds)) });

/** The same context, for somebody who must know when it is read. */
const heardBy = (clockRead: () => void, { now }: EvaluationContext): EvaluationContext => ({
  get now() {
    clockRead();
    return now;
  },
});
