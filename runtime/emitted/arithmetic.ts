/**
 * Arithmetic for generated code: doubles and ints directly, everything else through the rows of
 * `runtime/cel/functions`.
 */
import { addInt, divideInt, moduloInt, multiplyInt, negateInt, subtractInt } from "../cel/arithmetic.ts";
import { calleeOf } from "../cel/call.ts";
import type { EvalError } from "../cel/error.ts";
import { type Result, settle } from "./access.ts";
import { atLoad } from "./load-time.ts";

/** Builds an operator from its implementation for two ints; other types go through the function rows. */
function operator(name: string, ofInts: (left: bigint, right: bigint) => bigint | EvalError): (left: Result, right: Result) => Result {
  const callee = calleeOf(name, false, 2);
  return (left, right) => {
    if (typeof left === "bigint" && typeof right === "bigint") return settle(ofInts(left, right));
    return left === undefined || right === undefined ? undefined : settle(callee([left, right], atLoad.context));
  };
}

const addOthers = /* @__PURE__ */ operator("_+_", addInt);
const subtractOthers = /* @__PURE__ */ operator("_-_", subtractInt);
const multiplyOthers = /* @__PURE__ */ operator("_*_", multiplyInt);
const divideOthers = /* @__PURE__ */ operator("_/_", divideInt);

/** `a + b`. */
export const add = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left + right : addOthers(left, right);

/** `a - b`. */
export const subtract = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left - right : subtractOthers(left, right);

/** `a * b`. */
export const multiply = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left * right : multiplyOthers(left, right);

/** `a / b`. */
export const divide = (left: Result, right: Result): Result =>
  typeof left === "number" && typeof right === "number" ? left / right : divideOthers(left, right);

/** `a % b`. */
export const remainder = /* @__PURE__ */ operator("_%_", moduloInt);

const negateAny = /* @__PURE__ */ calleeOf("-_", false, 1);

/** `-a`. */
export function negate(value: Result): Result {
  if (typeof value === "bigint") return settle(negateInt(value));
  return value === undefined ? undefined : settle(negateAny([value], atLoad.context));
}
