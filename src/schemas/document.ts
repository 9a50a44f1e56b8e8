/** Parses one schema document, prepares it for ajv, and collects the documents that it refers to. */
import { positionAt } from "../../compiler/source.ts";
import { scanJson } from "../../runtime/wire/scan.ts";
import {
  defaultDialect,
  dialectOf,
  idKeyword,
  ignoresReferenceSiblings,
  isDiffering,
  unsupportedKeywords,
  type Dialect,
} from "./dialects.ts";
import { documentOf, resolveReference } from "./reference.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A document prepared for ajv. */
export interface SchemaDocument {
  readonly url: string;
  readonly schema: Json;
  /** The draft in `$schema`; undefined when there is none. */
  readonly dialect: Dialect | undefined;
  /** The URLs, without fragments, of the documents that it refers to, except its own `$id`s. */
  readonly references: readonly string[];
  /** Whether the same document at another URL would mean the same: it names no URL, and refers only to its own parts. */
  readonly isRelocatable: boolean;
  /** The number of parts to compile. */
  readonly parts: number;
  /** The keywords in it that need tracking of evaluated properties or items. */
  readonly trackedKeywords: ReadonlySet<EvaluationKeyword>;
  readonly dynamic: DynamicKeywords;
}

/** Dynamic references and anchors; in draft 2019-09 their name is empty. */
export interface DynamicKeywords {
  /** The names that references use. */
  readonly references: readonly string[];
  /** The names of anchors at the root of a document or a part with its own id. */
  readonly anchors: readonly { readonly name: string; readonly of: string }[];
  /** The names of all other anchors. */
  readonly innerAnchors: readonly string[];
  /** References to parts of other documents. */
  readonly parts: readonly string[];
}

/** The keywords that decide what is tracked. */
const evaluationKeywords = ["contains", "unevaluatedItems", "unevaluatedProperties"] as const;
export type EvaluationKeyword = (typeof evaluationKeywords)[number];

/** The limits of one document. */
export const maxCharacters = 1024 * 1024;
/**
 * The limit for a schema with all that it refers to: compiling so many parts takes a second or two, during which a server answers
 * nobody.
 */
export const maxParts = 20_000;
/** Where `unevaluated...` is used, ajv merges what each part has evaluated repeatedly, so parts count more. */
const unevaluatedFactor = 5;
const maxDepth = 100;

/** Keywords whose value is a map of schemas, in which names are not keywords. */
const schemaMapKeywords: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);
/** Keywords whose value is data, which must not be changed. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "example"]);
/** Keywords of ajv's own. With `$async`, it would even answer before it has validated. */
const ajvKeywords: ReadonlySet<string> = new Set(["$async", "nullable"]);
/** The keywords that are kept beside an exclusive `$ref`, because references may lead into them. */
const keywordsBesideReference: ReadonlySet<string> = new Set(["$ref", "$defs", "definitions", "$comment", "description", "title"]);

/** Parses a document; throws an error that says what is wrong with it. `inherited` is the draft of the document that refers to it. */
export function readDocument(text: string, url: string, inherited: Dialect | undefined): SchemaDocument {
  if (text.length > maxCharacters) throw new Error(`it is larger than ${maxCharacters} characters`);
  const parsed = parse(text);
  if (typeof parsed === "boolean")
    return {
      url,
      schema: parsed,
      dialect: undefined,
      references: [],
      isRelocatable: true,
      parts: 1,
      trackedKeywords: new Set(),
      dynamic: noDynamicKeywords,
    };
  if (!isObject(parsed)) throw new Error("it is not a JSON object");
  const dialect = declaredDialect(parsed);
  const { schema, references, dependsOnUrl, parts, trackedKeywords, dynamic } = prepare(
    parsed,
    url,
    dialect ?? inherited ?? defaultDialect,
    dialect === undefined,
  );
  return { url, schema, dialect, references, isRelocatable: references.length === 0 && !dependsOnUrl, parts, trackedKeywords, dynamic };
}

const noDynamicKeywords: DynamicKeywords = { references: [], anchors: [], innerAnchors: [], parts: [] };

function parse(text: string): Json {
  if (text.trim() === "") throw new Error("it is empty: a schema is a JSON object");
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only the position is reported, not the contents: the message reaches whoever asks for a check, and a reference may lead to a file
    // that is no schema.
    const offset = scanJson(text)?.offset;
    const where = offset === undefined ? "" : placeOf(text, offset);
    throw new Error(`it is not JSON${where}`, { cause: error });
  }
}

