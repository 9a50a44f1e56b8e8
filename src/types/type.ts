/** TypeScript types as data: what JSON Schemas and policies are turned into before anything is printed. */

/** A type. What cannot be said is `unknown`. */
export type Type =
  | { readonly kind: "word"; readonly word: Word }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  /** Texts with anything between them. */
  | { readonly kind: "template"; readonly texts: readonly string[] }
  /** A name in the namespace of attributes. */
  | { readonly kind: "reference"; readonly name: string }
  /** The same with every member optional. */
  | { readonly kind: "partial"; readonly of: Type }
  | { readonly kind: "array"; readonly of: Type }
  | { readonly kind: "tuple"; readonly items: readonly Type[]; readonly required: number; readonly rest: Type | undefined }
  /** `others` is what every other member is; undefined: there are none that anyone knows of. */
  | { readonly kind: "object"; readonly members: readonly Member[]; readonly others: Type | undefined }
  | { readonly kind: "union"; readonly of: readonly Type[] }
  | { readonly kind: "intersection"; readonly of: readonly Type[] };

/** A type that is one word. */
export type Word = "string" | "number" | "boolean" | "null" | "unknown" | "never" | "undefined";

/** One member of an object. */
export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly isOptional: boolean;
  /** The author's words, or "". */
  readonly description: string;
}

/** A type that is one word. */
export const word = (name: Word): Type => ({ kind: "word", word: name });

const isWord = (type: Type, name: Word): boolean => type.kind === "word" && type.word === name;

/** Either of them; nothing is `never`. */
export function union(types: readonly Type[]): Type {
  const flat = distinct(types.flatMap((type) => (type.kind === "union" ? type.of : [type])).filter((type) => !isWord(type, "never")));
  if (flat.some((type) => isWord(type, "unknown"))) return word("unknown");
  const wide = flat.filter((type) => !flat.some((other) => includes(other, type)));
  const [only] = wide;
  if (only === undefined) return word("never");
  return wide.length === 1 ? only : { kind: "union", of: wide };
}

/** All of them at once; nothing is `unknown`. */
export function intersection(types: readonly Type[]): Type {
  const flat = distinct(
    types.flatMap((type) => (type.kind === "intersection" ? type.of : [type])).filter((type) => !isWord(type, "unknown")),
  );
  if (flat.some((type) => isWord(type, "never"))) return word("never");
  const [only] = flat;
  if (only === undefined) return word("unknown");
  return flat.length === 1 ? only : { kind: "intersection", of: flat };
}

/** A literal beside the word that says more than it. */
const includes = (wide: Type, narrow: Type): boolean =>
  wide.kind === "word" &&
  (narrow.kind === "literal" ? wide.word === typeOf(narrow.value) : narrow.kind === "template" && wide.word === "string");

const typeOf = (value: string | number | boolean | null): string => (value === null ? "null" : typeof value);

function distinct(types: readonly Type[]): readonly Type[] {
  const seen = new Map(types.map((type) => [JSON.stringify(type), type] as const));
  return [...seen.values()];
}
