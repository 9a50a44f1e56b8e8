/** The members of the runtime and of the query, with their arguments: everything that a program can reach. */
import type { Emitted } from "../../emitted/index.ts";

/** The kinds of arguments. */
export type Argument =
  /** Any expression. */
  | "data"
  /** A string literal, such as the name of an attribute; or an expression or a string literal. */
  | "text"
  | "data or text"
  /** The word `true`, or nothing. */
  | "true?"
  /** The query, with which loops count their steps. */
  | "query"
  /** Functions with no parameter, with one, with two; with one that is a function without arguments. */
  | "() =>"
  | "(a) =>"
  | "(a) =>?"
  | "(a, b) =>"
  | "(a, b) =>?"
  | "(lazy) =>"
  /** Lists: of data, of pairs, of either followed by `true` or `false`. */
  | "[a]"
  | "[[a, b]]"
  | "[[a, truth]]"
  | "[[a, b, truth]]"
  /** The name of a policy's message (V or C), and its fields. */
  | "record"
  | "[[text, a]]";

/** The arguments of a call; or the file that admits the member in other forms; or "never". */
type Form = readonly Argument[] | "declaration.ts" | "loop.ts" | "reader.ts" | "rows.ts" | "value.ts" | "never";

const two = ["data", "data"] as const;
const ofItem = ["query", "data", "(a) =>"] as const;
const ofEntry = ["query", "data", "(a, b) =>"] as const;

/** Every member of `rt`; the type guarantees that none is missing. */
export const ofRuntime: { readonly [member in keyof Emitted]: Form } = {
  NONE: "rows.ts",
  ALLOW: "rows.ts",
  DENY: "rows.ts",
  count: "rows.ts",
  load: "value.ts",
  bare: "reader.ts",
  items: "loop.ts",
  functionNamed: "declaration.ts",
  overload: "declaration.ts",
  readingOf: "declaration.ts",
  glob: "declaration.ts",
  listed: "declaration.ts",
  typeNamed: "declaration.ts",
  noRoles: "declaration.ts",
  rolesAmong: "declaration.ts",
  // The machine print uses constants instead.
  uint: "never",
  bytes: "never",

  get: ["data", "text"],
  owns: ["data", "text"],
  select: ["data", "text"],
  has: ["data", "text"],
  index: two,
  isIn: two,
  sizeOf: ["data", "true?"],
  record: ["record", "[[text, a]]"],

  equal: two,
  unequal: two,
  less: two,
  atMost: two,
  greater: two,
  atLeast: two,
  not: ["data"],
  add: two,
  subtract: two,
  multiply: two,
  divide: two,
  remainder: two,
  negate: ["data"],

  some: ofItem,
  every: ofItem,
  exists: ofItem,
  all: ofItem,
  existsOne: ofItem,
  filter: ofItem,
  sortBy: ofItem,
  map: [...ofItem, "(a) =>?"],
  someEntry: ofEntry,
  everyEntry: ofEntry,
  existsEntry: ofEntry,
  allEntry: ofEntry,
  existsOneEntry: ofEntry,
  transformList: [...ofEntry, "(a, b) =>?"],
  transformMap: [...ofEntry, "(a, b) =>?"],
  transformMapEntry: [...ofEntry, "(a, b) =>?"],

  list: ["[a]"],
  mapOf: ["[[a, b]]"],
  listWithOptionals: ["[[a, truth]]"],
  mapWithOptionals: ["[[a, b, truth]]"],
  bind: ["() =>", "(lazy) =>"],
  findOptional: ["data", "data or text"],
  optionalMap: ["data", "(a) =>"],
  optionalFlatMap: ["data", "(a) =>"],
  optionalOr: ["data", "() =>"],
  optionalOrValue: ["data", "() =>"],
};

/** The fields of the query that are data. Its calls (`holds`, `variable`, `output` and so on) are separate forms. */
export const fieldsOfQuery = [
  "P",
  "R",
  "G",
  "jwt",
  "principal.id",
  "principal.roles",
  "principalVersion",
  "principalScope",
  "resource.kind",
  "resource.id",
  "resourceVersion",
  "resourceScope",
  "effectiveDerivedRoles",
] as const;

/** The messages that the query returns as values. */
export const recordsOfQuery = ["request", "principal", "resource", "auxData", "runtime", "globals"] as const;
