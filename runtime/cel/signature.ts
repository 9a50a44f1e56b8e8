/** How functions and operators are written down for readers: `int + int -> int`, `string.size() -> int`. */
import type { FunctionRow } from "./declare.ts";
import { printType } from "./type.ts";

/** Operators that do not simply stand before one operand or between two: the text before, between and behind their operands. */
const shapes: ReadonlyMap<string, readonly string[]> = new Map([
  ["_[_]", ["", "[", "]"]],
  ["_[?_]", ["", "[?", "]"]],
  ["_?._", ["", ".?", ""]],
  ["_?_:_", ["", " ? ", " : ", ""]],
]);

/** The sign of an operator that stands before one operand or between two: `_<=_` is `<=`, `@in` is `in`; undefined for anything else. */
export function signOf(name: string): string | undefined {
  if (name === "@in") return "in";
  if (name === "!_" || name === "-_") return name.slice(0, 1);
  return shapes.has(name) || !/^_\W+_$/.test(name) ? undefined : name.slice(1, -1);
}

function shapeOf(name: string): readonly string[] | undefined {
  const sign = signOf(name);
  if (sign === undefined) return shapes.get(name);
  return name.startsWith("_") || name === "@in" ? ["", ` ${sign} `, ""] : [sign, ""];
}

/** Writes an operator with its operands, `a + b`; undefined where the name is not that of an operator. */
export function withOperands(name: string, operands: readonly string[]): string | undefined {
  const shape = shapeOf(name);
  return shape?.map((text, at) => text + (at < shape.length - 1 ? (operands[at] ?? "") : "")).join("");
}

/** Writes an overload with its types. */
export function printSignature({ name, receiver, parameters, result }: FunctionRow): string {
  const types = parameters.map(printType);
  const called = receiver ? `${types[0] ?? ""}.${name}(${types.slice(1).join(", ")})` : `${name}(${types.join(", ")})`;
  return `${withOperands(name, types) ?? called} -> ${printType(result)}`;
}
