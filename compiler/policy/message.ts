/** Converts a policy's text to its message `authz.policy.v1.Policy` in proto3 JSON, without comments. */
import type { Json } from "../../runtime/cel/to-json.ts";
import type { Report } from "../diagnostic.ts";
import type { Source } from "../source.ts";
import type { MapNode } from "../yaml/node.ts";
import { parseYaml } from "../yaml/parse.ts";
import { readFields } from "./read.ts";

/** The message; fields by their proto3 JSON names. */
export interface PolicyMessage {
  readonly [field: string]: Json;
}

const ignore: Report = () => undefined;

/** Returns the message of a source; undefined if it is not a single policy that can be read completely. */
export function policyMessage(source: Source): PolicyMessage | undefined {
  const [first, second] = parseYaml(source, ignore);
  return first === undefined || second !== undefined ? undefined : messageOfDocument(first, ignore);
}

/** Returns the message of one document, and reports errors of its form. */
export function messageOfDocument(document: MapNode, report: Report): PolicyMessage | undefined {
  const read = readFields(document, report);
  return read?.isComplete === true ? messageOfFields(read.policy.fields) : undefined;
}

function messageOfFields(fields: object): PolicyMessage {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = messageOf(field);
      return isOmitted(name, field, value) ? [] : [[name, value] as const];
    }),
  );
}

/** Converts what the readers return to JSON, without fields that have their zero value. */
function messageOf(read: unknown): Json {
  if (typeof read !== "object" || read === null) return null;
  if ("toDocument" in read && "value" in read) return messageOf(read.value);
  // What the shapes of a value, a list, a map and a record return.
  if ("place" in read && "value" in read) return read.value as Json; // such a shape only reads JSON
  if ("place" in read && "items" in read && Array.isArray(read.items)) return read.items.map(messageOf);
  // Object.fromEntries defines own properties, so a name `__proto__` is ordinary data.
  if ("place" in read && "entries" in read && Array.isArray(read.entries))
    return Object.fromEntries(
      read.entries.map((entry: { readonly key: { readonly value: string }; readonly value: unknown }) => [
        entry.key.value,
        messageOf(entry.value),
      ]),
    );
  return "fields" in read && typeof read.fields === "object" && read.fields !== null ? messageOfFields(read.fields) : null;
}

/** Values that mean the same as an absent field. */
const unspecified: ReadonlyMap<string, string> = new Map([
  ["effect", "EFFECT_UNSPECIFIED"],
  ["scopePermissions", "SCOPE_PERMISSIONS_UNSPECIFIED"],
]);

/** Whether a field is left out. proto3 JSON omits zero values, but keeps messages that are empty. */
function isOmitted(name: string, field: unknown, value: Json): boolean {
  if (value === null || value === "" || value === false) return true;
  if (typeof value === "string") return unspecified.get(name) === value;
  const isMessage = typeof field === "object" && field !== null && ("fields" in field || "toDocument" in field);
  return !isMessage && typeof value === "object" && Object.keys(value).length === 0;
}
