/** Evaluates an expression with generated code; every evaluation is bounded. */
import { readsCurrentTime } from "../../compiler/cel/constant.ts";
import type { ExpressionProgram } from "../../compiler/emit/expression-program.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { maxWork, withWork } from "../../runtime/cel/work.ts";
import { emitted } from "../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../runtime/load.ts";
import { CompilationError } from "./compilation-error.ts";
import { canCostMuch, isTooMuch } from "./cost.ts";
import { detacherFor } from "./detach.ts";
import { Evaluation, refuse } from "./evaluation.ts";
import { contextAt } from "./instant.ts";
import type { EvaluationOptions } from "./program.ts";

/** The two ways to evaluate an expression; `undefined` stands for a CEL error. */
export interface Questions {
  readonly test: Question<boolean>;
  readonly value: Question<Value | undefined>;
}

/** An evaluation over converted variables. */
export type Question<T> = (variables?: object, options?: EvaluationOptions) => T;

/** The object that a program sees as `rt`. */
export const runtime = Object.freeze({
  ...emitted,
  noVariables: Object.freeze({}),
  evaluation: (): Evaluation => new Evaluation(),
  failed,
  refuse,
});

/** Ends an evaluation that exceeded a limit, which is an ordinary CEL error. */
function failed<T>(trouble: unknown, whenFailed: T): T {
  if (isTooMuch(trouble)) return whenFailed;
  throw trouble;
}

/** The factory function that a program's source evaluates to. */
export type Factory = (rt: typeof runtime, k: readonly Value[]) => Made;

interface Made {
  readonly evaluation: Evaluation;
  readonly test: Generated<boolean>;
  readonly value: Generated<Value | undefined>;
}

type Generated<T> = (variables?: object, options?: EvaluationOptions, q?: Evaluation) => T;

/** Loads the program of an expression. Throws a `CompilationError` when computing its constants exceeds a limit. */
export function questionsOf(text: string, program: ExpressionProgram, tree: Expression): Questions {
  // This cast trusts the emitter.
  const factory = evaluateInThisRealm(program.text) as Factory;
  const { evaluation, test, value } = withConstants(text, () => factory(runtime, program.constants));
  const ask = readsCurrentTime(tree) ? withInstant(evaluation, canCostMuch(tree)) : asItIs;
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

/** Copying a result can fail because it is nested too deep. */
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

/** Constants are computed once, when the program is loaded, within the same limit as an evaluation. */
function withConstants<T>(text: string, make: () => T): T {
  try {
    return withWork(maxWork, 0, make);
  } catch (trouble) {
    if (!isTooMuch(trouble)) throw trouble;
    throw new CompilationError(text, [{ start: 0, end: text.length, message: "the constants of the expression cost too much to make" }]);
  }
}
