/**
 * Reads the resource of a CheckResourceSet request: kind, version and scope given once, then the attributes of each
 * instance by its id.
 */
import type { JsonObject } from "../cel/value.ts";
import type { Resource } from "../decide/input.ts";
import { readAttributes } from "./attributes.ts";
import { fields } from "./field.ts";
import type { Json } from "./json.ts";
import {
  reportWrongType,
  readObject,
  readText,
  root,
  spelling,
  reportUnknownField,
  reportViolation,
  type Reading,
  type LazyPath,
} from "./reading.ts";
import { requireScope, requireText, requireVersion } from "./rules.ts";
import { keysInOrder } from "./scan.ts";

const here: LazyPath = () => [{ name: "resource", field: fields.setRequest.resource }];
const depth = 5;

/**
 * Reads `resource`. Returns one resource for each instance, in the order of the text. The result is usable only if
 * nothing was recorded in `reading`.
 */
export function readResourceSet(reading: Reading, value: Json | undefined, text: string): readonly Resource[] {
  let kind = "";
  let policyVersion = "";
  let scope = "";
  let versionName = "";
  let instances: ReadonlyMap<string, JsonObject | undefined> = new Map();

  const resource = readObject(reading, root, "resource", value);
  if (resource === undefined) {
    reportViolation(reading, root, fields.setRequest.resource, "resource", "required", "a resource is required");
    return [];
  }
  for (const name in resource) {
    reading.keys++;
    const field = resource[name];
    switch (name) {
      case "kind":
        kind = readText(reading, here, name, field);
        break;
      case "policyVersion":
      case "policy_version":
        versionName = spelling(reading, here, versionName, name);
        policyVersion = readText(reading, here, name, field);
        break;
      case "instances":
        instances = readInstances(reading, readObject(reading, here, name, field) ?? {});
        break;
      case "scope":
        scope = readText(reading, here, name, field);
        break;
      default:
        reportUnknownField(reading, here, name, "kind, policyVersion, instances, scope");
    }
  }
  requireText(reading, here, fields.resourceSet.kind, "kind", kind, "a resource kind");
  requireVersion(reading, here, fields.resourceSet.policyVersion, versionName, policyVersion);
  if (instances.size === 0)
    reportViolation(reading, here, fields.resourceSet.instances, "instances", "required", "at least one instance is required");
  requireScope(reading, here, fields.resourceSet.scope, "scope", scope);
  // If the form is wrong, the request is refused and the order does not matter.
  const entries = reading.formError === undefined ? inOrder(instances, text) : [];
  return entries.map(([id, attr]) => ({
    kind,
    id,
    ...(attr !== undefined && { attr }),
    ...(policyVersion !== "" && { policyVersion }),
    ...(scope !== "" && { scope }),
  }));
}

function readInstances(reading: Reading, instances: { readonly [id: string]: Json }): ReadonlyMap<string, JsonObject | undefined> {
  const read = new Map<string, JsonObject | undefined>();
  for (const id in instances) {
    if (reading.formError !== undefined) break;
    reading.keys++;
    read.set(id, readInstance(reading, id, instances[id]));
  }
  return read;
}

function readInstance(reading: Reading, id: string, value: Json | undefined): JsonObject | undefined {
  const self: LazyPath = () => [...here(), { name: "instances", field: fields.resourceSet.instances, key: id }];
  const instances: LazyPath = () => [...here(), { name: "instances", field: fields.resourceSet.instances }];
  // Null is refused: a map entry cannot be null, just as a list item cannot.
  if (value === null) reportWrongType(reading, instances, id, "an object", value);
  const instance = readObject(reading, instances, id, value);
  let attr: JsonObject | undefined;
  for (const name in instance) {
    reading.keys++;
    if (name === "attr") attr = readAttributes(reading, self, name, instance[name], depth);
    else reportUnknownField(reading, self, name, "attr");
  }
  return attr;
}

const index = /^(0|[1-9]\d*)$/;

/** Restores the order of the text: JavaScript objects list integer-like keys first. */
function inOrder<T>(instances: ReadonlyMap<string, T>, text: string): readonly (readonly [id: string, T])[] {
  const entries = [...instances];
  const [first] = entries;
  if (first === undefined || entries.length === 1 || !index.test(first[0])) return entries;
  const places = new Map(keysInOrder(text, ["resource", "instances"]).map((id, place) => [id, place]));
  return entries.sort(([left], [right]) => (places.get(left) ?? 0) - (places.get(right) ?? 0));
}
