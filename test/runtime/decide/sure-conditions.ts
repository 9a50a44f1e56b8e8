/** Conditions as the compiler hands them over, what they need, and what the interpreter says of them for one input. */
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { timestampFromMilliseconds } from "../../../runtime/cel/timestamp.ts";
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import type { Condition } from "../../../runtime/decide/condition.ts";
import type { EvaluationError } from "../../../runtime/decide/decision.ts";
import { evaluateCondition, evaluateVariables } from "../../../runtime/decide/evaluate-condition.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { mayFail, needsWithVariables } from "../../../runtime/decide/needs.ts";
import type { Names } from "../../../runtime/decide/trees.ts";

export type Leaf = Condition & { readonly kind: "expression" };

/** An expression of a policy, checked; throws where the compiler refuses it. */
export function leaf(text: string): Leaf {
  const parsed = parse(text);
  const checked = parsed.tree && check(parsed.tree, policyEnvironment);
  const issues = [...parsed.issues, ...(checked?.issues ?? [])];
  if (checked === undefined || issues.length > 0) throw new Error(`${text}: ${JSON.stringify(issues[0])}`);
  return { kind: "expression", expression: { text, tree: checked.tree } };
}

/** Names V and C of a policy. */
export const namesOf = (
  variables: { readonly [name: string]: string } = {},
  constants: { readonly [name: string]: Value } = {},
): Names => ({
  variables: Object.entries(variables).map(([name, text]) => ({ name, expression: leaf(text).expression })),
  constants: new Map(Object.entries(constants)),
});

/** An input with these attributes. */
export const inputWith = (principal: JsonObject | undefined, resource: JsonObject | undefined): CheckInput => ({
  principal: { id: "ann", roles: ["user", "clerk"], ...(principal && { attr: principal }) },
  resource: { kind: "doc", id: "b17", ...(resource && { attr: resource }) },
  actions: ["view"],
});

const context = { now: timestampFromMilliseconds(0) };

/** What the interpreter says went wrong, in the condition and in the variables. */
export function errorsOf(condition: Condition, input: CheckInput, { variables, constants }: Names = namesOf()): readonly EvaluationError[] {
  const errors: EvaluationError[] = [];
  const bindingsWith = (values: ReadonlyMap<string, Value>) =>
    policyBindings(input, { globals: {}, constants, variables: values, effectiveDerivedRoles: [] });
  const onError = (error: EvaluationError): void => void errors.push(error);
  const values = evaluateVariables(variables, bindingsWith, context, onError);
  evaluateCondition(condition, bindingsWith(values), context, onError);
  return errors;
}

/** Whether a condition has to be evaluated for an input, to know of its errors. */
export const isAsked = (condition: Condition, input: CheckInput, names: Names = namesOf()): boolean =>
  mayFail(needsWithVariables(condition, names), input);
