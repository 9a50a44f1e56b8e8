/** Emits literals and constants. */
import type { Literal } from "../../runtime/cel/ast.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";
import { type Code, js } from "./code.ts";
import type { Emitted } from "./scope.ts";
import { typeOfConstant } from "./value-type.ts";

/** Emits a literal. */
export const emitLiteral = ({ value }: Literal): Emitted => ({
  code: constantCode(value),
  type: typeOfConstant(value),
  total: true,
  literal: value,
});

/**
 * Code of a datum; it belongs to the policy but for null and the booleans, which shape the program. What no literal of
 * JavaScript can say is made by the runtime when the unit is loaded.
 */
export function constantCode(value: Value): Code {
  if (value === null) return js`null`;
  return typeof value === "boolean" ? truth(value) : js`${value}`;
}

/** `true` or `false`: words of the program, not data. */
export const truth = (value: boolean): Code => (value ? js`true` : js`false`);

/** The JavaScript number that a numeric literal equals when it meets a double, or undefined for any other literal. */
export function asDouble(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint ? Number(value.value) : undefined;
}
