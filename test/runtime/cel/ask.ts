/** Asks parser, checker and interpreter what an expression comes to, as one text. */
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment, standardEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import type { Bindings } from "../../../runtime/cel/evaluate/evaluate.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import { dyn } from "../../../runtime/cel/type.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { Timestamp } from "../../../runtime/cel/value.ts";

export const context = { now: new Timestamp(1_700_000_000, 0) };

/** Answers the literal text of the value, `error: <message>`, or why there is nothing to evaluate. */
export function ask(text: string, variables: { readonly [name: string]: Value } = {}): string {
  const types = new Map(Object.keys(variables).map((name) => [name, dyn]));
  const environment = types.size === 0 ? policyEnvironment : standardEnvironment(types);
  return answer(text, environment, (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined));
}

/** The same in the environment of a policy. */
export const askPolicy = (text: string, bindings: Bindings): string => answer(text, policyEnvironment, bindings);

function answer(text: string, environment: typeof policyEnvironment, bindings: Bindings): string {
  const { tree, issues } = parse(text);
  if (tree === undefined) return `does not parse: ${issues[0]?.message}`;
  const checked = check(tree, environment);
  if (checked.issues.length > 0) return `does not compile: ${checked.issues[0]?.message}`;
  const value = evaluate(checked.tree, bindings, context);
  return value instanceof EvalError ? `error: ${value.message}` : printValue(value);
}
