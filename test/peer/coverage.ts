/** Counts what the accepted expressions are made of: every operator, function, overload, macro and form that the reference has. */
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Expression, Loop } from "../../runtime/cel/ast.ts";
import type { FunctionRow } from "../../runtime/cel/declare.ts";
import { presentRows } from "./lacking.ts";
import type { Accepted } from "./ours.ts";

/** How often each was met: functions with operators, macros and forms; and overloads by their ids. */
export interface Coverage {
  readonly functions: Map<string, number>;
  readonly overloads: Map<string, number>;
}

const functionName = ({ name, receiver }: FunctionRow): string => (receiver ? `.${name}` : name);
const byOverload: ReadonlyMap<string, string> = new Map(presentRows.map((row) => [row.id, functionName(row)]));

const macros = [
  ...["all", "exists", "exists_one"].flatMap((macro) => [`${macro}(v)`, `${macro}(i, v)`]),
  "existsOne(i, v)",
  "map(v)",
  "map(v, filter)",
  "filter(v)",
  "sortBy(v)",
  ...["transformList", "transformMap", "transformMapEntry"].flatMap((macro) => [`${macro}(i, v)`, `${macro}(i, v, filter)`]),
];
const forms = ["a.b", "has(a.b)", "[a]", "{a: b}", "cel.bind", "a && b", "a || b", ...macros];

/** Everything that is counted starts at none, so that what never occurs is seen. */
export const openCoverage = (): Coverage => ({
  functions: new Map([...forms, ...byOverload.values()].filter((name) => !["_&&_", "_||_"].includes(name)).map((name) => [name, 0])),
  overloads: new Map([...byOverload.keys()].filter((id) => !["logical_and", "logical_or"].includes(id)).map((id) => [id, 0])),
});

/** Counts one expression: each thing once, however often it occurs in it. */
export function cover({ functions, overloads }: Coverage, { tree, overloads: called }: Accepted): void {
  const found = new Set<string>();
  const collect = (node: Expression): void => {
    const form = formOf(node);
    if (form !== undefined) found.add(form);
    for (const child of childrenOf(node)) collect(child);
  };
  collect(tree);
  const ids = new Set([...called.values()].flat());
  for (const id of ids) found.add(byOverload.get(id) ?? "");
  for (const name of found) if (functions.has(name)) functions.set(name, (functions.get(name) ?? 0) + 1);
  for (const id of ids) if (overloads.has(id)) overloads.set(id, (overloads.get(id) ?? 0) + 1);
}

function formOf(node: Expression): string | undefined {
  switch (node.kind) {
    case "select":
      return node.test === true ? "has(a.b)" : "a.b";
    case "list":
      return "[a]";
    case "map":
      return "{a: b}";
    case "bind":
      return "cel.bind";
    case "logic":
      return `a ${node.operator} b`;
    case "loop":
      return macroForm(node);
    default:
      return undefined;
  }
}

const macroForm = ({ macroName, variables, filter }: Loop): string =>
  `${macroName}(${variables.length === 2 ? "i, v" : "v"}${filter === undefined ? "" : ", filter"})`;

/** The rarest first. */
export const rarest = (counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...counts].sort(([, a], [, b]) => a - b);
