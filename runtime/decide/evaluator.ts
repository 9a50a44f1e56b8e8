/** Policies, indexed -> an evaluator: what answers a batch of inputs with one instant. */
import type { EvaluationContext } from "../cel/declare.ts";
import { timestampFromMilliseconds } from "../cel/timestamp.ts";
import { openBatch } from "./batch.ts";
import { decide, schemaChecksFor } from "./decide.ts";
import type { Evaluator } from "./decision.ts";
import type { CheckOptions } from "./input.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { openRouter } from "./router.ts";

/** Opens the evaluator of a policy set. */
export function openEvaluator(index: PolicyIndex): Evaluator {
  const router = openRouter(index);
  return {
    check(inputs, options) {
      const batch = openBatch(router, contextOf(options), inputs.length);
      return inputs.map((input, index) => decide(batch, input, index, options));
    },
    schemaChecks: (inputs, options) => inputs.flatMap((input, index) => schemaChecksFor(router, input, index, options)),
  };
}

function contextOf({ now: milliseconds, clockRead }: CheckOptions): EvaluationContext {
  // Units hold both, and all units of a call share them.
  const now = Object.freeze(timestampFromMilliseconds(milliseconds));
  if (clockRead === undefined) return Object.freeze({ now });
  return {
    get now() {
      clockRead();
      return now;
    },
  };
}
