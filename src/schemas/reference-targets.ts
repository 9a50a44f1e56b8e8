/** Checks where `$ref` leads while a schema is compiled: only to schemas, and not in an endless cycle. */
import type { Ajv } from "ajv";
import { ignoresReferenceSiblings, type Dialect } from "./dialects.ts";
import type { Json } from "./document.ts";

/**
 * Makes ajv throw an error for a reference to something that is no schema, of which it would check nothing. Only references that are
 * actually compiled count. Returns a function to be called after compiling, which throws for schemas that refer to themselves
 * endlessly.
 */
export function checkReferenceTargets(ajv: Ajv, dialect: Dialect, problemOf: (schema: Json) => string | undefined): () => void {
  const rule = ajv.RULES.all["$ref"];
  if (typeof rule !== "object" || !("code" in rule.definition)) throw new Error("every draft has `$ref`");
  const follow = rule.definition.code;
  const validated = new Set<Json>();
  /** The references from each schema to others that apply to the same value. */
  const sameValueTargets = new Map<unknown, Map<Json, string>>();

  rule.definition.code = (cxt, type) => {
    const { baseId, dataLevel, schemaEnv } = cxt.it;
    const passed = new Set<Json>();
    let from: unknown = schemaEnv.schema;
    let next = targetOf(ajv, String(cxt.schema), baseId);
    while (next !== undefined && !passed.has(next.schema)) {
      const target = next;
      const { url, schema } = target;
      if (!validated.has(schema)) rejectNonSchema(target, () => (isValidatedWithDocument(target, dialect) ? undefined : problemOf(schema)));
      validated.add(schema);
      // References about a deeper part of the value end with the value.
      if (dataLevel === 0 || passed.size > 0)
        sameValueTargets.set(from, (sameValueTargets.get(from) ?? new Map<Json, string>()).set(schema, url));
      passed.add(schema);
      from = schema;
      // ajv skips a schema that is only a reference without calling this code, so it is followed here.
      const reference = memberOf(schema, "$ref");
      next = typeof reference === "string" ? targetOf(ajv, reference, url) : undefined;
    }
    if (next !== undefined) throw new Error(cycleMessage(next.url));
    follow(cxt, type);
  };
  return () => rejectCycles(sameValueTargets);
}

interface Target {
  readonly url: string;
  readonly schema: Json;
  /** From the document; undefined where it begins at a part that has an id. */
  readonly path: string | undefined;
}

/** Paths at which every draft expects schemas. At other paths nothing is expected there, and the document is valid whatever is there. */
const schemaPath =
  /^(?:\/(?:definitions|\$defs|properties|patternProperties)\/[^/]+|\/(?:allOf|anyOf|oneOf)\/\d+|\/(?:not|items|additionalProperties))*$/;

/** Returns whether a part was validated with its document, because validating it again takes as long as compiling it. */
const isValidatedWithDocument = ({ path }: Target, dialect: Dialect): boolean =>
  path !== undefined && schemaPath.test(path) && !(ignoresReferenceSiblings(dialect) && path.includes("$defs"));

function rejectNonSchema({ url, schema }: Target, problemOf: () => string | undefined): void {
  const kind = schema === null ? "null" : Array.isArray(schema) ? "a list" : typeof schema === "string" ? "a string" : `a ${typeof schema}`;
  if (kind !== "a object" && kind !== "a boolean")
    throw new Error(`the reference \`${url}\` leads to ${kind}, and a schema is an object or a boolean`);
  const problem = problemOf();
  if (problem !== undefined) throw new Error(`\`${url}\`, to which a reference leads: ${problem}`);
}

function rejectCycles(sameValueTargets: ReadonlyMap<unknown, ReadonlyMap<Json, string>>): void {
  const done = new Set<unknown>();
  const open = new Set<unknown>();
  const visit = (schema: unknown): void => {
    open.add(schema);
    for (const [target, url] of sameValueTargets.get(schema) ?? []) {
      if (open.has(target)) throw new Error(cycleMessage(url));
      if (!done.has(target)) visit(target);
    }
    open.delete(schema);
    done.add(schema);
  };
  for (const schema of sameValueTargets.keys()) if (!done.has(schema)) visit(schema);
}

const cycleMessage = (url: string): string =>
  `the reference \`${url}\` leads back to itself without an end, because no property or item lies between`;

/** Resolves a reference by path; undefined for one by name, which ajv resolves only to schemas. Throws when there is no target. */
function targetOf(ajv: Ajv, reference: string, base: string): Target | undefined {
  const url = ajv.opts.uriResolver.resolve(base, reference);
  const [document = "", fragment = ""] = url.split(/#(.*)/s, 2);
  const known = ajv.refs[document] ?? ajv.schemas[document];
  if (known === undefined || (fragment !== "" && !fragment.startsWith("/"))) return undefined;
  // This cast is safe: everything compiled here was parsed as JSON. A part is registered under its own id as a path of its document.
  let schema = typeof known === "string" ? targetOf(ajv, known, "")?.schema : (known.schema as Json);
  for (const name of fragment.split("/").slice(1)) {
    schema = memberOf(schema, decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
    if (schema === undefined) throw new Error(`the reference \`${url}\` leads nowhere`);
  }
  return schema === undefined ? undefined : { url, schema, path: typeof known === "string" ? undefined : fragment };
}

/** Returns an own property, but not the length of a list. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name) || (Array.isArray(value) && name === "length"))
    return undefined;
  // This cast is safe: the name is an own property.
  return (value as { readonly [name: string]: Json })[name];
}
