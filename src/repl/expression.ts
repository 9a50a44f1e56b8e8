/** Checks one expression in the session's environment, evaluates it for its request, and explains errors. */
import { check } from "../../compiler/cel/check.ts";
import { policyEnvironment, type Environment } from "../../compiler/cel/environment.ts";
import { parse } from "../../compiler/cel/parse.ts";
import type { Issue } from "../../compiler/cel/issue.ts";
import { referencesOf } from "../../compiler/link/references.ts";
import { didYouMean } from "../../compiler/nearest.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { describe } from "../../runtime/cel/evaluate/describe.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { hintFor } from "./error-hint.ts";
import { tooLargeToKeep } from "./measure.ts";
import { spanIn, type Part, type Problem } from "./problem.ts";
import { activationOf, type Activation } from "./activation.ts";
import type { CheckedExpression, State } from "./state.ts";

/** Returns whether a result is a list of problems. */
export const areProblems = (found: object): found is readonly Problem[] => Array.isArray(found);

/** The environment of policies, with the names of the session. */
const environmentOf = ({ names }: Pick<State, "names">): Environment => ({
  ...policyEnvironment,
  variable: (name) => names.get(name)?.type ?? policyEnvironment.variable(name),
  variableNames: [...policyEnvironment.variableNames, ...names.keys()],
});

/** Parses and checks; every mistake is a problem with its position. */
export function checkExpression(part: Part, state: State): CheckedExpression | readonly Problem[] {
  const { tree, issues } = parse(part.text);
  if (tree === undefined) return issues.map((issue) => problemOfIssue(part, issue));
  const checked = check(tree, environmentOf(state));
  const problems = checked.issues.length > 0 ? checked.issues : undefinedNames(checked.tree, state);
  if (problems.length > 0) return problems.map((issue) => problemOfIssue(part, issue));
  return { text: part.text, tree: checked.tree, type: checked.type, types: checked.types };
}

const problemOfIssue = (part: Part, { start, end, message, hint }: Issue): Problem => ({
  message,
  span: spanIn(part, { start, end }),
  ...(hint !== undefined && { hint }),
});

/** A policy that names a variable or constant that it does not have is refused, so an expression is too. */
function undefinedNames(tree: Expression, state: State): readonly Issue[] {
  const { variables, constants } = referencesOf(tree);
  const definitions = state.loaded.policies.get(state.used ?? "")?.definitions;
  const known = {
    variable: new Set([...state.variables.keys(), ...(definitions?.variables ?? []).map(({ name }) => name)]),
    constant: new Set([...state.constants.keys(), ...(definitions?.constants ?? []).map(({ name }) => name)]),
  };
  return (
    [
      ["variable", "V", variables],
      ["constant", "C", constants],
    ] as const
  ).flatMap(([noun, letter, references]) =>
    [...references]
      .filter(([name]) => !known[noun].has(name))
      .map(([name, { start, end }]) => {
        const hint = didYouMean(name, known[noun]).hint ?? `\`:use\` a policy that defines it, or \`:let ${letter}.${name} = ...\``;
        return { start, end, message: `no ${noun} named \`${name}\``, hint };
      }),
  );
}

/** The value of an expression. */
export interface EvaluatedExpression extends CheckedExpression {
  readonly value: Value;
}

/** Checks and evaluates. */
export function evaluateExpression(part: Part, state: State, milliseconds: number): EvaluatedExpression | readonly Problem[] {
  const checked = checkExpression(part, state);
  if (areProblems(checked)) return checked;
  const activation = activationOf(state, milliseconds);
  const value = evaluate(checked.tree, activation.bindings, activation.context);
  if (value instanceof EvalError) return [failure(part, checked.tree, value, activation)];
  const tooLarge = tooLargeToKeep(value);
  return tooLarge === undefined ? { ...checked, value } : [{ message: tooLarge, span: spanIn(part, checked.tree) }];
}

/** Returns the problem of a failed expression: the subexpression that failed, and a hint. */
function failure(part: Part, tree: Expression, error: EvalError, activation: Activation): Problem {
  const hint = hintFor(error, activation);
  return { message: describe(error), span: spanIn(part, error.place?.tree ?? tree), ...(hint !== undefined && { hint }) };
}
