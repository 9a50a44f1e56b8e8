/**
 * Parses the conditions and variables of a unit as trees for the interpreter. Written by `compiler/emit/trees.ts`;
 * parsed when the first error is to be reported (D43).
 */
import type { ConstantValue } from "../bundle.ts";
import type { Expression, LoopMacro, MapEntry } from "../cel/ast.ts";
import { compileToClosure } from "../cel/evaluate/closures.ts";
import type { Value } from "../cel/value.ts";
import { readConstant } from "../constant.ts";
import { readsCallerOnly } from "./caller-errors.ts";
import type { CompiledExpression, Condition, Variable } from "./condition.ts";
import { memoized } from "./memoize.ts";

/** The questions of a unit by index: its conditions, derived roles and outputs. */
export interface UnitTrees {
  /** One for each scope of the unit, in the same order. */
  readonly policies: readonly PolicyTrees[];
  readonly questions: readonly Question[];
}

/** The variables and constants of one policy. */
export interface PolicyTrees extends Names {
  readonly derivedRoles: readonly DerivedRoleTrees[];
}

/** The variables and constants of one derived role, and its condition. */
export interface DerivedRoleTrees extends Names {
  readonly name: string;
  readonly condition?: Condition;
}

/** Variables in dependency order, and constants. */
export interface Names {
  readonly variables: readonly Variable[];
  readonly constants: ReadonlyMap<string, Value>;
}

/** What `query.holds(index, ...)` evaluates. `policy` is the index among the unit's scopes. */
export type Question =
  /** Marks that a row without its own condition was considered. */
  | { readonly kind: "policy"; readonly policy: number }
  /** The condition of a rule. */
  | { readonly kind: "rule"; readonly policy: number; readonly condition: Condition }
  /**
   * The condition of a derived role: `listed` if failed variables are null, `matched` if they are unset, `both` if
   * that makes no difference.
   */
  | { readonly kind: "listed" | "matched" | "both"; readonly policy: number; readonly role: number }
  /** An output; evaluated here only for the text of its error. */
  | { readonly kind: "output"; readonly policy: number; readonly expression: CompiledExpression };

/** JSON of an expression: an array whose first element is the node type. */
export type TreeJson = readonly [tag: string, ...rest: readonly unknown[]];
/**
 * JSON of a condition: `["e", text, tree, places]` (start and end of each node, in the order of the tree's text), or
 * `["all" | "any" | "none", condition, ...]`.
 */
export type ConditionJson = TreeJson;
/** JSON of a question. */
export type QuestionJson =
  | readonly [kind: "policy", policy: number]
  | readonly [kind: "rule", policy: number, condition: ConditionJson]
  | readonly [kind: "listed" | "matched" | "both", policy: number, role: number]
  | readonly [kind: "output", policy: number, text: string, tree: TreeJson, places: readonly number[]];
/** JSON of names: variables as `[name, text, tree, places]`, constants as `[name, value]`. */
export interface NamesJson {
  readonly v: readonly (readonly [name: string, text: string, tree: TreeJson, places: readonly number[]])[];
  readonly c: readonly (readonly [name: string, value: ConstantValue])[];
}
/** JSON of a unit's trees. */
export interface UnitTreesJson {
  readonly p: readonly (NamesJson & { readonly d: readonly (NamesJson & { readonly n: string; readonly w?: ConditionJson })[] })[];
  readonly q: readonly QuestionJson[];
}

/** Most cached trees, and the length up to which their text is cached. */
const maxUnits = 64;
const longestUnit = 2 ** 15;

/**
 * Parses the trees of a unit. Units with the same text share the result, so that data read by many requests is close
 * together in memory.
 */
export const readTrees = memoized(
  maxUnits,
  (text): UnitTrees => {
    // A cast without a check: the bundle's digest guarantees what the compiler wrote.
    const json = JSON.parse(text) as UnitTreesJson;
    return {
      policies: json.p.map((policy) => ({
        ...readNames(policy),
        derivedRoles: policy.d.map((role) => ({
          name: role.n,
          ...readNames(role),
          ...(role.w === undefined ? {} : { condition: readCondition(role.w) }),
        })),
      })),
      questions: json.q.map(readQuestion),
    };
  },
  longestUnit,
);

const readNames = ({ v, c }: NamesJson): Names => ({
  variables: sharedVariables(JSON.stringify(v)),
  constants: new Map(c.map(([name, value]) => [name, readConstant(value)])),
});

/** Most shared expressions, and the length up to which they are shared. */
const maxShared = 2048;
const longestShared = 1024;

/** Equal expressions of many policies are one object: its code stays hot, and caches apply to all of them. */
const shared = memoized(
  maxShared,
  (json): CompiledExpression => {
    const [text, treeJson, places]: ExpressionJson = JSON.parse(json);
    const tree = readTree(treeJson, places);
    return { text, tree, closure: compileToClosure(tree), ofCaller: readsCallerOnly(tree) };
  },
  longestShared,
);

