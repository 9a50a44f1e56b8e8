/** Evaluates an expression and keeps the account: what each sub-expression that was looked at came to. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import { invariant } from "../error.ts";
import { evaluate } from "./evaluate.ts";
import { openRecording, type Trace } from "./recording.ts";
import type { Bindings } from "./scope.ts";

export type { Trace } from "./recording.ts";

/** Evaluates a tree and tells how it came to its value or error. The outcome is what `evaluate` answers. */
export function explain(tree: Expression, bindings: Bindings, context: EvaluationContext): Trace {
  const recording = openRecording();
  const outcome = evaluate(tree, bindings, context, { taken: 0 }, recording.recorder);
  const root = recording.root();
  invariant(root !== undefined, "evaluating a tree enters it and leaves it");
  // Steps are counted at the end: they may turn a value into an error.
  return { ...root, outcome };
}
