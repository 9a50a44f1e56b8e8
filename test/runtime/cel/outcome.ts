/** Asks the interpreter for an expression's outcome, and shows what an error tells of its place. */
import { check } from "../../../compiler/cel/check.ts";
import { standardEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { describe } from "../../../runtime/cel/evaluate/describe.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import { dyn } from "../../../runtime/cel/type.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { context } from "./ask.ts";

type Variables = { readonly [name: string]: Value };

/** Checks an expression in which every variable is dyn. */
export function checked(text: string, variables: Variables): Expression {
  const { tree, issues } = parse(text);
  if (tree === undefined) throw new Error(`it does not parse: ${text}: ${issues[0]?.message}`);
  const result = check(tree, standardEnvironment(new Map(Object.keys(variables).map((name) => [name, dyn]))));
  if (result.issues.length > 0) throw new Error(`it does not compile: ${text}: ${result.issues[0]?.message}`);
  return result.tree;
}

/** Binds variables by their own names only. */
export const bind =
  (variables: Variables) =>
  (name: string): Value | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined;

/** Evaluates an expression. */
export const outcomeOf = (text: string, variables: Variables): Value | EvalError =>
  evaluate(checked(text, variables), bind(variables), context);

/** Answers `<text of the sub-expression that failed>: <sentence>`, or the value's text. */
export function failing(text: string, variables: Variables): readonly [part: string, sentence: string] {
  const outcome = outcomeOf(text, variables);
  if (!(outcome instanceof EvalError)) return ["", printValue(outcome)];
  const tree = outcome.place?.tree;
  return [tree === undefined ? "nowhere" : text.slice(tree.start, tree.end), describe(outcome)];
}