/** The same for lists of variables: errors of a caller are cached by list. */
const sharedVariables = memoized(
  maxShared,
  (json): readonly Variable[] => {
    const variables: NamesJson["v"] = JSON.parse(json);
    return variables.map(([name, text, tree, places]) => ({ name, expression: compiled(text, tree, places) }));
  },
  longestShared,
);

type ExpressionJson = readonly [text: string, tree: TreeJson, places: readonly number[]];

const compiled = (...expression: ExpressionJson): CompiledExpression => shared(JSON.stringify(expression));

function readQuestion(json: QuestionJson): Question {
  switch (json[0]) {
    case "policy":
      return { kind: json[0], policy: json[1] };
    case "rule":
      return { kind: json[0], policy: json[1], condition: readCondition(json[2]) };
    case "listed":
    case "matched":
    case "both":
      return { kind: json[0], policy: json[1], role: json[2] };
    case "output":
      return { kind: json[0], policy: json[1], expression: compiled(json[2], json[3], json[4]) };
  }
}

function readCondition([tag, ...rest]: ConditionJson): Condition {
  switch (tag) {
    case "e":
      return { kind: "expression", expression: compiled(rest[0] as string, rest[1] as TreeJson, rest[2] as readonly number[]) };
    case "all":
    case "any":
    case "none":
      return { kind: tag, of: (rest as readonly ConditionJson[]).map(readCondition) };
    default:
      return impossible(tag);
  }
}

/** Parses one expression. `places` holds start and end of each node, in the order of the tree's text. */
export function readTree(json: TreeJson, places: readonly number[]): Expression {
  let count = 0;
  const next = (): { readonly id: number; readonly start: number; readonly end: number } => {
    const [start = 0, end = 0] = [places[2 * count], places[2 * count + 1]];
    return { id: ++count, start, end };
  };
  const read = (node: unknown): Expression => {
    // The shapes are those of the table in `compiler/emit/trees.ts`, the only writer.
    const [tag, ...rest] = node as TreeJson;
    const [first, second, third, fourth] = rest as [never, never, never, never];
    const at = next();
    switch (tag) {
      // A literal is a scalar, so none of the wider values can occur.
      case "v":
        return { ...at, kind: "literal", value: readConstant(first) as never };
      case "i":
        return { ...at, kind: "identifier", name: first };
      case "I":
        return { ...at, kind: "identifier", name: first, absolute: true };
      case "s":
        return { ...at, kind: "select", operand: read(first), field: second };
      case "h":
        return { ...at, kind: "select", operand: read(first), field: second, test: true };
      case "?":
        return { ...at, kind: "select", operand: read(first), field: second, optional: true };
      case "f":
        return { ...at, kind: "call", function: first, args: rest.slice(1).map(read) };
      case "m":
        return { ...at, kind: "call", function: first, target: read(second), args: rest.slice(2).map(read) };
      case "F":
        return { ...at, kind: "call", function: first, overload: second, args: rest.slice(2).map(read) };
      case "M":
        return { ...at, kind: "call", function: first, overload: second, target: read(third), args: rest.slice(3).map(read) };
      case "&":
        return { ...at, kind: "logic", operator: "&&", terms: rest.map(read) };
      case "|":
        return { ...at, kind: "logic", operator: "||", terms: rest.map(read) };
      case "l":
        return { ...at, kind: "list", optionals: first, elements: rest.slice(1).map(read) };
      case "o":
        return { ...at, kind: "map", entries: rest.map(readEntry) };
      case "x":
        return { ...at, kind: "struct", name: first, fields: [] };
      case "b":
        return { ...at, kind: "bind", name: first, init: read(second), body: read(third) };
      case "q":
        return { ...at, kind: "optionalMap", flat: first, variable: second, target: read(third), body: read(fourth) };
      case "L":
        return readLoop(at, rest as never);
      default:
        return impossible(tag);
    }
  };
  const readEntry = (entry: unknown): MapEntry => {
    const [key, value, optional] = entry as readonly [unknown, unknown, boolean];
    return { ...next(), key: read(key), value: read(value), optional };
  };
  const readLoop = (
    at: { readonly id: number; readonly start: number; readonly end: number },
    [macro, variables, range, body, ...filter]: readonly [LoopMacro, readonly [string], unknown, unknown, ...unknown[]],
  ): Expression => {
    const loop = { ...at, kind: "loop", macro, macroName: macro, variables, range: read(range), body: read(body) } as const;
    return filter.length === 0 ? loop : { ...loop, filter: read(filter[0]) };
  };
  return read(json);
}

function impossible(tag: string): never {
  throw new Error(`internal contradiction: a tree of kind ${tag}`);
}
