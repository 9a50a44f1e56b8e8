/** A policy's text -> its message `authz.policy.v1.Policy` as proto3 JSON: all that its author wrote but comments. */
import type { Json } from "../../runtime/cel/to-json.ts";
import type { Report } from "../diagnostic.ts";
import type { Source } from "../source.ts";
import type { MapNode } from "../yaml/node.ts";
import { parseYaml } from "../yaml/parse.ts";
import { readFields } from "./read.ts";

/** The message, its fields by their names in proto3 JSON. */
export interface PolicyMessage {
  readonly [field: string]: Json;
}

const ignore: Report = () => undefined;

/** Reads the message of a source; none when it is no policy, or not one that can be read whole. */
export function policyMessage(source: Source): PolicyMessage | undefined {
  const [first, second] = parseYaml(source, ignore);
  return first === undefined || second !== undefined ? undefined : messageOfDocument(first, ignore);
}

/** Reads the message of one document; what is wrong with its form is reported. */
export function messageOfDocument(document: MapNode, report: Report): PolicyMessage | undefined {
  const read = readFields(document, report);
  return read?.isWhole === true ? messageOfFields(read.policy.fields) : undefined;
}

function messageOfFields(fields: object): PolicyMessage {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = messageOf(field);
      return saysNothing(name, field, value) ? [] : [[name, value] as const];
    }),
  );
}

/** Turns what the readers of policies yield into the JSON that it was read from, without the fields that say nothing. */
function messageOf(read: unknown): Json {
  if (typeof read !== "object" || read === null) return null;
  if ("toDocument" in read && "value" in read) return messageOf(read.value);
  // What a shape of a single value, of a list, of a map, or of a record yields.
  if ("place" in read && "value" in read) return read.value as Json; // such a shape reads JSON and nothing else
  if ("place" in read && "items" in read && Array.isArray(read.items)) return read.items.map(messageOf);
  // fromEntries defines own properties, so that a name `__proto__` is data like any other.
  if ("place" in read && "entries" in read && Array.isArray(read.entries))
    return Object.fromEntries(
      read.entries.map((entry: { readonly key: { readonly value: string }; readonly value: unknown }) => [
        entry.key.value,
        messageOf(entry.value),
      ]),
    );
  return "fields" in read && typeof read.fields === "object" && read.fields !== null ? messageOfFields(read.fields) : null;
}

/** The words that say as much as no word, each in the field that has it. */
const unspecified: ReadonlyMap<string, string> = new Map([
  ["effect", "EFFECT_UNSPECIFIED"],
  ["scopePermissions", "SCOPE_PERMISSIONS_UNSPECIFIED"],
]);

/** A field of its type's zero is written by nobody; a message is there even when it is empty. */
function saysNothing(name: string, field: unknown, value: Json): boolean {
  if (value === null || value === "" || value === false) return true;
  if (typeof value === "string") return unspecified.get(name) === value;
  const isMessage = typeof field === "object" && field !== null && ("fields" in field || "toDocument" in field);
  return !isMessage && typeof value === "object" && Object.keys(value).length === 0;
}
