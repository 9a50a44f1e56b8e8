/** Evaluates an expression with generated code, each evaluation within bounds. */
import { asksForTheInstant } from "../../compiler/cel/constant.ts";
import type { ExpressionProgram } from "../../compiler/emit/expression-program.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { mostWork, withWork } from "../../runtime/cel/work.ts";
import { emitted } from "../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../runtime/load.ts";
import { CompilationError } from "./compilation-error.ts";
import { canCostMuch, isTooMuch } from "./cost.ts";
import { detacherFor } from "./detach.ts";
import { Evaluation, refuse } from "./evaluation.ts";
import { contextAt } from "./instant.ts";
import type { EvaluationOptions } from "./program.ts";

/** What can be asked of an expression; `undefined` is CEL's error. */
export interface Questions {
  readonly test: Question<boolean>;
  readonly value: Question<Value | undefined>;
}

/** One question, asked over variables that were read. */
export type Question<T> = (variables?: object, options?: EvaluationOptions) => T;

/** What the program of an expression sees as `rt`. */
export const runtime = Object.freeze({
  ...emitted,
  noVariables: Object.freeze({}),
  evaluation: (): Evaluation => new Evaluation(),
  failed,
  refuse,
});

/** Ends an evaluation that cost too much, which is an error like any other. */
function failed<T>(trouble: unknown, whenFailed: T): T {
  if (isTooMuch(trouble)) return whenFailed;
  throw trouble;
}

/** The factory that the text of a program is. */
export type Factory = (rt: typeof runtime, k: readonly Value[]) => Made;

interface Made {
  readonly evaluation: Evaluation;
  readonly test: Generated<boolean>;
  readonly value: Generated<Value | undefined>;
}

type Generated<T> = (variables?: object, options?: EvaluationOptions, q?: Evaluation) => T;

/** Loads the program of an expression. Throws a `CompilationError` when making its constants costs too much. */
export function questionsOf(text: string, program: ExpressionProgram, tree: Expression): Questions {
  // A true edge: the emitter vouches for what its text is.
  const factory = evaluateInThisRealm(program.text) as Factory;
  const { evaluation, test, value } = withConstants(text, () => factory(runtime, program.constants));
  const ask = asksForTheInstant(tree) ? withInstant(evaluation, canCostMuch(tree)) : asItIs;
  const detach = detacherFor(tree);
  return { test: ask(test), value: detach === undefined ? ask(value) : detached(ask(value), detach) };
}

const asItIs = <T>(run: Generated<T>): Question<T> => run;

const withInstant =
  (evaluation: Evaluation, onAccount: boolean) =>
  <T>(run: Generated<T>): Question<T> =>
  (variables = runtime.noVariables, options) => {
    const context = contextAt(options);
    return run(variables, options, onAccount ? evaluation.openOnAccount(variables, context) : evaluation.open(variables, context));
  };

/** What comes out may be too deep to copy. */
const detached =
  (ask: Question<Value | undefined>, detach: (value: Value) => Value): Question<Value | undefined> =>
  (variables, options) => {
    const made = ask(variables, options);
    if (typeof made !== "object" || made === null) return made;
    try {
      return detach(made);
    } catch (trouble) {
      return failed(trouble, undefined);
    }
  };

/** Constants are made once, when the program is loaded, and may cost as much as anything else. */
function withConstants<T>(text: string, make: () => T): T {
  try {
    return withWork(mostWork, 0, make);
  } catch (trouble) {
    if (!isTooMuch(trouble)) throw trouble;
    throw new CompilationError(text, [{ start: 0, end: text.length, message: "the constants of the expression cost too much to make" }]);
  }
}
