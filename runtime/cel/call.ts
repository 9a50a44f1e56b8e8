/** Calls a function or operator by name: finds the overload whose kinds the arguments have. */
import type { EvaluationContext, FunctionRow } from "./declare.ts";
import { negateDuration } from "./duration.ts";
import { EvalError, evalError } from "./error.ts";
import { index } from "./access.ts";
import { Hierarchy } from "./hierarchy.ts";
import { functionRows } from "./functions/index.ts";
import { isList, kindLimit, kindNumber, kindOf, opaqueKind } from "./kind.ts";
import type { Type } from "./type.ts";
import { Duration, Opaque, type Value } from "./value.ts";
import { work, workOver, workToKeep } from "./work.ts";

/** What a name is, called in one form with so many arguments. */
export type Callee = (args: readonly Value[], context: EvaluationContext) => Value | EvalError;

/** What takes as long for a long list or text as for a short one, or draws its work itself. */
const quick: ReadonlySet<string> = new Set(["_[_]", "_==_", "_!=_", "@in", "dyn", "first", "id", "last", "size", "type"]);

const methods = new Map<string, Callee[]>();
const globals = new Map<string, Callee[]>();

for (const { name, receiver, parameters } of functionRows) {
  const forms = receiver ? methods : globals;
  const byArity = forms.get(name) ?? [];
  forms.set(name, byArity);
  byArity[parameters.length] ??= makeCallee(name, receiver, parameters.length);
}

/** Returns what `name(args)` or `args[0].name(args[1], ...)` does; without a fitting overload the answer is `no such overload`. */
export const calleeOf = (name: string, receiver: boolean, arity: number): Callee =>
  (receiver ? methods : globals).get(name)?.[arity] ?? ((args) => undeclared(name, args));

const overloads = new Map<string, Callee>();

/** Returns what one overload does: arguments of other kinds are `no such overload`, though the function may take them. */
export function overloadOf(id: string): Callee {
  const known = overloads.get(id);
  if (known !== undefined) return known;
  const row = functionRows.find((one) => one.id === id);
  if (row === undefined) return () => evalError("no such overload");
  const { name, receiver, parameters } = row;
  const callee = calleeOf(name, receiver, parameters.length);
  const narrowed: Callee = (args, context) =>
    parameters.every((parameter, i) => holds(parameter, args[i] ?? null)) ? callee(args, context) : evalError("no such overload");
  overloads.set(id, narrowed);
  return narrowed;
}

/** Runs `name(args)` or `args[0].name(args[1], ...)`. */
export function call(name: string, receiver: boolean, args: readonly Value[], context: EvaluationContext): Value | EvalError {
  const callee = (receiver ? methods : globals).get(name)?.[args.length];
  return callee === undefined ? undeclared(name, args) : callee(args, context);
}

function makeCallee(name: string, receiver: boolean, arity: number): Callee {
  const rows = functionRows.filter((row) => row.name === name && row.receiver === receiver && row.parameters.length === arity);
  const isQuick = quick.has(name);
  const chosen = new Map<number, FunctionRow | null>();
  return (args, context) => {
    work(8);
    const row = remembered(chosen, rows, args);
    if (row === null) return undeclared(name, args);
    if (isQuick) return row.run(args, context);
    for (let i = 0; i < arity; i += 1) workOver(args[i]);
    const result = row.run(args, context);
    if (!(result instanceof EvalError)) workToKeep(result);
    return result;
  };
}

/** Which row arguments of these kinds have, if it was asked before: there are few kinds and few arguments. */
function remembered(chosen: Map<number, FunctionRow | null>, rows: readonly FunctionRow[], args: readonly Value[]): FunctionRow | null {
  let kinds = 0;
  for (let i = 0; i < args.length; i += 1) {
    const kind = kindNumber(args[i] ?? null);
    // Its kind alone does not tell an opaque value from others.
    if (kind === opaqueKind) return choose(rows, args);
    kinds = kinds * kindLimit + kind;
  }
  const known = chosen.get(kinds);
  if (known !== undefined) return known;
  const row = choose(rows, args);
  chosen.set(kinds, row);
  return row;
}

const choose = (rows: readonly FunctionRow[], args: readonly Value[]): FunctionRow | null =>
  rows.find(({ parameters }) => parameters.every((parameter, i) => accepts(parameter, args[i] ?? null))) ?? null;

/** What cel-go takes of a dyn although no declaration says so. */
function undeclared(name: string, [first = null, second = null]: readonly Value[]): Value | EvalError {
  // A list by a whole double; a scalar by anything, which is then a missing key.
  if (name === "_[_]") return index(first, second);
  if (name === "size" && first instanceof Hierarchy) return BigInt(first.levels.length);
  if (name === "-_" && first instanceof Duration) return negateDuration(first);
  return evalError("no such overload");
}

/** As cel-go asks of one overload: a list is of a type when its first element is. */
function holds(type: Type, value: Value): boolean {
  if (!accepts(type, value)) return false;
  if (type.kind !== "list" || !isList(value)) return true;
  const [first] = value;
  return first === undefined || holds(type.element, first);
}

function accepts(type: Type, value: Value): boolean {
  if (type.kind === "dyn" || type.kind === "parameter") return true;
  if (type.kind === "opaque") return value instanceof Opaque && value.typeName === type.name;
  return type.kind === kindOf(value);
}
