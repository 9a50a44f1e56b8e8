/** Emits literals and constants. */
import type { Literal } from "../../runtime/cel/ast.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";
import { type Code, js } from "./code.ts";
import type { Emitted } from "./context.ts";
import { typeOfConstant } from "./value-type.ts";

export const emitLiteral = ({ value }: Literal): Emitted => ({
  code: constantCode(value),
  type: typeOfConstant(value),
  cannotFail: true,
  literal: value,
});

/**
 * Code of a value. It is data of the policy, except null and booleans, which are part of the program's shape. Values
 * without a JavaScript literal are created by the runtime when the unit is loaded.
 */
export function constantCode(value: Value): Code {
  if (value === null) return js`null`;
  return typeof value === "boolean" ? booleanLiteral(value) : js`${value}`;
}

/** `true` or `false` as program text, not data. */
export const booleanLiteral = (value: boolean): Code => (value ? js`true` : js`false`);

/** The double that a numeric literal is compared as, or undefined for other literals. */
export function asDouble(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint ? Number(value.value) : undefined;
}
