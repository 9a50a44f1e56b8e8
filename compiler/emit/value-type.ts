/**
 * What the emitter knows of a value when it has one. Finer than the checker's types, which must see an attribute as
 * `dyn`: attributes, claims and constants came from JSON and are never int, uint, bytes, timestamp or duration.
 * That a value *exists* is another question, answered by `total` alone.
 */
import type { Type } from "../../runtime/cel/type.ts";
import { overloadsOf } from "../../runtime/cel/functions/index.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";

/** The type of a value, where there is one. */
export type ValueType =
  | { readonly kind: "null" | "bool" | "int" | "uint" | "double" | "string" | "bytes" | "timestamp" | "duration" }
  /** null, bool, double, string, or a list or object of these. */
  | { readonly kind: "json" }
  | { readonly kind: "list"; readonly element: ValueType }
  /** Any value. */
  | { readonly kind: "any" };

/** Of whatever type. */
export const anyType: ValueType = { kind: "any" };
/** From JSON. */
export const jsonType: ValueType = { kind: "json" };
/** true or false. */
export const boolType: ValueType = { kind: "bool" };
/** Text. */
export const stringType: ValueType = { kind: "string" };
/** A list of values of one type. */
export const listType = (element: ValueType): ValueType => ({ kind: "list", element });

/** The type of a datum. */
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

/** The type that both branches of a choice have. */
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

/** The type of what a loop variable stands for when it walks over a value of a type. */
export function itemType(range: ValueType): ValueType {
  if (range.kind === "list") return range.element;
  return range.kind === "json" ? jsonType : anyType;
}

/** What every overload of a function with so many arguments returns, where they agree. */
export function resultType(name: string, receiver: boolean, arity: number): ValueType {
  let result: ValueType | undefined;
  for (const row of overloadsOf(name)) {
    if (row.receiver !== receiver || row.parameters.length !== arity) continue;
    const type = typeOfChecked(row.result);
    result = result === undefined ? type : join(result, type);
  }
  return result ?? anyType;
}

/** What a value of a checked type is to the emitter. */
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

/** Says whether `===` says what CEL's `==` says about two values of these types, once both exist. */
export function comparesByIdentity(left: ValueType, right: ValueType): boolean {
  if (left.kind === "int" && right.kind === "int") return true;
  return (isPlain(left) && withinJson(right)) || (withinJson(left) && isPlain(right));
}

const isPlain = (type: ValueType): boolean =>
  type.kind === "null" || type.kind === "bool" || type.kind === "double" || type.kind === "string";
