/** The macros that the parser rewrites: one row each, with the conditions under which cel-go accepts the call. */
import type { Call, Expression, LoopMacro } from "../../runtime/cel/ast.ts";
import type { ReportIssue } from "./issue.ts";

/** What a rewrite needs: a report and a source of node ids. */
export interface Expansion {
  readonly macros: readonly Macro[];
  readonly report: ReportIssue;
  nextId: number;
}

/** A macro: which calls it applies to, and how it rewrites them. */
export interface Macro {
  readonly name: string;
  /** `global`: `has(...)`; `method`: `list.all(...)`; otherwise the namespace before the dot: `cel` in `cel.bind(...)`. */
  readonly on: "global" | "method" | "cel" | "math";
  /** The allowed numbers of arguments; a call with another number is no macro. */
  readonly arguments: readonly number[] | "any";
  /** Returns undefined after reporting why the call cannot be rewritten. */
  readonly rewrite: (call: Call, expansion: Expansion) => Expression | undefined;
}

/** Rewrites a call by the macro that applies; returns the call itself if none does. */
export function expand(expansion: Expansion, call: Call): Expression {
  const macro = expansion.macros.find((candidate) => applies(candidate, call));
  return macro?.rewrite(call, expansion) ?? call;
}

function applies(macro: Macro, call: Call): boolean {
  if (macro.name !== call.function || (macro.arguments !== "any" && !macro.arguments.includes(call.args.length))) return false;
  if (macro.on === "global") return call.target === undefined;
  if (macro.on === "method") return call.target !== undefined;
  return call.target?.kind === "identifier" && call.target.name === macro.on && call.target.absolute !== true;
}

const has: Macro = {
  name: "has",
  on: "global",
  arguments: [1],
  rewrite: (call, { report }) => {
    const [field] = call.args;
    if (field?.kind === "select" && field.optional !== true) return { ...field, ...placeOf(call), test: true };
    const hint =
      field?.kind === "call" && field.function === "_[_]" ? "a key of a map is tested with `key in map`" : "name one field of a value";
    report({ ...range(field ?? call), message: "`has` takes a field, as in `has(a.b)`", hint });
    return undefined;
  },
};

/** A looping macro: one or two variables, an optional filter, the body. */
function loop(name: string, macro: LoopMacro, variables: 1 | 2, filter: "filter" | "no filter" = "no filter"): Macro {
  const least = variables + 1;
  return {
    name,
    on: "method",
    arguments: filter === "filter" ? [least, least + 1] : [least],
    rewrite: (call, { report }) => {
      const names = call.args.slice(0, variables).map((argument) => variableName(argument, name, report));
      const [first, second] = names;
      const body = call.args.at(-1);
      if (call.target === undefined || body === undefined || first === undefined || (variables === 2 && second === undefined))
        return undefined;
      if (first === second) {
        report({
          ...range(call.args[1] ?? call),
          message: `the two variables have the same name \`${first}\``,
          hint: "give one of them another name",
        });
        return undefined;
      }
      const middle = call.args.length > least ? call.args[variables] : undefined;
      return {
        kind: "loop",
        macro,
        macroName: name,
        range: call.target,
        variables: second === undefined ? [first] : [first, second],
        ...(middle !== undefined && { filter: middle }),
        body,
        ...placeOf(call),
      };
    },
  };
}

/** Names that cel-go reserves for accumulators. */
const accumulators: ReadonlySet<string> = new Set(["__result__", "@result"]);

function variableName(argument: Expression, macro: string, report: ReportIssue): string | undefined {
  if (argument.kind !== "identifier" || argument.absolute === true) {
    report({ ...range(argument), message: `\`${macro}\` needs the name of a variable here`, hint: `as in \`list.${macro}(item, …)\`` });
    return undefined;
  }
  if (!accumulators.has(argument.name)) return argument.name;
  report({ ...range(argument), message: `the name \`${argument.name}\` is taken`, hint: "choose another name" });
  return undefined;
}

const bind: Macro = {
  name: "bind",
  on: "cel",
  arguments: [3],
  rewrite: (call, { report }) => {
    const [variable, init, body] = call.args;
    if (variable === undefined || init === undefined || body === undefined) return undefined;
    if (variable.kind === "identifier" && variable.absolute !== true)
      return { kind: "bind", name: variable.name, init, body, ...placeOf(call) };
    report({
      ...range(variable),
      message: "`cel.bind` needs the name of a variable here",
      hint: 'as in `cel.bind(team, R.attr.team, team == "a")`',
    });
    return undefined;
  },
};

