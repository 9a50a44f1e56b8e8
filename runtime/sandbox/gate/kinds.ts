/** What names stand for, and the names of a program. */
import type { Asks } from "./asks.ts";
import type { OfRoles } from "./of-roles.ts";
import type { Piece } from "./weighed.ts";

/** What a name stands for: nothing can be done with it but what its kind allows. */
export type Kind =
  /** Data. */
  | "value"
  /** Data that its own function may assign. */
  | "temporary"
  /** What `cel.bind` binds: called without arguments, it is data. */
  | "lazy"
  /** A parameter of a loop's function that is data or lazy: its first use tells. */
  | "parameter"
  /** What reads an attribute. */
  | "reader"
  /** A function of the language, one overload of one, what reads a part of a timestamp, a pattern. */
  | "function"
  | "overload"
  | "reading"
  | "glob"
  /** What is asked for an element, or for an action's number. */
  | "set"
  | "map"
  /** A function of the query alone: a condition, a variable, an output. */
  | "query"
  /** The function of a loop, and within it: what it walks over, where it stands, what it makes. */
  | "loop"
  | "items"
  | "position"
  | "count"
  | "flag"
  | "list"
  /** What lists the derived roles of a policy, and what answers for its rows. */
  | "active"
  | "decide";

/** What a declaration says of a name. */
export interface Declared {
  readonly kind: Kind;
  /** How many arguments a function of the language takes. */
  readonly arity?: number;
  /** What the function of a loop takes after the query and the range. */
  readonly parameters?: readonly Name[];
  /** The constant that it is, if it is one. */
  readonly constant?: number | undefined;
  /** What running it once comes to, if it is a function. */
  readonly piece?: Piece | undefined;
  /** What it asks, if it lists derived roles or answers for rows. */
  readonly asks?: Asks | undefined;
  /** What it has to do with derived roles, if it is a function. */
  readonly ofRoles?: OfRoles | undefined;
}

/** A name in force. */
export interface Name {
  kind: Kind;
  readonly scope: Scope;
  readonly arity: number;
  readonly parameters: readonly Name[];
  readonly constant: number | undefined;
  readonly piece: Piece;
  readonly asks: Asks;
  readonly ofRoles: OfRoles;
  /** The number under which its value is remembered, if it is a variable. */
  variable: number | undefined;
}

/** A function, or a block of one: what is declared in it ends with it. */
export interface Scope {
  readonly start: number;
  readonly ofFunction: Scope | undefined;
  /** What its names stood for around it. */
  readonly hidden: (readonly [number: number, name: Name | undefined])[];
}

/** The names of a program by their numbers: what each stands for here, where it was written last, and where read. */
export interface Names {
  readonly known: (Name | undefined)[];
  readonly written: number[];
  readonly read: number[];
  readonly scopes: Scope[];
}

/** What each kind is called where another one must stand. */
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
