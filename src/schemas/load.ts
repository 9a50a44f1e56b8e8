/** Loads a schema by its URL: collects its document and all that it refers to, and compiles them. */
import { stat, readFile } from "node:fs/promises";
import type { FetchText } from "../outgoing/fetch-text.ts";
import { codeOf, messageOf } from "../refusal.ts";
import { defaultDialect, type Dialect } from "./dialects.ts";
import { maxCharacters, maxParts, readDocument, tooManyParts, type SchemaDocument } from "./document.ts";
import { documentOf, targetOf } from "./reference.ts";
import { compileSchema, isMetaSchema, printValidator, type PrintedValidator, type Validate } from "./validator.ts";

/** Where schemas may come from (D22). */
export interface SchemaPlaces {
  readonly allowRefs: readonly ("store" | "file" | "http")[];
  /** `host` or `host:port`. */
  readonly allowedHosts: readonly string[];
  readonly fetchText: FetchText;
}

/** The store's schemas: path below `_schemas` -> JSON. */
export type SchemaFiles = ReadonlyMap<string, string>;

/** Validators that exist already, by the `sharedText` of their schemas. */
export type SharedValidators = ReadonlyMap<string, Validate>;

/** A usable schema, or why it cannot be used. */
export type LoadedSchema = UsableSchema | UnusableSchema;

interface StoreDependencies {
  /** The store's files that it depends on; undefined for a missing one. */
  readonly files: ReadonlyMap<string, string | undefined>;
}

/** A schema that can be used. */
export interface UsableSchema extends StoreDependencies {
  readonly kind: "usable";
  readonly validate: Validate;
  /** Its text, if a document of the same text at another URL would be the same schema. */
  readonly sharedText?: string;
  /** Returns the validator as the source of a module. */
  readonly print: () => PrintedValidator;
}

/** A schema that cannot be used. */
export interface UnusableSchema extends StoreDependencies {
  readonly kind: "unusable";
  readonly reason: string;
  /** Whether another host contributed to the failure, so that it may pass. */
  readonly isTransient: boolean;
}

/** The limits for one document of another host (D22). */
const fetchLimits = { milliseconds: 5000, bytes: maxCharacters } as const;
/** The most documents of one schema. */
const maxDocuments = 200;

/** Loads a schema; synchronously when all of it is in the store. */
export function loadSchema(
  url: string,
  files: SchemaFiles,
  places: SchemaPlaces,
  shared?: SharedValidators,
): LoadedSchema | Promise<LoadedSchema> {
  const outside = new Map<string, string | Error>();
  const first = collectDocuments(url, files, places, outside, shared);
  return first.kind === "missing" ? fetchMissing(url, files, places, outside, first.urls) : first;
}

async function fetchMissing(
  url: string,
  files: SchemaFiles,
  places: SchemaPlaces,
  outside: Map<string, string | Error>,
  urls: readonly string[],
): Promise<LoadedSchema> {
  await Promise.all(
    urls.map(async (missing) => {
      outside.set(missing, await read(new URL(missing), places).catch((error: unknown) => new Error(messageOf(error), { cause: error })));
    }),
  );
  const next = collectDocuments(url, files, places, outside);
  return next.kind === "missing" ? fetchMissing(url, files, places, outside, next.urls) : next;
}

async function read(url: URL, places: SchemaPlaces): Promise<string> {
  if (url.protocol !== "file:") return (await places.fetchText(url, fetchLimits)).text;
  try {
    const found = await stat(url);
    if (!found.isFile()) throw new Error("it is not a file");
    if (found.size > maxCharacters) throw new Error(`it is larger than ${maxCharacters} characters`);
    return await readFile(url, "utf8");
  } catch (error) {
    throw codeOf(error) === undefined
      ? error
      : new Error(codeOf(error) === "ENOENT" ? "it does not exist" : `it cannot be read (${codeOf(error)})`, { cause: error });
  }
}

// A document of another host must not choose which of our files are read.
const leadsToLocalFile = (from: string, to: string): boolean => /^https?:/i.test(from) && /^file:/i.test(to);

