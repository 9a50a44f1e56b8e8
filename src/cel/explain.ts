/** Evaluates an expression with the interpreter, which is slower, but reports what failed and why. */
import { readsCurrentTime } from "../../compiler/cel/constant.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError, evalError } from "../../runtime/cel/error.ts";
import { describe } from "../../runtime/cel/evaluate/describe.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { maxWork, withWork } from "../../runtime/cel/work.ts";
import { isTooMuch } from "./cost.ts";
import { detacherFor } from "./detach.ts";
import type { Questions } from "./generated.ts";
import { longestStringIn } from "./longest-string.ts";
import type { Declarations } from "./options.ts";
import { contextAt, epoch } from "./instant.ts";
import type { EvaluationOptions, Explanation } from "./program.ts";

/** Evaluates an expression by interpreting it. */
export interface Interpreter extends Questions {
  readonly outcome: (variables?: object, options?: EvaluationOptions) => Value | EvalError;
}

/** Returns the interpreter of an expression. */
export function interpreterOf(tree: Expression, declarations: Declarations): Interpreter {
  const needsInstant = readsCurrentTime(tree);
  const detach = detacherFor(tree);
  const outcome: Interpreter["outcome"] = (variables = {}, options) => {
    const context = needsInstant ? contextAt(options) : epoch;
    const read = (name: string): Value | EvalError | undefined => {
      const given: unknown = Object.hasOwn(variables, name) ? Reflect.get(variables, name) : undefined;
      // A declared variable without a value still hides the type of the same name.
      if (given === undefined) return declarations.has(name) ? evalError("no such attribute", name) : undefined;
      // This cast is safe: the variables were converted, or declared as `json`.
      return given as Value;
    };
    return withWorkLimit(longestStringIn(variables), () => {
      const made = evaluate(tree, read, context);
      return made instanceof EvalError || detach === undefined ? made : detach(made);
    });
  };
  const value: Interpreter["value"] = (variables, options) => {
    const made = outcome(variables, options);
    return made instanceof EvalError ? undefined : made;
  };
  return { outcome, value, test: (variables, options) => outcome(variables, options) === true };
}

/** Returns the value of an expression, or which part of it failed and why. */
export function explain(text: string, tree: Expression, outcome: Value | EvalError): Explanation {
  if (!(outcome instanceof EvalError)) return { kind: "value", value: outcome };
  const { start, end } = outcome.place?.tree ?? tree;
  return { kind: "error", error: outcome.kind, message: describe(outcome), expression: text.slice(start, end), start, end };
}

function withWorkLimit(longestString: number, run: () => Value | EvalError): Value | EvalError {
  try {
    return withWork(maxWork, longestString, run);
  } catch (trouble) {
    if (isTooMuch(trouble)) return tooMuch;
    throw trouble;
  }
}

const tooMuch = evalError("too many steps", "the expression costs too much over these variables");
