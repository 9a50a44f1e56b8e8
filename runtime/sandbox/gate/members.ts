/** What a program may ask of the runtime and of the query, and what each takes: the whole of what a program can reach. */
import type { Emitted } from "../../emitted/index.ts";

/** What may stand for an argument. */
export type Argument =
  /** Any expression. */
  | "data"
  /** A string that belongs to the shape: the name of an attribute, or either. */
  | "text"
  | "data or text"
  /** The word `true`, or nothing. */
  | "true?"
  /** The query: what loops count their turns with. */
  | "query"
  /** Functions of no parameter, of one, of two; of one that is called without arguments. */
  | "() =>"
  | "(a) =>"
  | "(a) =>?"
  | "(a, b) =>"
  | "(a, b) =>?"
  | "(lazy) =>"
  /** Lists: of data, of pairs, of either with `true` or `false` behind. */
  | "[a]"
  | "[[a, b]]"
  | "[[a, truth]]"
  | "[[a, b, truth]]"
  /** The name of a policy's record, and its fields. */
  | "record"
  | "[[text, a]]";

/** A call that is an expression, by its arguments; a word of other forms, where that file reads it; or what is never written. */
type Form = readonly Argument[] | "declaration.ts" | "loop.ts" | "reader.ts" | "rows.ts" | "value.ts" | "never";

const two = ["data", "data"] as const;
const ofItem = ["query", "data", "(a) =>"] as const;
const ofEntry = ["query", "data", "(a, b) =>"] as const;

/** Every member of `rt`; that there is no other is in the type. */
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
  // The machine's print has constants instead.
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

/** What of the query is data. Its calls (`holds`, `variable`, `output` and the like) are forms of their own. */
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

/** The records that the query hands over whole. */
export const recordsOfQuery = ["request", "principal", "resource", "auxData", "runtime", "globals"] as const;
