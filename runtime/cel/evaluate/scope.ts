/** What names mean at one place of an expression, and what its evaluation may still spend. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import { evalError, type EvalError } from "../error.ts";
import { mostSteps } from "../limits.ts";
import type { Value } from "../value.ts";

/** Answers a name with its value; undefined when the name is unknown, an error when it has none. */
export type Bindings = (name: string) => Value | EvalError | undefined;

/** Counts the steps of all comprehensions of one evaluation (D46). */
export interface Steps {
  taken: number;
}

/** What names mean here, what the evaluation knows, what it has spent. */
export interface Scope {
  readonly lookup: Bindings;
  /** What names mean outside every macro: what `.x` asks for. */
  readonly outermost: Bindings;
  readonly context: EvaluationContext;
  readonly steps: Steps;
}

/** Evaluates a part of the tree. It is handed down, so that the files of this folder need not import each other in a circle. */
export type Visit = (tree: Expression, scope: Scope) => Value | EvalError;

/** Says whether the evaluation has spent all its steps: then nothing that it came to counts. */
export const exhausted = (steps: Steps): boolean => steps.taken > mostSteps;

/** The error of an evaluation that cost too much (D46). */
export const tooManySteps: EvalError = evalError("too many steps", `more than ${mostSteps}`);

/** Returns the scope inside which a name stands for what `read` answers. */
export const withName = (scope: Scope, name: string, read: () => Value | EvalError): Scope => ({
  ...scope,
  lookup: (wanted) => (wanted === name ? read() : scope.lookup(wanted)),
});
