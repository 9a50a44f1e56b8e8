/**
 * Reports constants that can never be valid: `duration("1 hour")`, an invalid pattern, a format that does not match
 * its arguments.
 */
import type { Call, Expression, List } from "../../runtime/cel/ast.ts";
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { readFormat } from "../../runtime/cel/format.ts";
import { overloadsOf } from "../../runtime/cel/functions/index.ts";
import { printType, type Type } from "../../runtime/cel/type.ts";
import { Timestamp, type Value } from "../../runtime/cel/value.ts";
import { childrenOf } from "./children.ts";
import type { Issue } from "./issue.ts";
import { isDynamicOrError } from "./unify.ts";

/** Functions whose constant last argument is tried: what it must be, and how to write it. */
const tried: ReadonlyMap<string, readonly [thing: string, hint: string]> = new Map([
  ["duration", ["duration", 'write it as in `duration("1h30m")`; the units are h, m, s, ms, us and ns']],
  ["timestamp", ["timestamp", 'write it as in `timestamp("2024-12-31T23:59:59Z")`']],
  ["matches", ["pattern", "patterns are those of RE2"]],
  ["ip", ["IP address", 'write it as in `ip("10.0.0.1")`']],
  ["cidr", ["CIDR block", 'write it as in `cidr("10.0.0.0/8")`']],
]);

/** Checks every call of a checked expression. */
export function checkLiterals(
  root: Expression,
  types: ReadonlyMap<number, Type>,
  overloads: ReadonlyMap<number, readonly string[]>,
  report: (issue: () => Issue) => void,
): void {
  const nodes = [root];
  for (const node of nodes) {
    for (const child of childrenOf(node)) nodes.push(child);
    if (node.kind !== "call") continue;
    const issue = evaluateCall(node, overloads.get(node.id) ?? []) ?? checkFormat(node, types);
    if (issue !== undefined) report(() => issue);
  }
}

/** None of these functions reads the time. */
const context: EvaluationContext = { now: new Timestamp(0, 0) };

function evaluateCall(call: Call, ids: readonly string[]): Issue | undefined {
  const [thing, hint] = tried.get(call.function) ?? [];
  const argument = call.args.at(-1);
  if (thing === undefined || hint === undefined || argument?.kind !== "literal") return undefined;
  const row = overloadsOf(call.function).find(({ id }) => ids.includes(id));
  // The string to match does not affect whether the pattern is valid.
  const before: readonly Value[] = call.function === "matches" ? [""] : [];
  const result = row?.run([...before, argument.value], context);
  if (!(result instanceof EvalError)) return undefined;
  const why = result.kind === "out of range" ? "it is out of range" : thing === "pattern" ? detailOf(result) : undefined;
  return { start: argument.start, end: argument.end, message: `not a valid ${thing}${why === undefined ? "" : `: ${why}`}`, hint };
}

/** The part of an error message after its kind. */
const detailOf = (error: EvalError): string => error.message.slice(error.kind.length).replace(/^: /, "");

const numbers = ["int", "uint", "double"];

/** The types that each formatting clause accepts; `%s` accepts every type with a string form. */
const taken: ReadonlyMap<string, readonly string[]> = new Map([
  ["s", [...numbers, "string", "bytes", "bool", "null", "type", "timestamp", "duration", "list", "map"]],
  ["d", numbers],
  ["f", numbers],
  ["e", numbers],
  ["b", ["int", "uint", "bool"]],
  ["o", ["int", "uint"]],
  ["x", ["int", "uint", "string", "bytes"]],
  ["X", ["int", "uint", "string", "bytes"]],
]);

/** Compares a constant format with the list of its arguments, as far as their types are known. */
function checkFormat({ function: name, target, args: [list] }: Call, types: ReadonlyMap<number, Type>): Issue | undefined {
  if (name !== "format" || target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return undefined;
  const read = readFormat(target.value);
  if (read instanceof EvalError)
    return {
      start: target.start,
      end: target.end,
      message: `not a valid format: ${detailOf(read)}`,
      hint: "write `%%` for a percent sign",
    };
  const { clauses } = read;
  const count = list.elements.length;
  if (count !== clauses.length) {
    return {
      start: list.start,
      end: list.end,
      message: `the format has ${clauses.length} ${clauses.length === 1 ? "place" : "places"} to fill, and the list ${count} ${count === 1 ? "element" : "elements"}`,
    };
  }
  for (const [i, { verb }] of clauses.entries()) {
    const wrong = misfit(list, i, verb, types);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function misfit(list: List, index: number, verb: string, types: ReadonlyMap<number, Type>): Issue | undefined {
  const element = list.elements[index];
  const parts = element === undefined ? [] : verb === "s" ? textParts(element) : [element];
  for (const part of parts) {
    const type = types.get(part.id);
    if (type === undefined || isDynamicOrError(type) || taken.get(verb)?.includes(type.kind) === true) continue;
    return {
      start: part.start,
      end: part.end,
      message: `\`%${verb}\` cannot print ${printType(type)}`,
      hint: "convert it first, as in `string(…)`",
    };
  }
  return undefined;
}

/** The parts of a list or map literal that are printed with it. */
function textParts(tree: Expression): readonly Expression[] {
  if (tree.kind !== "list" && tree.kind !== "map") return [tree];
  return [tree, ...childrenOf(tree).flatMap(textParts)];
}
