/** Prints a policy for a store: as YAML that parses to exactly the same policy, or as JSON. */
import { Document, visit } from "yaml";
import type { YamlNode } from "../../../compiler/yaml/node.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import { floatIn, integerIn } from "../../../compiler/yaml/scalar-type.ts";
import { isJsonObject, type Json } from "../../../runtime/wire/json.ts";

/** Returns whether the file at a path is JSON. */
export const isJsonPath = (path: string): boolean => /\.json$/i.test(path);

/** Prints a policy for the file or row at a path. `wantsQuotes` selects strings to quote even where YAML needs no quotes. */
export function policyText(policy: Json, path: string, wantsQuotes: (text: string) => boolean = () => false): string {
  const json = `${jsonText(policy, "\n")}\n`;
  if (isJsonPath(path)) return json;
  const document = new Document(policy, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === "string" && wantsQuotes(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const yaml = document.toString({ lineWidth: 0, singleQuote: false });
  // JSON is valid YAML: it is used where the shorter form would be parsed differently, for example as a merge key.
  return readsAs(yaml, policy) ? yaml : json;
}

/** Prints JSON on one line; it parses to the same value, including `-0`. */
export const printJson = (value: Json): string => jsonText(value, "");

/** Prints JSON like `JSON.stringify`, except for numbers; without a line feed, on one line. */
function jsonText(value: Json, newLine: string): string {
  const inner = newLine === "" ? "" : `${newLine}  `;
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => jsonText(item, inner));
    return items.length === 0 ? "[]" : `[${inner}${items.join(`,${inner}`)}${newLine}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonText(member, inner)}`);
  return members.length === 0 ? "{}" : `{${inner}${members.join(`,${inner}`)}${newLine}}`;
}

/**
 * Prints a number so that the policy parser reads it as one: `1e21` would be a string, as would integers beyond 64 bits, and `-0` would
 * be 0. A decimal point prevents that.
 */
function numberText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = JSON.stringify(value);
  return (Number.isInteger(value) && Math.abs(value) < 2 ** 63) || text.includes(".") ? text : text.replace(/e|$/, ".0$&");
}

/** Replaces the reference's names by our own (D19). */
export function withNeutralNames(policy: { readonly [name: string]: Json }): { readonly [name: string]: Json };
export function withNeutralNames(policy: Json): Json;
export function withNeutralNames(policy: Json): Json {
  if (!isJsonObject(policy)) return policy;
  return mapped(policy, (name, value) => {
    if ((name === "apiVersion" || name === "api_version") && value === "api.cerbos.dev/v1") return "api.authz.dev/v1";
    if (name !== "resourcePolicy" && name !== "resource_policy") return value;
    return members(value, (inner, schemas) => (inner === "schemas" ? members(schemas, neutralSchema) : schemas));
  });
}

const neutralSchema = (_name: string, schema: Json): Json =>
  members(schema, (name, value) => (name === "ref" && typeof value === "string" ? value.replace(/^cerbos:\/\/\//, "authz:///") : value));

const members = (value: Json, change: (name: string, value: Json) => Json): Json => (isJsonObject(value) ? mapped(value, change) : value);

// `fromEntries` defines own properties, so that a name `__proto__` is ordinary data.
const mapped = (
  object: { readonly [name: string]: Json },
  change: (name: string, value: Json) => Json,
): { readonly [name: string]: Json } => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]));

function readsAs(text: string, policy: Json): boolean {
  let isSound = true;
  const documents = parseYaml({ path: "", text }, () => void (isSound = false));
  const [document] = documents;
  return isSound && documents.length === 1 && document !== undefined && says(document, policy);
}

function says(node: YamlNode, value: Json): boolean {
  switch (node.kind) {
    case "list":
      return Array.isArray(value) && value.length === node.items.length && node.items.every((item, index) => says(item, value[index]));
    case "map": {
      if (!isJsonObject(value) || Object.keys(value).length !== node.entries.length) return false;
      return node.entries.every(
        (entry) => entry.key.type === "string" && Object.hasOwn(value, entry.key.text) && says(entry.value, value[entry.key.text] ?? null),
      );
    }
    case "scalar":
      switch (node.type) {
        case "null":
          return value === null;
        case "boolean":
          return value === (node.text === "true");
        case "integer":
          return Object.is(Number(integerIn(node.text)), value);
        case "float":
          return Object.is(floatIn(node.text), value);
        case "string":
          return value === node.text;
      }
  }
}
