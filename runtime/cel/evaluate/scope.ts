/** The variables visible at one point of an expression, and the state shared by the whole evaluation. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import type { EvalError } from "../error.ts";
import { stepLimit } from "../step-limit.ts";
import type { Value } from "../value.ts";

/** Returns the value of a name: undefined if the name is unknown, an error if it has no value. */
export type Bindings = (name: string) => Value | EvalError | undefined;

/** The number of loop steps taken in one evaluation (D46). */
export interface StepCount {
  taken: number;
}

/** Receives each sub-expression before and after it is evaluated, and the key of each loop iteration. */
export interface Recorder {
  /** Called before a sub-expression is evaluated. */
  readonly enter: (tree: Expression) => void;
  /** Called with its result. */
  readonly leave: (outcome: Value | EvalError) => void;
  /** Called before each iteration of a loop, with its key. */
  readonly iteration: (key: Value) => void;
}

/** What is shared by one whole evaluation. */
export interface Run {
  /** Values of names outside of macros; `.x` reads them directly. */
  readonly bindings: Bindings;
  readonly context: EvaluationContext;
  readonly steps: StepCount;
  readonly recorder: Recorder | undefined;
  /** The error of the loop that exceeded the step limit, once one has. */
  exhaustedBy: EvalError | undefined;
}

/** The names visible at one point. */
export interface Scope {
  /** Variables of macros, innermost first. */
  readonly names: Name | undefined;
  readonly run: Run;
}

/** A variable of a macro. A loop changes its value in each iteration, which avoids an allocation. */
export interface Name {
  readonly name: string;
  /** Undefined until a lazy variable is read. */
  value: Value | EvalError | undefined;
  /** For a lazy variable: its initialiser, and the scope to evaluate it in. */
  readonly lazy: { readonly init: Expression; readonly scope: Scope } | undefined;
  /** Whether it is the innermost variable of a loop; such names are counted to count loops. */
  readonly ofLoop: boolean;
  readonly next: Name | undefined;
}

/**
 * Evaluates a sub-expression. Passed as an argument, so that the files of this folder do not import each other in
 * cycles.
 */
export type Visit = (tree: Expression, scope: Scope) => Value | EvalError;

/** Whether the evaluation has exceeded the step limit, so that its result is an error. */
export const exhausted = (steps: StepCount): boolean => steps.taken > stepLimit();

/** Returns the scope extended by one variable. */
export const withName = (scope: Scope, name: Name): Scope => ({ names: name, run: scope.run });
