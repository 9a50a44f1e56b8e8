/** Evaluates an expression and records the value or error of each sub-expression that was evaluated. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import { invariant } from "../error.ts";
import { evaluate } from "./evaluate.ts";
import { openRecording, type Trace } from "./recording.ts";
import type { Bindings } from "./scope.ts";

export type { Trace } from "./recording.ts";

/** Evaluates a tree and returns the trace. Its outcome is the result of `evaluate`. */
export function explain(tree: Expression, bindings: Bindings, context: EvaluationContext): Trace {
  const recording = openRecording();
  const outcome = evaluate(tree, bindings, context, { taken: 0 }, recording.recorder);
  const root = recording.root();
  invariant(root !== undefined, "evaluating a tree enters it and leaves it");
  // The step limit is checked at the end and may turn a value into an error.
  return { ...root, outcome };
}
