/** The names of a program and their kinds. */
import type { UsedQuestions } from "./question-use.ts";
import type { RoleDependence } from "./role-dependence.ts";
import type { Cost } from "./cost.ts";

/** The kind of a name determines everything that may be done with it. */
export type Kind =
  /** Data. */
  | "value"
  /** Data that its own function may assign. */
  | "temporary"
  /** The variable of `cel.bind`: a function without arguments that returns data. */
  | "lazy"
  /** A parameter of a loop's function that is data or lazy, as its first use determines. */
  | "parameter"
  /** A function that reads an attribute. */
  | "reader"
  /** A CEL function, a single overload, a getter of timestamps, a glob pattern. */
  | "function"
  | "overload"
  | "reading"
  | "glob"
  /** A set of values; a map from action names to numbers. */
  | "set"
  | "map"
  /** A function of the query alone: a condition, a variable, an output. */
  | "query"
  /** The function of a loop; and inside it: the range, the index, and the result. */
  | "loop"
  | "items"
  | "position"
  | "count"
  | "flag"
  | "list"
  /** The function that lists a policy's derived roles, and the one that evaluates its rows. */
  | "active"
  | "decide";

/** The properties that a declaration gives to a name. */
export interface Declared {
  readonly kind: Kind;
  /** Number of arguments of a CEL function. */
  readonly arity?: number;
  /** The parameters of a loop's function after query and range. */
  readonly parameters?: readonly Name[];
  /** The number of the constant, if it is one. */
  readonly constant?: number | undefined;
  /** The cost of running it once, if it is a function. */
  readonly cost?: Cost | undefined;
  /** The questions it uses, if it lists derived roles or evaluates rows. */
  readonly usedQuestions?: UsedQuestions | undefined;
  /** Its dependence on derived roles, if it is a function. */
  readonly roleDependence?: RoleDependence | undefined;
}

/** A declared name. */
export interface Name {
  kind: Kind;
  readonly scope: Scope;
  readonly arity: number;
  readonly parameters: readonly Name[];
  readonly constant: number | undefined;
  readonly cost: Cost;
  readonly usedQuestions: UsedQuestions;
  readonly roleDependence: RoleDependence;
  /** Its number as a cached variable, if it is one. */
  variable: number | undefined;
}

/** A function or a block; its declarations end with it. */
export interface Scope {
  readonly start: number;
  readonly ofFunction: Scope | undefined;
  /** The outer declarations that it shadows. */
  readonly hidden: (readonly [number: number, name: Name | undefined])[];
}

/** The names of a program by number: current declaration, and the offsets where each was last declared and last used. */
export interface Names {
  readonly known: (Name | undefined)[];
  readonly written: number[];
  readonly read: number[];
  readonly scopes: Scope[];
}

/** How error messages call each kind. */
export const kinds: { readonly [kind in Kind]: string } = {
  value: "data",
  temporary: "a variable",
  lazy: "a function without arguments",
  parameter: "a parameter",
  reader: "the reader of an attribute",
  function: "a function of the language",
  overload: "an overload",
  reading: "a reading of a timestamp",
  glob: "a pattern",
  set: "a set",
  map: "a map",
  query: "a function of the query",
  loop: "the function of a loop",
  items: "what a loop walks over",
  position: "the place where a loop stands",
  count: "a count",
  flag: "a flag",
  list: "a list that is made",
  active: "the function that lists derived roles",
  decide: "the function that answers for rows",
};