/** Collects documents as far as they are available; returns which ones must be fetched first. */
function collectDocuments(
  url: string,
  files: SchemaFiles,
  places: SchemaPlaces,
  outside: ReadonlyMap<string, string | Error>,
  shared?: SharedValidators,
): LoadedSchema | { readonly kind: "missing"; readonly urls: readonly string[] } {
  const used = new Map<string, string | undefined>();
  const root = documentOf(url);
  const documents = new Map<string, SchemaDocument>();
  const missing: string[] = [];
  let dialect: Dialect | undefined;
  let sharedText: string | undefined;
  let parts = 0;
  try {
    const waiting: { readonly at: string; readonly from: string }[] = [{ at: root, from: "" }];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { at, from } = next;
      if (documents.has(at) || missing.includes(at) || (isMetaSchema(at) && at !== root)) continue;
      if (documents.size + missing.length === maxDocuments) throw new Error(`it refers to more than ${maxDocuments} documents`);
      const text = withLocation(at, from, () => {
        if (leadsToLocalFile(from, at)) throw new Error("a schema of another host cannot refer to a file of this machine");
        return textOf(at, files, places, outside, used);
      });
      if (text === undefined) {
        missing.push(at);
        continue;
      }
      const document = withLocation(at, from, () => readDocument(text, at, dialect));
      if (from === "") {
        dialect = document.dialect ?? defaultDialect;
        if (document.isRelocatable && url === root) sharedText = text;
      } else if (document.dialect !== undefined && document.dialect !== dialect)
        throw new Error(
          `${place(at, from)}it is written in draft ${document.dialect}, and what refers to it in draft ${dialect ?? defaultDialect}`,
        );
      documents.set(at, document);
      parts += document.parts;
      if (parts > maxParts) throw new Error(tooManyParts);
      waiting.push(...document.references.map((reference) => ({ at: reference, from: at })));
    }
    if (missing.length > 0) return { kind: "missing", urls: missing };
    const known = sharedText === undefined ? undefined : shared?.get(sharedText);
    const made = [url, [...documents.values()], dialect ?? defaultDialect] as const;
    const validate = known ?? compileSchema(...made);
    return { kind: "usable", validate, print: () => printValidator(...made), files: used, ...(sharedText !== undefined && { sharedText }) };
  } catch (error) {
    return { kind: "unusable", reason: messageOf(error), isTransient: outside.size > 0, files: used };
  }
}

/** Runs a function, and adds to an error which document it is about and which one refers to it. */
function withLocation<T>(at: string, from: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`${place(at, from)}${messageOf(error)}`, { cause: error });
  }
}

const place = (at: string, from: string): string => (from === "" ? "" : `\`${at}\`, to which \`${from}\` refers: `);

/** Returns undefined when the document must be fetched first. */
function textOf(
  url: string,
  files: SchemaFiles,
  places: SchemaPlaces,
  outside: ReadonlyMap<string, string | Error>,
  used: Map<string, string | undefined>,
): string | undefined {
  const target = targetOf(url);
  switch (target.kind) {
    case "none":
      throw new Error(target.reason);
    case "store": {
      const text = files.get(target.path);
      used.set(target.path, text);
      if (!places.allowRefs.includes("store")) throw new Error("schemas of the store are not allowed (setting schema.allowRefs)");
      if (text === undefined)
        throw new Error(
          `there is no file \`_schemas/${target.path}\`${isSchemaFile(target.path) ? "" : ": only `.json` files are schemas"}`,
        );
      return text;
    }
    case "http":
      if (!places.allowRefs.includes("http")) throw new Error("schemas of other hosts are not allowed (setting schema.allowRefs)");
      if (!hostNames(target.url).some((host) => places.allowedHosts.includes(host)))
        throw new Error(`the host \`${target.url.host}\` is not allowed (setting schema.allowedHosts)`);
      break;
    case "file":
      if (!places.allowRefs.includes("file")) throw new Error("schemas outside of the store are not allowed (setting schema.allowRefs)");
      break;
  }
  const text = outside.get(url);
  if (text instanceof Error) throw text;
  return text;
}

/** Returns the names of a host as in settings: without port, and with it, which a URL omits when it is the default. */
const hostNames = ({ protocol, hostname, port }: URL): readonly string[] => [
  hostname,
  `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`,
];

/** Returns whether a file-based store takes a file of this name for a schema; a database accepts any name. */
const isSchemaFile = (path: string): boolean => /\.json$/i.test(path);
