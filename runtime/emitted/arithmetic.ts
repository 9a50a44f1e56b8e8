/** Arithmetic, as generated code does it: numbers at once, everything else by the rows of `runtime/cel/functions`. */
import { call } from "../cel/call.ts";
import { type Result, settle } from "./access.ts";
import { atLoad } from "./load-time.ts";

const operator =
  (name: string) =>
  (left: Result, right: Result): Result =>
    left === undefined || right === undefined ? undefined : settle(call(name, false, [left, right], atLoad.context));

const addAny = operator("_+_");
const subtractAny = operator("_-_");
const multiplyAny = operator("_*_");
const divideAny = operator("_/_");

/** `a + b`. */
export const add = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left + right : addAny(left, right);

/** `a - b`. */
export const subtract = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left - right : subtractAny(left, right);

/** `a * b`. */
export const multiply = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left * right : multiplyAny(left, right);

/** `a / b`. */
export const divide = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left / right : divideAny(left, right);

/** `a % b`. */
export const remainder = operator("_%_");

/** `-a`. */
export const negate = (value: Result): Result => (value === undefined ? undefined : settle(call("-_", false, [value], atLoad.context)));
