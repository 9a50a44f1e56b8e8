/** Calls a function or operator by name: selects the overload that fits the arguments' types. */
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

/** A function of one name, call form and arity; the argument types select the overload. */
export type Callee = (args: readonly Value[], context: EvaluationContext) => Value | EvalError;

/** Functions whose cost does not depend on the length of their arguments, or that count their own work. */
const quick: ReadonlySet<string> = new Set(["_[_]", "_==_", "_!=_", "@in", "dyn", "first", "id", "last", "size", "type"]);

const methods = new Map<string, Callee[]>();
const globals = new Map<string, Callee[]>();

for (const { name, receiver, parameters } of functionRows) {
  const forms = receiver ? methods : globals;
  const byArity = forms.get(name) ?? [];
  forms.set(name, byArity);
  byArity[parameters.length] ??= makeCallee(name, receiver, parameters.length);
}

/**
 * Returns the function for `name(args)` or `args[0].name(args[1], ...)`. If no overload fits, it returns `no such
 * overload`.
 */
export const calleeOf = (name: string, receiver: boolean, arity: number): Callee =>
  (receiver ? methods : globals).get(name)?.[arity] ?? ((args) => undeclared(name, args));

const overloads = new Map<string, Callee>();

/**
 * Returns the function of one overload. Arguments of other types yield `no such overload`, even if another overload
 * accepts them.
 */
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

/** Calls `name(args)` or `args[0].name(args[1], ...)`. */
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

/** Returns the overload row for the arguments; null if none fits. Cached by the combination of argument kinds. */
function remembered(chosen: Map<number, FunctionRow | null>, rows: readonly FunctionRow[], args: readonly Value[]): FunctionRow | null {
  let kinds = 0;
  for (let i = 0; i < args.length; i += 1) {
    const kind = kindNumber(args[i] ?? null);
    // Opaque types share one kind, so the kind alone does not determine the row.
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

/** Behaviour of cel-go for values of type dyn that no declared overload covers. */
function undeclared(name: string, [first = null, second = null]: readonly Value[]): Value | EvalError {
  // A list indexed by a whole double; a scalar indexed by anything, which is `no such key`.
  if (name === "_[_]") return index(first, second);
  if (name === "size" && first instanceof Hierarchy) return BigInt(first.levels.length);
  if (name === "-_" && first instanceof Duration) return negateDuration(first);
  return evalError("no such overload");
}

/** As in cel-go, the first element decides whether a list has the element type of one overload. */
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
