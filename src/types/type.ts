/** TypeScript types as data, between JSON Schema or policies and printing. */

/** A type; `unknown` where nothing better can be expressed. */
export type Type =
  | { readonly kind: "keyword"; readonly keyword: Keyword }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  /** A template literal type: `texts` with `${string}` between them. */
  | { readonly kind: "template"; readonly texts: readonly string[] }
  /** A named type in the namespace of attributes. */
  | { readonly kind: "reference"; readonly name: string }
  /** `Partial` of a type. */
  | { readonly kind: "partial"; readonly of: Type }
  | { readonly kind: "array"; readonly of: Type }
  | { readonly kind: "tuple"; readonly items: readonly Type[]; readonly required: number; readonly rest: Type | undefined }
  /** `others` is the type of undeclared properties; undefined when there are none. */
  | { readonly kind: "object"; readonly members: readonly Member[]; readonly others: Type | undefined }
  | { readonly kind: "union"; readonly of: readonly Type[] }
  | { readonly kind: "intersection"; readonly of: readonly Type[] };

/** The keyword types. */
export type Keyword = "string" | "number" | "boolean" | "null" | "unknown" | "never" | "undefined";

/** A property of an object type. */
export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly isOptional: boolean;
  /** The author's description, or "". */
  readonly description: string;
}

/** Returns a keyword type. */
export const keyword = (name: Keyword): Type => ({ kind: "keyword", keyword: name });

const isKeyword = (type: Type, name: Keyword): boolean => type.kind === "keyword" && type.keyword === name;

/** Returns a union type; of no types, `never`. */
export function union(types: readonly Type[]): Type {
  const flat = distinct(types.flatMap((type) => (type.kind === "union" ? type.of : [type])).filter((type) => !isKeyword(type, "never")));
  if (flat.some((type) => isKeyword(type, "unknown"))) return keyword("unknown");
  const wide = flat.filter((type) => !flat.some((other) => includes(other, type)));
  const [only] = wide;
  if (only === undefined) return keyword("never");
  return wide.length === 1 ? only : { kind: "union", of: wide };
}

/** Returns an intersection type; of no types, `unknown`. */
export function intersection(types: readonly Type[]): Type {
  const flat = distinct(
    types.flatMap((type) => (type.kind === "intersection" ? type.of : [type])).filter((type) => !isKeyword(type, "unknown")),
  );
  if (flat.some((type) => isKeyword(type, "never"))) return keyword("never");
  const [only] = flat;
  if (only === undefined) return keyword("unknown");
  return flat.length === 1 ? only : { kind: "intersection", of: flat };
}

/** Returns whether a keyword type includes a literal or template type. */
const includes = (wide: Type, narrow: Type): boolean =>
  wide.kind === "keyword" &&
  (narrow.kind === "literal" ? wide.keyword === typeOf(narrow.value) : narrow.kind === "template" && wide.keyword === "string");

const typeOf = (value: string | number | boolean | null): string => (value === null ? "null" : typeof value);

function distinct(types: readonly Type[]): readonly Type[] {
  const seen = new Map(types.map((type) => [JSON.stringify(type), type] as const));
  return [...seen.values()];
}
