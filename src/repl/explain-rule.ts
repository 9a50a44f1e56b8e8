/** Evaluates the condition of a rule for the request: prints whether it holds, and the value of each of its expressions. */
import { EvalError } from "../../runtime/cel/error.ts";
import { explain } from "../../runtime/cel/evaluate/explain.ts";
import { evaluateCondition } from "../../runtime/decide/evaluate-condition.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { printLine } from "../../compiler/source.ts";
import { hintFor } from "./error-hint.ts";
import { printTrace } from "./print-trace.ts";
import { activationOf, type Activation } from "./activation.ts";
import type { LoadedRule } from "./loaded-policies.ts";
import type { State } from "./state.ts";

/** Prints the result of a condition; `closely`: with the trace of each of its expressions. */
export function explainRule(
  { name, summary, condition, derivedRoles, definitions, span }: LoadedRule,
  state: State,
  milliseconds: number,
  closely: boolean,
): string {
  const heading = `${name}: ${summary}`;
  const activation = activationOf(state, milliseconds, definitions);
  const inactive = derivedRoles
    .filter((role) => !activation.derivedRoles.includes(role))
    .map((role) => `; the derived role ${role} is not active`);
  if (condition === undefined) return `${heading}: holds, for there is no condition${inactive.join("")}`;
  const errors: string[] = [];
  const holds = evaluateCondition(condition, activation.bindings, activation.context, ({ message }) => void errors.push(message));
  const verdict = `${heading}: ${holds ? "holds" : "does not hold"}${inactive.join("")}`;
  if (!closely) return `${verdict}${errors.length === 0 ? "" : ` (${[...new Set(errors)].join("; ")})`}`;
  return [verdict, `  ${printLine(span)}`, ...explainCondition(condition, activation, 1)].join("\n");
}

function explainCondition(condition: Condition, activation: Activation, depth: number): readonly string[] {
  const indent = "  ".repeat(depth);
  if (condition.kind !== "expression")
    return [`${indent}${condition.kind} of`, ...condition.of.flatMap((part) => explainCondition(part, activation, depth + 1))];
  const { text, tree } = condition.expression;
  const trace = explain(tree, activation.bindings, activation.context);
  const { outcome } = trace;
  const hint = outcome instanceof EvalError ? hintFor(outcome, activation) : undefined;
  const note =
    outcome instanceof EvalError
      ? "an expression that fails is false where it stands"
      : typeof outcome === "boolean"
        ? undefined
        : "an expression that is not a boolean is false where it stands";
  return [
    ...printTrace(trace, text, depth).split("\n"),
    ...(note === undefined ? [] : [`${indent}  = note: ${note}`]),
    ...(hint === undefined ? [] : [`${indent}  = hint: ${hint}`]),
  ];
}
