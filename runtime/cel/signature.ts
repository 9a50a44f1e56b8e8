/** Prints functions and operators with their types: `int + int -> int`, `string.size() -> int`. */
import type { FunctionRow } from "./declare.ts";
import { printType } from "./type.ts";

/** Operators that are neither prefix nor infix: the text before, between and after their operands. */
const shapes: ReadonlyMap<string, readonly string[]> = new Map([
  ["_[_]", ["", "[", "]"]],
  ["_[?_]", ["", "[?", "]"]],
  ["_?._", ["", ".?", ""]],
  ["_?_:_", ["", " ? ", " : ", ""]],
]);

/** Returns the symbol of a prefix or infix operator: `<=` for `_<=_`, `in` for `@in`; undefined for other names. */
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

/** Prints an operator with operands: `a + b`. Undefined if the name is not an operator. */
export function withOperands(name: string, operands: readonly string[]): string | undefined {
  const shape = shapeOf(name);
  return shape?.map((text, at) => text + (at < shape.length - 1 ? (operands[at] ?? "") : "")).join("");
}

/** Prints an overload with its types. */
export function printSignature({ name, receiver, parameters, result }: FunctionRow): string {
  const types = parameters.map(printType);
  const called = receiver ? `${types[0] ?? ""}.${name}(${types.slice(1).join(", ")})` : `${name}(${types.join(", ")})`;
  return `${withOperands(name, types) ?? called} -> ${printType(result)}`;
}
