/** A policy as a message -> the text that a store keeps: YAML that says exactly the same, or JSON. */
import { Document, visit } from "yaml";
import type { YamlNode } from "../../../compiler/yaml/node.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import { floatIn, integerIn } from "../../../compiler/yaml/scalar-type.ts";
import { isJsonObject, type Json } from "../../../runtime/wire/json.ts";

/** Is what stands there JSON? */
export const isJsonPath = (path: string): boolean => /\.json$/i.test(path);

/** Prints a policy for the file or row at a path; strings that need none are put in quotes too where `wantsQuotes` says so. */
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
  // JSON is YAML too: it stands in where the shorter form would be read as something else, such as a merge key.
  return readsAs(yaml, policy) ? yaml : json;
}

/** Prints JSON on one line; what comes back from it is the same, `-0` included. */
export const printJson = (value: Json): string => jsonText(value, "");

/** JSON as `JSON.stringify` indents it, but for its numbers; without a line feed it is all on one line. */
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

/** Policies take `1e21` for a text, an integer that 64 bits cannot hold too, and `-0` for 0: with a point they are numbers as they are. */
function numberText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = JSON.stringify(value);
  return (Number.isInteger(value) && Math.abs(value) < 2 ** 63) || text.includes(".") ? text : text.replace(/e|$/, ".0$&");
}

/** Writes our own name for what the reference calls by its own (D19). */
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

// fromEntries defines own properties, so that a name `__proto__` is data like any other.
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
        (entry) => entry.key.type === "text" && Object.hasOwn(value, entry.key.text) && says(entry.value, value[entry.key.text] ?? null),
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
        case "text":
          return value === node.text;
      }
  }
}
