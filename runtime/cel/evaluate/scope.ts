/** What names mean at one place of an expression, and what its evaluation may still spend. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import type { EvalError } from "../error.ts";
import { mostSteps } from "../most-steps.ts";
import type { Value } from "../value.ts";

/** Answers a name with its value; undefined when the name is unknown, an error when it has none. */
export type Bindings = (name: string) => Value | EvalError | undefined;

/** How many steps the loops of one evaluation have taken, all together (D46). */
export interface StepCount {
  taken: number;
}

/** Hears of every sub-expression that is evaluated, before and after; loops say which turn begins. */
export interface Recorder {
  readonly enter: (tree: Expression) => void;
  readonly leave: (outcome: Value | EvalError) => void;
  readonly turn: (key: Value) => void;
}

/** What is the same everywhere in one evaluation. */
export interface Run {
  /** What names mean outside every macro: what `.x` asks for. */
  readonly bindings: Bindings;
  readonly context: EvaluationContext;
  readonly steps: StepCount;
  readonly recorder: Recorder | undefined;
  /** The loop that took the last step that there was, once one has. */
  exhaustedBy: EvalError | undefined;
}

/** What names mean here. */
export interface Scope {
  /** The names that macros have given, innermost first. */
  readonly names: Name | undefined;
  readonly run: Run;
}

/** A name that a macro gives. A loop gives it another value each turn, so that a turn costs no allocation. */
export interface Name {
  readonly name: string;
  /** undefined until a lazy one is read. */
  value: Value | EvalError | undefined;
  /** What a lazy one comes to, and where it is evaluated. */
  readonly lazy: { readonly init: Expression; readonly scope: Scope } | undefined;
  /** The last one that a loop gives. */
  readonly ofLoop: boolean;
  readonly next: Name | undefined;
}

/** Evaluates a part of the tree. It is handed down, so that the files of this folder need not import each other in a circle. */
export type Visit = (tree: Expression, scope: Scope) => Value | EvalError;

/** Says whether the evaluation has spent all its steps: then nothing that it came to counts. */
export const exhausted = (steps: StepCount): boolean => steps.taken > mostSteps();

/** Returns the scope inside which one more name is known. */
export const withName = (scope: Scope, name: Name): Scope => ({ names: name, run: scope.run });
