/** CEL functions for generated code, looked up once when a unit is loaded. */
import { calleeOf, overloadOf } from "../cel/call.ts";
import { findText } from "../cel/search.ts";
import { type Result, settle } from "./access.ts";
import type { Surroundings } from "./load-time.ts";

type Call = (surroundings: Surroundings, ...args: readonly Result[]) => Result;

/**
 * Returns `name(args)` or, with a receiver, `args[0].name(...)`. If an argument is an error, so is the result. `only`
 * restricts the call to one overload.
 */
export function functionNamed(name: string, receiver: boolean, arity: number, only?: string): Call {
  const callee = only === undefined ? calleeOf(name, receiver, arity) : overloadOf(only);
  if (arity === 1) return ({ context }, value) => (value === undefined ? undefined : settle(callee([value], context)));
  if (arity === 2) {
    const any: Call = ({ context }, left, right) =>
      left === undefined || right === undefined ? undefined : settle(callee([left, right], context));
    const quick = receiver ? onStrings.get(name) : undefined;
    if (quick === undefined) return any;
    return (surroundings, left, right) =>
      typeof left === "string" && typeof right === "string" && right.length <= short ? quick(left, right) : any(surroundings, left, right);
  }
  return ({ context }, ...args) => {
    const values = args.filter((argument) => argument !== undefined);
    return values.length < args.length ? undefined : settle(callee(values, context));
  };
}

/** Searching for a part up to this length is too little work to be counted. */
const short = 64;

/** The most frequent functions of two strings, without overload resolution; they do the same as their rows. */
const onStrings: ReadonlyMap<string, (text: string, part: string) => boolean> = new Map([
  ["contains", (text: string, part: string) => findText(text, part) >= 0],
  ["startsWith", (text: string, part: string) => text.startsWith(part)],
  ["endsWith", (text: string, part: string) => text.endsWith(part)],
]);
