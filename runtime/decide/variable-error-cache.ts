/** Caches the errors of variables that read only a few attributes of the principal: equal attributes yield equal errors. */
import type { Expression } from "../cel/ast.ts";
import type { JsonObject, Value } from "../cel/value.ts";
import { ownText } from "../own-text.ts";
import { attributeRead } from "./attribute-read.ts";
import type { Variable } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";

/** The part of a principal that determines the errors, and the errors. */
interface CacheEntry {
  /** Names of all attributes in order: error messages may suggest a similar name. */
  readonly names: readonly string[];
  /** Values of the attributes that are read; undefined if absent. */
  readonly values: readonly (Value | undefined)[];
  readonly errors: readonly EvaluationError[];
}

/**
 * Bounds: principals cached for each list of variables, lists, attributes read, attributes of a principal, and UTF-16
 * units of a string.
 */
const maxEntries = 4;
const maxLists = 512;
const maxReads = 8;
const maxNames = 16;
const longestText = 64;

const cache = new Map<readonly Variable[], CacheEntry[]>();

/**
 * The cached errors of these variables for these attributes. `pay` takes the work of comparing them from a budget, and
 * returns whether it was left.
 */
export function cachedVariableErrors(
  variables: readonly Variable[],
  reads: readonly string[],
  attributes: JsonObject | undefined = nothing,
  pay: (units: number) => boolean = () => true,
): readonly EvaluationError[] | undefined {
  const all = cache.get(variables);
  if (all === undefined) return undefined;
  const names = Object.keys(attributes);
  if (!pay(names.length)) return undefined;
  for (let at = 0; at < all.length; at++) {
    const entry = all[at];
    if (entry !== undefined && areNamed(entry, names) && areValued(entry, reads, attributes)) return entry.errors;
  }
  return undefined;
}

// Two separate loops: a single loop over both kinds of arrays is ten times as slow.
function areNamed({ names }: CacheEntry, others: readonly string[]): boolean {
  if (names.length !== others.length) return false;
  for (let at = 0; at < names.length; at++) if (names[at] !== others[at]) return false;
  return true;
}

// Object.is, because -0 and 0 print differently.
function areValued({ values }: CacheEntry, reads: readonly string[], attributes: JsonObject): boolean {
  for (let at = 0; at < reads.length; at++) if (!Object.is(values[at], valueOf(attributes, reads[at] ?? ""))) return false;
  return true;
}

const valueOf = (attributes: JsonObject, name: string): Value | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

/** Caches the errors of these variables, unless names or values are too large to keep. */
export function cacheVariableErrors(
  variables: readonly Variable[],
  reads: readonly string[],
  errors: readonly EvaluationError[],
  attributes: JsonObject = nothing,
): void {
  const names = Object.keys(attributes);
  const values = reads.map((name) => valueOf(attributes, name));
  if (names.length > maxNames || !names.every(isShort) || !values.every(isSmall)) return;
  if (cache.size >= maxLists) cache.clear();
  const entry: CacheEntry = {
    names: names.map(ownText),
    values: values.map((value) => (typeof value === "string" ? ownText(value) : value)),
    errors: Object.freeze(
      errors.map(({ expression, message, part }) => ({ expression, message: ownText(message), ...(part && { part }) })),
    ),
  };
  cache.set(variables, [entry, ...(cache.get(variables) ?? []).slice(0, maxEntries - 1)]);
}

const nothing: JsonObject = {};

const isShort = ({ length }: string): boolean => length <= longestText;

/** Values that are cheap to compare and have no identity. */
const isSmall = (value: Value | undefined): boolean =>
  typeof value === "string"
    ? isShort(value)
    : value === undefined || value === null || typeof value === "number" || typeof value === "boolean";

/** The attributes of the principal that variables read; undefined if their errors may depend on anything else. */
export function readsOf(variables: readonly Variable[]): readonly string[] | undefined {
  const found = new Set<string>();
  const areKnown = variables.every(({ expression }) => readsNothingElse(expression.tree, found));
  return areKnown && found.size <= maxReads ? [...found] : undefined;
}

/** Functions whose result depends on the time. */
export const functionsOfTime: ReadonlySet<string> = new Set(["now", "timeSince"]);

/** Whether a tree reads only attributes of the principal, by literal names; adds these names to `found`. */
function readsNothingElse(tree: Expression, found: Set<string>): boolean {
  switch (tree.kind) {
    case "literal":
      return true;
    case "select": {
      const read = attributeRead(tree);
      if (read === undefined) return readsNothingElse(tree.operand, found);
      found.add(read.name);
      return read.owner === "principal";
    }
    case "call": {
      const args = tree.target === undefined ? tree.args : [tree.target, ...tree.args];
      return !functionsOfTime.has(tree.function) && args.every((arg) => readsNothingElse(arg, found));
    }
    case "logic":
      return tree.terms.every((term) => readsNothingElse(term, found));
    case "list":
      return tree.elements.every((element) => readsNothingElse(element, found));
    default:
      // Other names refer to other parts of the request or policy, and a macro may redefine a name.
      return false;
  }
}
