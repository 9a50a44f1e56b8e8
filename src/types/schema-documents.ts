/** The schema documents of a store, and the resolution of references between them. */
import type { Dialect } from "../schemas/dialects.ts";
import { defaultDialect } from "../schemas/dialects.ts";
import { readDocument, type Json } from "../schemas/document.ts";
import { documentOf, readReference, targetOf } from "../schemas/reference.ts";

/** A schema within a document. */
export interface FoundSchema {
  readonly schema: Json;
  readonly dialect: Dialect;
  /** A suggestion for the name of its type. */
  readonly nameHint: string;
}

/**
 * Resolves an absolute reference; undefined when its target is not known. `from` is the draft of the document that contains the
 * reference.
 */
export type FindSchema = (reference: string, from?: Dialect) => FoundSchema | undefined;

/** A JSON object. */
export type SchemaObject = { readonly [name: string]: Json };

/** Returns whether a value is an object. */
export const isObject = (value: Json | undefined): value is SchemaObject => typeof value === "object" && value !== null && !isList(value);
/** Returns whether a value is a list. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
/** Returns an own property of an object. */
export const ownProperty = (object: SchemaObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Opens the documents of a store: path below `_schemas` -> JSON. Documents elsewhere are not known. */
export function openSchemaDocuments(files: ReadonlyMap<string, string>): FindSchema {
  const documents = new Map<string, Document | undefined>();
  const open = (url: string, from: Dialect | undefined): Document | undefined => {
    if (documents.has(url)) return documents.get(url);
    const target = targetOf(url);
    const text = target.kind === "store" ? files.get(target.path) : undefined;
    const document = text === undefined ? undefined : readText(text, url, from);
    documents.set(url, document);
    for (const [id, inner] of document?.embedded ?? []) if (!documents.has(id)) documents.set(id, inner);
    return document;
  };
  return (reference, from) => {
    const read = readReference(reference);
    if ("reason" in read) return undefined;
    const url = documentOf(read.url);
    const document = open(url, from);
    const fragment = decoded(read.url.slice(url.length + 1));
    if (document === undefined || fragment === undefined) return undefined;
    const file = decoded(url.split("/").at(-1) ?? "")?.replace(/(?:\.schema)?\.json$/i, "") ?? "";
    const { dialect } = document;
    if (fragment === "") return { schema: document.schema, dialect, nameHint: file };
    if (!fragment.startsWith("/")) {
      const schema = document.anchors.get(fragment);
      return schema && { schema, dialect, nameHint: fragment };
    }
    const steps = fragment
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const schema = steps.reduce<Json | undefined>(
      (at, step) => (isList(at) ? at[Number(step)] : isObject(at) ? ownProperty(at, step) : undefined),
      document.schema,
    );
    return schema === undefined ? undefined : { schema, dialect, nameHint: steps.at(-1) ?? "" };
  };
}

interface Document {
  readonly schema: Json;
  readonly dialect: Dialect;
  readonly anchors: ReadonlyMap<string, SchemaObject>;
  /** Subschemas with an id of their own. */
  readonly embedded: ReadonlyMap<string, Document>;
}

function readText(text: string, url: string, from: Dialect | undefined): Document | undefined {
  try {
    const { schema, dialect = from ?? defaultDialect } = readDocument(text, url, from);
    const anchors = new Map<string, SchemaObject>();
    const embedded = new Map<string, Document>();
    const visit = (node: Json): void => {
      if (isList(node)) node.forEach(visit);
      if (!isObject(node)) return;
      for (const name of ["$id", "id", "$anchor"]) {
        const id = ownProperty(node, name);
        if (typeof id !== "string") continue;
        if (name === "$anchor") anchors.set(id, node);
        else if (id.startsWith("#")) anchors.set(id.slice(1), node);
        else if (node !== schema) embedded.set(documentOf(id), { schema: node, dialect, anchors, embedded: new Map() });
      }
      for (const [name, value] of Object.entries(node)) if (!dataKeywords.has(name)) visit(value);
    };
    visit(schema);
    return { schema, dialect, anchors, embedded };
  } catch {
    // The compiler reports unusable schemas; here their type is `unknown`.
    return undefined;
  }
}

/** Keywords whose values are data and not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