const optional = (name: string, flat: boolean): Macro => ({
  name,
  on: "method",
  arguments: [2],
  rewrite: (call, { report }) => {
    const [variable, body] = call.args;
    if (call.target === undefined || variable === undefined || body === undefined) return undefined;
    const named = variableName(variable, name, report);
    return named === undefined ? undefined : { kind: "optionalMap", flat, target: call.target, variable: named, body, ...placeOf(call) };
  },
});

/** `sortBy`. As in cel-go, literals other than lists are refused. */
const sortBy: Macro = {
  ...loop("sortBy", "sortBy", 1),
  rewrite: (call, expansion) => {
    const kind = call.target?.kind;
    if (kind !== "literal" && kind !== "map" && kind !== "struct") return loop("sortBy", "sortBy", 1).rewrite(call, expansion);
    expansion.report({ ...range(call.target ?? call), message: "`sortBy` sorts a list" });
    return undefined;
  },
};

/** `math.greatest(a, b, c)` accepts any number of arguments; as in cel-go, three or more are passed as one list. */
const extreme = (name: string): Macro => ({
  name,
  on: "math",
  arguments: "any",
  rewrite: (call, expansion) => {
    const [first] = call.args;
    if (first === undefined) {
      expansion.report({ ...range(call), message: `\`math.${name}\` takes at least one number` });
      return undefined;
    }
    const listed = call.args.length === 1 && first.kind === "list" && first.elements.length > 0 ? first.elements : call.args;
    const wrong = listed.filter((argument) => !mayBeNumber(argument));
    for (const argument of wrong)
      expansion.report({ ...range(argument), message: `\`math.${name}\` takes numbers`, hint: "or one list of numbers" });
    if (wrong.length > 0) return undefined;
    const end = call.args.at(-1)?.end ?? call.end;
    const list: Expression = { kind: "list", elements: call.args, optionals: [], id: expansion.nextId++, start: first.start, end };
    return { kind: "call", function: `math.${name}`, args: call.args.length < 3 ? call.args : [list], ...placeOf(call) };
  },
});

function mayBeNumber(argument: Expression): boolean {
  switch (argument.kind) {
    case "list":
    case "map":
    case "struct":
      return false;
    case "literal":
      return (
        typeof argument.value === "bigint" ||
        typeof argument.value === "number" ||
        (typeof argument.value === "object" && argument.value !== null && "value" in argument.value)
      );
    default:
      return true;
  }
}

const range = ({ start, end }: Expression): { readonly start: number; readonly end: number } => ({ start, end });
const placeOf = ({ id, start, end }: Expression): { readonly id: number; readonly start: number; readonly end: number } => ({
  id,
  start,
  end,
});

/** The macros of the CEL specification. */
export const standardMacros: readonly Macro[] = [
  has,
  loop("all", "all", 1),
  loop("exists", "exists", 1),
  loop("exists_one", "existsOne", 1),
  loop("existsOne", "existsOne", 1),
  loop("map", "map", 1, "filter"),
  loop("filter", "filter", 1),
];

/** All macros: the standard ones and those of the extension libraries. */
export const allMacros: readonly Macro[] = [
  ...standardMacros,
  loop("all", "all", 2),
  loop("exists", "exists", 2),
  loop("exists_one", "existsOne", 2),
  loop("existsOne", "existsOne", 2),
  loop("transformList", "transformList", 2, "filter"),
  loop("transformMap", "transformMap", 2, "filter"),
  loop("transformMapEntry", "transformMapEntry", 2, "filter"),
  bind,
  optional("optMap", false),
  optional("optFlatMap", true),
  sortBy,
  extreme("greatest"),
  extreme("least"),
];

/** The syntax of each macro, for error messages. */
export const macroForms: ReadonlyMap<string, string> = new Map([
  ["has", "`has(a.b)`"],
  ["all", "`list.all(item, condition)`"],
  ["exists", "`list.exists(item, condition)`"],
  ["exists_one", "`list.exists_one(item, condition)`"],
  ["existsOne", "`list.existsOne(item, condition)`"],
  ["map", "`list.map(item, value)`"],
  ["filter", "`list.filter(item, condition)`"],
  ["transformList", "`list.transformList(index, item, value)`"],
  ["transformMap", "`map.transformMap(key, value, newValue)`"],
  ["transformMapEntry", "`map.transformMapEntry(key, value, {newKey: newValue})`"],
  ["cel.bind", "`cel.bind(name, value, expression)`"],
  ["optMap", "`optional.optMap(value, expression)`"],
  ["optFlatMap", "`optional.optFlatMap(value, expression)`"],
  ["sortBy", "`list.sortBy(item, key)`"],
]);
