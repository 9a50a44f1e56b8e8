/** Calls a function or operator by name: finds the overload whose kinds the arguments have. */
import type { EvaluationContext, FunctionRow } from "./declare.ts";
import { makeDuration } from "./duration.ts";
import { EvalError, evalError } from "./error.ts";
import { index } from "./access.ts";
import { functionRows } from "./functions/index.ts";
import { kindOf } from "./kind.ts";
import type { Type } from "./type.ts";
import { Duration, Opaque, type Value } from "./value.ts";
import { work, workOver } from "./work.ts";

const signature = (name: string, receiver: boolean, arity: number): string => `${name}/${receiver ? "method" : "global"}/${arity}`;

const rowsBySignature: ReadonlyMap<string, readonly FunctionRow[]> = (() => {
  const rows = new Map<string, FunctionRow[]>();
  for (const row of functionRows) {
    const key = signature(row.name, row.receiver, row.parameters.length);
    rows.set(key, [...(rows.get(key) ?? []), row]);
  }
  return rows;
})();

/** Runs `name(args)` or `args[0].name(args[1], ...)`; without a fitting overload the answer is `no such overload`. */
export function call(name: string, receiver: boolean, args: readonly Value[], context: EvaluationContext): Value | EvalError {
  const rows = rowsBySignature.get(signature(name, receiver, args.length)) ?? [];
  const row = rows.find(({ parameters }) => parameters.every((parameter, i) => accepts(parameter, args[i] ?? null)));
  work(8);
  if (row === undefined) return undeclared(name, args[0] ?? null, args[1] ?? null);
  if (quick.has(name)) return row.run(args, context);
  for (const argument of args) workOver(argument);
  const result = row.run(args, context);
  if (!(result instanceof EvalError)) workOver(result);
  return result;
}

/** What takes as long for a long list or text as for a short one, or draws its work itself. */
const quick: ReadonlySet<string> = new Set(["_[_]", "_==_", "_!=_", "@in", "dyn", "first", "id", "last", "size", "type"]);

/** What cel-go takes of a dyn although no declaration says so. */
function undeclared(name: string, first: Value, second: Value): Value | EvalError {
  // A list by a whole double; a scalar by anything, which is then a missing key.
  if (name === "_[_]") return index(first, second);
  if (name === "-_" && first instanceof Duration) return makeDuration(-first.nanos);
  return evalError("no such overload");
}

function accepts(type: Type, value: Value): boolean {
  if (type.kind === "dyn" || type.kind === "parameter") return true;
  if (type.kind === "opaque") return value instanceof Opaque && value.typeName === type.name;
  return type.kind === kindOf(value);
}
