/**
 * Access to parts of values, for generated code: an undefined operand yields undefined, and no name reaches a
 * prototype.
 */
import { EvalError } from "../cel/error.ts";
import * as access from "../cel/access.ts";
import { call } from "../cel/call.ts";
import { Message, type Value } from "../cel/value.ts";
import { atLoad } from "./load-time.ts";

/** The result of an expression in generated code; `undefined` stands for a CEL error. */
export type Result = Value | undefined;

/** Converts an `EvalError` of hand-written code to the `undefined` of generated code. */
export const settle = <T extends Value>(value: T | EvalError): T | undefined => (value instanceof EvalError ? undefined : value);

/**
 * An empty list, which has every name that a list or an object can inherit. Generated code reads a property directly
 * only if `bare` does not have it.
 */
export const bare: object = Object.freeze([]);

/** `object.name`, if the object came from JSON. */
export function get(object: Result, name: string): Result {
  return typeof object === "object" && object !== null && Object.hasOwn(object, name) && !Array.isArray(object)
    ? // An own property of an object that came from JSON is a JSON value.
      (object as { readonly [name: string]: Value })[name]
    : undefined;
}

/** `has(object.name)`, if the operand certainly is an object that came from JSON. */
export const owns = (object: object, name: string): boolean => Object.hasOwn(object, name);

/** `operand.name` for any value. */
export const select = (operand: Result, name: string): Result => (operand === undefined ? undefined : settle(access.select(operand, name)));

/** `has(operand.name)` for any value: false for a scalar, an error for a list. */
export const has = (operand: Result, name: string): boolean | undefined =>
  operand === undefined ? undefined : settle(access.hasField(operand, name));

/** `operand[key]`: lists directly, everything else through the rows of `_[_]`. */
export function index(operand: Result, key: Result): Result {
  if (operand === undefined || key === undefined) return undefined;
  return Array.isArray(operand) ? settle(access.index(operand, key)) : settle(call("_[_]", false, [operand, key], atLoad.context));
}

/** `element in container`. */
export function isIn(element: Result, container: Result): boolean | undefined {
  // A short string in a short list: too little work to be counted.
  if (typeof element === "string" && element.length < short && Array.isArray(container) && container.length < short)
    return container.includes(element);
  return element === undefined || container === undefined ? undefined : settle(access.isIn(element, container));
}

const short = 64;

/** The message V or C of one policy, for expressions that use it as a whole value. */
export function record(typeName: string, fields: readonly (readonly [string, Result])[]): Message {
  const values = new Map(fields);
  return new Message(
    typeName,
    (name) => values.get(name),
    (name) => values.get(name) !== undefined,
    () => [...values.keys()],
  );
}