function placeOf(text: string, offset: number): string {
  const { line, column } = positionAt({ path: "", text }, offset);
  return ` (line ${line}, column ${column})`;
}

function declaredDialect(schema: { readonly [name: string]: Json }): Dialect | undefined {
  const written = schema["$schema"];
  if (written === undefined) return undefined;
  const dialect = typeof written === "string" ? dialectOf(written) : undefined;
  if (dialect === undefined) throw new Error(`\`$schema\` names no draft of JSON Schema that is known: ${printShortened(written)}`);
  return dialect;
}

interface Prepared {
  readonly schema: Json;
  readonly references: readonly string[];
  /** Whether it declares its URL, or has references that only ajv resolves. */
  readonly dependsOnUrl: boolean;
  readonly parts: number;
  readonly trackedKeywords: SchemaDocument["trackedKeywords"];
  readonly dynamic: DynamicKeywords;
}

/** A document, or a part of it with its own URL: the base of references. */
interface Resource {
  readonly url: string;
  readonly root: { readonly [name: string]: Json };
}

/**
 * Copies a schema with absolute references, without `$schema` and without keywords that its draft does not have. If the draft is only
 * that of what refers to it, it must mean the same in the default draft, which counts for documents that name none.
 */
function prepare(root: { readonly [name: string]: Json }, url: string, dialect: Dialect, isInherited: boolean): Prepared {
  const references = new Set<string>();
  const ids = new Set<string>([url]);
  const id = idKeyword(dialect);
  let parts = 0;
  let dependsOnUrl = false;
  const trackedKeywords = new Set<EvaluationKeyword>();
  const dynamic = {
    references: new Array<string>(),
    anchors: new Array<DynamicKeywords["anchors"][number]>(),
    innerAnchors: new Array<string>(),
    parts: new Array<string>(),
  };

  const visit = (node: Json, base: Resource, depth: number): Json => {
    if (++parts > maxParts) throw new Error(tooManyParts);
    if (depth > maxDepth) throw new Error(`it is nested more than ${maxDepth} deep`);
    if (isList(node)) return node.map((item) => visit(item, base, depth + 1));
    return isObject(node) ? visitSchema(node, base, depth) : node;
  };
  const visitSchema = (schema: { readonly [name: string]: Json }, base: Resource, depth: number): Json => {
    const alone = typeof schema["$ref"] === "string" && ignoresReferenceSiblings(dialect);
    const written = alone ? undefined : schema[id];
    // Up to draft 07, an id that is only a fragment is an anchor.
    const isNamed = typeof written === "string" && !written.startsWith("#");
    const here: Resource = isNamed ? { url: resolveReference(written, base.url) ?? base.url, root: schema } : base;
    ids.add(documentOf(here.url));
    const copied = mapProperties(dialect === "2020-12" ? withContainedItems(schema) : schema, (word, value) => {
      if (isInherited && isDiffering(dialect, word, schema)) throw new Error(differsByDraft(word, dialect));
      if (ajvKeywords.has(word) || unsupportedKeywords[dialect].has(word) || (alone && !keywordsBesideReference.has(word)))
        return undefined;
      if (word === "$schema" && typeof value === "string") return undefined;
      rejectUnresolvable(here.root, word, value);
      if (dataKeywords.has(word)) return value;
      if (word === "$dynamicAnchor" || (word === "$recursiveAnchor" && value === true))
        noteAnchor(word === "$dynamicAnchor" && typeof value === "string" ? value : "", schema === here.root ? here : undefined);
      if ((word === "$dynamicRef" || word === "$recursiveRef") && typeof value === "string") {
        dynamic.references.push(value.slice(1));
        dependsOnUrl = true;
        return documentOf(here.url) + value;
      }
      const known = evaluationKeywords.find((one) => one === word);
      if (known !== undefined) trackedKeywords.add(known);
      dependsOnUrl ||= word === id;
      if (word === "$ref" && typeof value === "string") return absolute(value, here);
      if (word === id && typeof value === "string") return value.startsWith("#") ? value : here.url;
      if (schemaMapKeywords.has(word) && isObject(value)) return visitMap(word, value, here, depth + 1);
      return visit(value, here, depth + 1);
    });
    const { $ref, ...others } = copied;
    // ajv would loop endlessly on a part with an id that consists only of a reference into itself.
    return isNamed && schema !== root && $ref !== undefined && others["allOf"] === undefined ? { ...others, allOf: [{ $ref }] } : copied;
  };
  const noteAnchor = (name: string, of: Resource | undefined): void => {
    // Every object has properties of these names, which ajv would call.
    if (name in {}) throw new Error(`\`$dynamicAnchor\` is called \`${name}\`, which cannot be followed: give it another name`);
    if (of === undefined) dynamic.innerAnchors.push(name);
    else dynamic.anchors.push({ name, of: documentOf(of.url) });
  };
  const visitMap = (word: string, schemas: { readonly [name: string]: Json }, base: Resource, depth: number): Json => {
    // ajv ignores this name, and what is not checked must not look as if it were.
    if (Object.hasOwn(schemas, "__proto__")) throw new Error(`\`${word}\` names \`__proto__\`, which cannot be checked`);
    return mapProperties(schemas, (_name, schema) => visit(schema, base, depth));
  };
  const absolute = (reference: string, base: Resource): string => {
    const target = resolveReference(reference, base.url);
    if (target === undefined) throw new Error(`the reference ${printShortened(reference)} is not a URL`);
    references.add(documentOf(target));
    if (documentOf(target) !== documentOf(base.url)) dynamic.parts.push(target);
    return target;
  };
  const schema = visit(root, { url, root }, 0);
  return {
    schema,
    references: [...references].filter((reference) => !ids.has(reference)),
    dependsOnUrl,
    parts: trackedKeywords.has("unevaluatedItems") || trackedKeywords.has("unevaluatedProperties") ? parts * unevaluatedFactor : parts,
    trackedKeywords,
    dynamic,
  };
}

