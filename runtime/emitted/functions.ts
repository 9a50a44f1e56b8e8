/** Functions of the language, looked up once when a unit is loaded. */
import { call } from "../cel/call.ts";
import { findText } from "../cel/search.ts";
import type { Value } from "../cel/value.ts";
import { type Result, settle } from "./access.ts";
import type { Surroundings } from "./load-time.ts";

type Callee = (surroundings: Surroundings, ...args: readonly Result[]) => Result;

/** Answers `name(args)` or, with a receiver, `args[0].name(...)`; an argument that is an error makes the call one. */
export function functionNamed(name: string, receiver: boolean, arity: number): Callee {
  const any: Callee = (surroundings, ...args) => {
    const values: Value[] = [];
    for (const argument of args) {
      if (argument === undefined) return undefined;
      values.push(argument);
    }
    return settle(call(name, receiver, values, surroundings.context));
  };
  const quick = receiver && arity === 2 ? onStrings.get(name) : undefined;
  if (quick === undefined) return any;
  return (surroundings, left, right) =>
    typeof left === "string" && typeof right === "string" ? quick(left, right) : any(surroundings, left, right);
}

/** The usual questions about two strings are asked without looking for an overload; their rows say the same. */
const onStrings: ReadonlyMap<string, (text: string, part: string) => boolean> = new Map([
  ["contains", (text: string, part: string) => findText(text, part) >= 0],
  ["startsWith", (text: string, part: string) => text.startsWith(part)],
  ["endsWith", (text: string, part: string) => text.endsWith(part)],
]);
