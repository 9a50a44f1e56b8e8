/** Hints for failed expressions, beyond the error message. */
import { variableNamed } from "../../compiler/emit/references.ts";
import type { EvalError } from "../../runtime/cel/error.ts";
import { kindOf } from "../../runtime/cel/kind.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { nearest } from "../../runtime/nearest.ts";
import { stringKeys } from "./print-result.ts";
import type { Activation } from "./activation.ts";

/** The most keys that a hint lists. */
const maxKeys = 8;

/** Returns a hint for an error; undefined when there is none. */
export function hintFor({ kind, place }: EvalError, activation: Activation): string | undefined {
  if (place === undefined) return undefined;
  const { tree, operands } = place;
  const variable = variableNamed(tree);
  const reason = variable === undefined ? undefined : activation.variableErrors.get(variable);
  if (reason !== undefined) return `the variable \`${variable}\` has no value: ${reason.message}`;
  if (kind === "no such key" && tree.kind === "select") return keyHint(tree.field, operands[0]);
  const kinds = new Set(operands.map(kindOf));
  return kind === "no such overload" && kinds.has("double") && (kinds.has("int") || kinds.has("uint"))
    ? "write `1.0` instead of `1`, or convert the attribute with `int(...)`"
    : undefined;
}

function keyHint(field: string, of: Value | undefined): string | undefined {
  if (of === undefined || kindOf(of) !== "map") return undefined;
  const keys = stringKeys(of);
  if (keys.length === 0) return "it has no keys at all; `has(...)` asks whether there is one";
  // The error message suggests a similar key already.
  if (nearest(field, keys) !== undefined) return undefined;
  const shown = keys.slice(0, maxKeys).map((key) => `\`${key}\``);
  return `its keys are ${shown.join(", ")}${keys.length > maxKeys ? " ..." : ""}; \`has(...)\` asks whether there is one`;
}
