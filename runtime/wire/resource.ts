/** Reads the entries of `resources`: each a resource and the actions to decide. */
import type { JsonObject } from "../cel/value.ts";
import type { Resource } from "../decide/input.ts";
import { readAttributes, requireNames } from "./attributes.ts";
import { fields, type Field } from "./field.ts";
import { isJsonObject, type Json } from "./json.ts";
import {
  countField,
  reportWrongType,
  readObject,
  readText,
  readTexts,
  root,
  spelling,
  reportUnknownField,
  reportViolation,
  type Reading,
  type LazyPath,
} from "./reading.ts";
import { action, requireScope, requireText, requireUnique, requireVersion } from "./rules.ts";

/** A resource and the actions to decide on it. */
export interface Entry {
  readonly resource: Resource;
  readonly actions: readonly string[];
}

const depth = 5;

/**
 * Reads the field `resources` of two of the requests. The result is usable only if nothing was recorded in `reading`.
 * If `lengths` is given, a lower bound of each entry's length in the text is appended to it.
 */
export function readEntries(
  reading: Reading,
  value: Json | undefined,
  self: Field = fields.request.resources,
  lengths?: number[],
): readonly Entry[] {
  const entries: Entry[] = [];
  if (Array.isArray(value)) {
    // Stops at the first error of form: there may be a million of them.
    for (let index = 0; index < value.length && reading.formError === undefined; index++) {
      const before = reading.length;
      entries.push(readEntry(reading, value[index], index, self));
      lengths?.push(reading.length - before);
    }
    reading.length += value.length + 1;
  } else if (value !== undefined && value !== null) {
    reportWrongType(reading, root, "resources", "a list", value);
  }
  if (entries.length === 0) reportViolation(reading, root, self, "resources", "required", "at least one resource is required");
  return entries;
}

function readEntry(reading: Reading, value: Json, index: number, self: Field): Entry {
  let actions: readonly string[] = [];
  let asked: Json | undefined;
  const here: LazyPath = () => [{ name: "resources", field: self, index }];
  if (isJsonObject(value)) {
    reading.length++;
    for (const name in value) {
      countField(reading, name);
      switch (name) {
        case "actions":
          actions = readTexts(reading, here, name, value[name]);
          break;
        case "resource":
          asked = value[name];
          break;
        default:
          reportUnknownField(reading, here, name, "actions, resource");
      }
    }
  } else {
    reportWrongType(reading, root, "resources", "an object", value, index);
  }
  requireUnique(reading, here, fields.entry.actions, "actions", actions, action);
  return { resource: readResource(reading, here, asked), actions };
}

function readResource(reading: Reading, entry: LazyPath, value: Json | undefined): Resource {
  let kind = "";
  let id = "";
  let attr: JsonObject | undefined;
  let policyVersion = "";
  let scope = "";
  let versionName = "";

  const resource = readObject(reading, entry, "resource", value);
  if (resource === undefined) {
    reportViolation(reading, entry, fields.entry.resource, "resource", "required", "a resource is required");
    return { kind, id };
  }
  const here: LazyPath = () => [...entry(), { name: "resource", field: fields.entry.resource }];
  reading.length++;
  for (const name in resource) {
    countField(reading, name);
    const field = resource[name];
    switch (name) {
      case "kind":
        kind = readText(reading, here, name, field);
        break;
      case "id":
        id = readText(reading, here, name, field);
        break;
      case "attr":
        attr = readAttributes(reading, here, name, field, depth);
        break;
      case "scope":
        scope = readText(reading, here, name, field);
        break;
      case "policyVersion":
      case "policy_version":
        versionName = spelling(reading, here, versionName, name);
        policyVersion = readText(reading, here, name, field);
        break;
      default:
        reportUnknownField(reading, here, name, "kind, policyVersion, id, attr, scope");
    }
  }
  return validateResource(reading, here, versionName, { kind, id, attr, policyVersion, scope });
}

/** The fields of a resource as read; unset ones are empty. */
export interface ResourceParts {
  readonly kind: string;
  readonly id: string;
  readonly attr: JsonObject | undefined;
  readonly policyVersion: string;
  readonly scope: string;
}

/**
 * Checks the constraints of a resource, recording violations, and builds it. `versionName` is the caller's spelling
 * (`policyVersion` or `policy_version`).
 */
export function validateResource(
  reading: Reading,
  here: LazyPath,
  versionName: string,
  { kind, id, attr, policyVersion, scope }: ResourceParts,
): Resource {
  requireText(reading, here, fields.resource.kind, "kind", kind, "a resource kind");
  requireVersion(reading, here, fields.resource.policyVersion, versionName, policyVersion);
  requireText(reading, here, fields.resource.id, "id", id, "a resource id");
  requireNames(reading, here, fields.resource.attr, "attr", attr, "attribute");
  requireScope(reading, here, fields.resource.scope, "scope", scope);

  // Always the same fields in the same order: one hidden class keeps the decision fast.
  return { kind, id, attr, policyVersion: policyVersion === "" ? undefined : policyVersion, scope: scope === "" ? undefined : scope };
}
