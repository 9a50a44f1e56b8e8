/** The drafts of JSON Schema: how a document declares its draft, and which keywords each draft has. */

/** A draft. */
export type Dialect = "04" | "06" | "07" | "2019-09" | "2020-12";

/** The draft of documents that do not declare one. */
export const defaultDialect: Dialect = "2020-12";

const dialects: { readonly [id: string]: Dialect } = {
  "json-schema.org/schema": "2020-12",
  "json-schema.org/draft/2020-12/schema": "2020-12",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft-07/schema": "07",
  "json-schema.org/draft-06/schema": "06",
  "json-schema.org/draft-04/schema": "04",
};

/** Returns the draft that `$schema` names; undefined for an unknown one. */
export function dialectOf(name: string): Dialect | undefined {
  const id = name.replace(/^https?:\/\//, "").replace(/#$/, "");
  return Object.hasOwn(dialects, id) ? dialects[id] : undefined;
}

/** The keyword by which a schema declares its own URL. */
export const idKeyword = (dialect: Dialect): "id" | "$id" => (dialect === "04" ? "id" : "$id");

/** Keywords that a draft does not have, although ajv would apply them. */
export const unsupportedKeywords: { readonly [dialect in Dialect]: ReadonlySet<string> } = {
  "04": new Set(["$anchor", "$dynamicAnchor", "$id", "const", "contains", "propertyNames", "if", "then", "else"]),
  "06": new Set(["$anchor", "$dynamicAnchor", "id", "if", "then", "else", "contentEncoding", "contentMediaType"]),
  "07": new Set(["$anchor", "$dynamicAnchor", "id"]),
  "2019-09": new Set(["$dynamicAnchor", "id"]),
  "2020-12": new Set(["id"]),
};

/** Up to draft 07, keywords beside a `$ref` are ignored. */
export const ignoresReferenceSiblings = (dialect: Dialect): boolean => dialect === "04" || dialect === "06" || dialect === "07";

/** Keywords that mean nothing to a value, so that it does not matter whether they are ignored beside a `$ref`. */
const annotations: ReadonlySet<string> = new Set(
  "$schema $ref $defs definitions $comment title description default examples deprecated readOnly writeOnly".split(" "),
);

const sinceDraft2020 = "$dynamicAnchor $dynamicRef prefixItems unevaluatedItems";
const sinceDraft2019 = `$anchor $recursiveRef unevaluatedProperties dependentRequired dependentSchemas minContains maxContains ${sinceDraft2020}`;
const sinceDraft07 = `if then else contentEncoding contentMediaType ${sinceDraft2019}`;

/** Keywords that mean something else in a draft than in the default one, whatever their value. */
const differingKeywords: { readonly [dialect in Dialect]: ReadonlySet<string> } = {
  "04": new Set(`id $id const contains propertyNames exclusiveMinimum exclusiveMaximum ${sinceDraft07}`.split(" ")),
  "06": new Set(sinceDraft07.split(" ")),
  "07": new Set(sinceDraft2019.split(" ")),
  "2019-09": new Set(`$recursiveRef ${sinceDraft2020}`.split(" ")),
  "2020-12": new Set(),
};

/** Returns whether a keyword of a schema means something else in a draft than in the default one. */
export function isDiffering(dialect: Dialect, word: string, schema: { readonly [word: string]: unknown }): boolean {
  if (dialect === defaultDialect) return false;
  const value = schema[word];
  if (word === "$ref") return ignoresReferenceSiblings(dialect) && Object.keys(schema).some((beside) => !annotations.has(beside));
  if (word === "items") return Array.isArray(value);
  if (word === "$id" && typeof value === "string" && value.startsWith("#")) return true;
  return differingKeywords[dialect].has(word);
}
