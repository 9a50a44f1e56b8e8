/** Parts of values, as generated code reads them: `undefined` in, `undefined` out, and no name reaches a prototype. */
import { EvalError } from "../cel/error.ts";
import * as access from "../cel/access.ts";
import { call } from "../cel/call.ts";
import { Message, type Value } from "../cel/value.ts";
import { atLoad } from "./load-time.ts";

/** What an expression of generated code comes to; `undefined` is CEL's error. */
export type Result = Value | undefined;

/** Turns the error value of hand-written code into that of generated code. */
export const settle = <T extends Value>(value: T | EvalError): T | undefined => (value instanceof EvalError ? undefined : value);

/** An empty list: what it has under some name, every list and every object may have from its prototype. */
export const bare: object = Object.freeze([]);

/** `object.name` where the object came from JSON. */
export function get(object: Result, name: string): Result {
  return typeof object === "object" && object !== null && Object.hasOwn(object, name) && !Array.isArray(object)
    ? // An own property of an object that came from JSON is a JSON value.
      (object as { readonly [name: string]: Value })[name]
    : undefined;
}

/** `has(object.name)` where the object came from JSON and certainly is one. */
export const owns = (object: object, name: string): boolean => Object.hasOwn(object, name);

/** `operand.name` of any value. */
export const select = (operand: Result, name: string): Result => (operand === undefined ? undefined : settle(access.select(operand, name)));

/** `has(operand.name)` of any value: a scalar has nothing, of a list it cannot be asked. */
export const has = (operand: Result, name: string): boolean | undefined =>
  operand === undefined ? undefined : settle(access.hasField(operand, name));

/** `operand[key]`: a list by a number at once, everything else by the rows of `_[_]`. */
export function index(operand: Result, key: Result): Result {
  if (operand === undefined || key === undefined) return undefined;
  return Array.isArray(operand) ? settle(access.index(operand, key)) : settle(call("_[_]", false, [operand, key], atLoad.context));
}

/** `element in container`. */
export function isIn(element: Result, container: Result): boolean | undefined {
  // A short text in a short list: too little work to be counted.
  if (typeof element === "string" && element.length < short && Array.isArray(container) && container.length < short)
    return container.includes(element);
  return element === undefined || container === undefined ? undefined : settle(access.isIn(element, container));
}

const short = 64;

/** The record V or C of one policy, for an expression that takes it whole. */
export function record(typeName: string, fields: readonly (readonly [string, Result])[]): Message {
  const values = new Map(fields);
  return new Message(
    typeName,
    (name) => values.get(name),
    (name) => values.get(name) !== undefined,
    () => [...values.keys()],
  );
}
