/** Functions of the language, looked up once when a unit is loaded. */
import { calleeOf, overloadOf } from "../cel/call.ts";
import { findText } from "../cel/search.ts";
import { type Result, settle } from "./access.ts";
import type { Surroundings } from "./load-time.ts";

type Call = (surroundings: Surroundings, ...args: readonly Result[]) => Result;

/**
 * Answers `name(args)` or, with a receiver, `args[0].name(...)`; an argument that is an error makes the call one. `only` is
 * the one overload that the call may mean.
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

/** A part up to this length is too little work to be counted. */
const short = 64;

/** The usual questions about two strings are asked without looking for an overload; their rows say the same. */
const onStrings: ReadonlyMap<string, (text: string, part: string) => boolean> = new Map([
  ["contains", (text: string, part: string) => findText(text, part) >= 0],
  ["startsWith", (text: string, part: string) => text.startsWith(part)],
  ["endsWith", (text: string, part: string) => text.endsWith(part)],
]);
