/**
 * What the emitter knows about the type of a value. More precise than the checker's types, for which an attribute is
 * `dyn`: attributes, claims and constants come from JSON and are never int, uint, bytes, timestamp or duration.
 * Whether the value is an error is separate: see `Emitted.cannotFail`.
 */
import type { Type } from "../../runtime/cel/type.ts";
import { overloadsOf } from "../../runtime/cel/functions/index.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";

/** The type of a value, if it is no error. */
export type ValueType =
  | { readonly kind: "null" | "bool" | "int" | "uint" | "double" | "string" | "bytes" | "timestamp" | "duration" }
  /** null, bool, double, string, or a list or object of these. */
  | { readonly kind: "json" }
  | { readonly kind: "list"; readonly element: ValueType }
  /** Any value. */
  | { readonly kind: "any" };

/** Any type. */
export const anyType: ValueType = { kind: "any" };
/** A JSON value. */
export const jsonType: ValueType = { kind: "json" };
/** A boolean. */
export const boolType: ValueType = { kind: "bool" };
/** A string. */
export const stringType: ValueType = { kind: "string" };
/** A list with elements of one type. */
export const listType = (element: ValueType): ValueType => ({ kind: "list", element });

/** The type of a constant. */
export function typeOfConstant(value: Value): ValueType {
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return { kind: "int" };
    case "number":
      return { kind: "double" };
    case "string":
      return stringType;
    case "object":
      if (value === null) return { kind: "null" };
      if (value instanceof Uint) return { kind: "uint" };
      if (value instanceof Uint8Array) return { kind: "bytes" };
      return isJson(value) ? jsonType : anyType;
    default:
      return anyType;
  }
}

function isJson(value: Value): boolean {
  if (value === null || typeof value !== "object") return typeof value !== "bigint";
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}

/** The common type of two branches. */
export function join(left: ValueType, right: ValueType): ValueType {
  if (left.kind === right.kind) {
    return left.kind === "list" && right.kind === "list" ? listType(join(left.element, right.element)) : left;
  }
  return withinJson(left) && withinJson(right) ? jsonType : anyType;
}

const withinJson = (type: ValueType): boolean =>
  type.kind === "json" ||
  type.kind === "null" ||
  type.kind === "bool" ||
  type.kind === "double" ||
  type.kind === "string" ||
  (type.kind === "list" && withinJson(type.element));

/** The type of a loop variable over a range of this type. */
export function itemType(range: ValueType): ValueType {
  if (range.kind === "list") return range.element;
  return range.kind === "json" ? jsonType : anyType;
}

/** The common result type of all overloads of a function with that many arguments. */
export function resultType(name: string, receiver: boolean, arity: number): ValueType {
  let result: ValueType | undefined;
  for (const row of overloadsOf(name)) {
    if (row.receiver !== receiver || row.parameters.length !== arity) continue;
    const type = typeOfChecked(row.result);
    result = result === undefined ? type : join(result, type);
  }
  return result ?? anyType;
}

/** Converts a type of the checker. */
export function typeOfChecked(type: Type): ValueType {
  switch (type.kind) {
    case "null":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "timestamp":
    case "duration":
      return { kind: type.kind };
    case "list":
      return listType(typeOfChecked(type.element));
    case "dyn":
    case "error":
    case "map":
    case "type":
    case "parameter":
    case "opaque":
    case "message":
      return anyType;
  }
}

/** Whether `===` means the same as CEL's `==` for two values of these types that are no errors. */
export function comparesByIdentity(left: ValueType, right: ValueType): boolean {
  if (left.kind === "int" && right.kind === "int") return true;
  return (isPlain(left) && withinJson(right)) || (withinJson(left) && isPlain(right));
}

const isPlain = (type: ValueType): boolean =>
  type.kind === "null" || type.kind === "bool" || type.kind === "double" || type.kind === "string";
