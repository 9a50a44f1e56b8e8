/**
 * Common subexpression elimination for attribute reads: a function reads each attribute once, at its start, because
 * reads have no effects and cannot throw.
 */
import type { Expression } from "../../../runtime/cel/ast.ts";
import { childrenOf } from "../../cel/children.ts";
import { type RecordName, recordsByName } from "../../cel/records.ts";
import { js, newName } from "../code.ts";
import type { ExpressionEmitter, EmitContext } from "../context.ts";

/**
 * Returns the context in which attributes that the expressions read at least `once` times become constants of the
 * current function. Reads inside loops are not counted, because they are in another function.
 */
export function shareReads(expressions: readonly Expression[], context: EmitContext, emit: ExpressionEmitter, once = 2): EmitContext {
  if (!context.factory.uses("share reads")) return context;
  const counts = new Map<string, { count: number; readonly read: Expression; readonly depth: number }>();
  for (const expression of expressions) count(expression, context, counts);
  const repeated = [...counts].filter(([, { count: times }]) => times >= once).sort(([, left], [, right]) => left.depth - right.depth);
  const reads = new Map(context.reads);
  const shared = { ...context, reads };
  for (const [path, { read }] of repeated) {
    const value = emit.value(read, shared);
    if (value.type.kind !== "json" || value.isObject === true) continue;
    const name = newName(read.kind === "select" ? read.field : "read");
    context.frame.first.push(js`const ${name} = ${value.code};`);
    reads.set(path, { ...value, code: js`${name}`, isName: true });
  }
  return shared;
}

type Counts = Map<string, { count: number; readonly read: Expression; readonly depth: number }>;

/** Counts reads by path. A longer read also counts each of its prefixes. */
function count(expression: Expression, context: EmitContext, counts: Counts): void {
  if (expression.kind === "loop") {
    count(expression.range, context, counts);
    return;
  }
  const path = pathOf(expression, context);
  if (path !== undefined) {
    const known = counts.get(path.key);
    if (known === undefined) counts.set(path.key, { count: 1, read: readOf(expression), depth: path.depth });
    else known.count++;
  }
  for (const part of childrenOf(expression)) count(part, context, counts);
}

/** `has(a.b)` reads the same as `a.b`. */
function readOf(expression: Expression): Expression {
  if (expression.kind !== "select" || expression.test !== true) return expression;
  const { test: _, ...read } = expression;
  return read;
}

/** The path of an attribute: a root and the fields below it; undefined for other expressions. */
export function pathOf(expression: Expression, context: EmitContext): { readonly key: string; readonly depth: number } | undefined {
  const fields: string[] = [];
  let at = expression;
  while (at.kind === "select" && at.optional !== true) {
    if (at.test === true && at !== expression) return undefined;
    fields.push(at.field);
    at = at.operand;
  }
  if (at.kind !== "identifier" || fields.length === 0 || (at.absolute !== true && context.locals.has(at.name))) return undefined;
  const record = context.variables === undefined ? recordsByName.get(at.name) : undefined;
  if (record !== undefined && recordsOfPolicy.has(record)) return undefined;
  return { key: JSON.stringify([at.name, ...fields.toReversed()]), depth: fields.length };
}

/** Their fields are not reads: variables are computed, constants are known. */
const recordsOfPolicy: ReadonlySet<RecordName> = new Set(["variables", "constants", "globals", "runtime"]);