const differsByDraft = (word: string, dialect: Dialect): string =>
  `without \`$schema\` it is written in draft ${defaultDialect}, in which \`${word}\` means something else than in draft ${dialect} of what refers to it: name the same draft in both`;

/** The error message for a schema that is too large to compile. */
export const tooManyParts = `it has, with all that it refers to, more than ${maxParts} parts, of which each counts as ${unevaluatedFactor} where \`unevaluatedProperties\` or \`unevaluatedItems\` stand`;

/**
 * In 2020-12, an item that matches `contains` counts as evaluated. So `unevaluatedItems` becomes an alternative of both. Which items
 * matched is tracked at run time (items.ts). A part with its own id resolves references differently, and is left out.
 */
function withContainedItems(schema: { readonly [name: string]: Json }): { readonly [name: string]: Json } {
  const { allOf = [], unevaluatedItems } = schema;
  if (unevaluatedItems === undefined) return schema;
  const parts = (isList(allOf) ? allOf : []).filter((part) => isObject(part) && part["$id"] === undefined);
  const contained = [schema, ...parts].flatMap((part) => (isObject(part) && part["contains"] !== undefined ? [part["contains"]] : []));
  return contained.length === 0 ? schema : { ...schema, unevaluatedItems: { anyOf: [...contained, unevaluatedItems] } };
}

/**
 * Throws an error for a dynamic reference that cannot be resolved statically: it is supported only if its document itself has the
 * anchor.
 */
function rejectUnresolvable(root: { readonly [name: string]: Json }, word: string, value: Json): void {
  const isFollowed =
    word === "$dynamicRef"
      ? typeof root["$dynamicAnchor"] === "string" && value === `#${root["$dynamicAnchor"]}`
      : word !== "$recursiveRef" || (root["$recursiveAnchor"] === true && value === "#");
  if (!isFollowed)
    throw new Error(`\`${word}\` leads to what is not an anchor of the whole document, and is not followed there: use \`$ref\``);
}

/** Copies an object and maps its members; undefined leaves a member out. */
function mapProperties(
  object: { readonly [name: string]: Json },
  member: (name: string, value: Json) => Json | undefined,
): { readonly [name: string]: Json } {
  const members = Object.entries(object).flatMap(([name, value]) => {
    const copied = member(name, value);
    return copied === undefined ? [] : [[name, copied] as const];
  });
  return Object.fromEntries(members);
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is { readonly [name: string]: Json } => typeof value === "object" && value !== null && !isList(value);

/** Prints a value of a schema, shortened. */
function printShortened(value: unknown): string {
  const text = typeof value === "string" ? `\`${value}\`` : `\`${JSON.stringify(value) ?? "nothing"}\``;
  return text.length > 100 ? `${text.slice(0, 96)}...\`` : text;
}
