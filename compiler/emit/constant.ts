/** Encodes values as constants of a bundle; `runtime/constant.ts` decodes them. */
import type { ConstantValue } from "../../runtime/bundle.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";
import type { Constant } from "./escape.ts";

/** Returns the JSON of a constant; values without a JSON form are wrapped in an object. */
export function writeConstant(value: Constant): ConstantValue {
  switch (typeof value) {
    case "bigint":
      return { int: String(value) };
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { double: unusual(value) };
    case "string":
    case "boolean":
      return value;
    default:
      return value === null ? null : writeObject(value);
  }
}

function unusual(value: number): "NaN" | "Infinity" | "-Infinity" | "-0" {
  if (Number.isNaN(value)) return "NaN";
  if (value === 0) return "-0";
  return value > 0 ? "Infinity" : "-Infinity";
}

function writeObject(value: object): ConstantValue {
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("") };
  // The rest came from JSON: lists and objects of constants.
  if (Array.isArray(value)) return value.map((element: Value) => writeConstant(element));
  return { object: Object.entries(value).map(([key, of]: [string, Value]) => [key, writeConstant(of)] as const) };
}
