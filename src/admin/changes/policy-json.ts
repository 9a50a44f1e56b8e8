/**
 * Reads a policy by the rules of proto3 JSON: `null` means that a field is not set, and strings stay strings. YAML files may express
 * both differently.
 */
import { policyShape } from "../../../compiler/policy/read.ts";
import { fieldPath, itemPath, rootPath } from "../../../compiler/yaml/path.ts";
import type { Form } from "../../../compiler/yaml/shape.ts";
import { describe, isJsonObject, type Json } from "../../../runtime/wire/json.ts";
import { inBackticks } from "../../../runtime/wire/position.ts";

/** A value whose type is not that of its field. */
export interface WrongKind {
  /** Its path: `$.resourcePolicy.version`. */
  readonly path: string;
  readonly message: string;
}

/** Removes fields that are not set, and reports values of the wrong type; unknown fields are kept. */
export function readPolicyJson(policy: Json): { readonly policy: Json; readonly wrong: readonly WrongKind[] } {
  const wrong: WrongKind[] = [];
  return { policy: read(policyShape.form, policy, rootPath, wrong), wrong };
}

type RecordForm = Extract<Form, { kind: "record" }>;

function read(form: Form, value: Json, path: string, wrong: WrongKind[]): Json {
  const refuse = (wanted: string, hint = ""): Json => {
    wrong.push({ path, message: `expected ${wanted}, found ${found(value)}${hint}` });
    return value;
  };
  switch (form.kind) {
    case "json":
      return value;
    case "within":
      return read(form.shape().form, value, path, wrong);
    case "string":
      if (typeof value === "string") return value;
      return refuse("a string", typeof value === "number" || typeof value === "boolean" ? " (put it in quotes)" : "");
    case "boolean":
      if (typeof value === "boolean") return value;
      return refuse("`true` or `false`", value === "true" || value === "false" ? " (remove the quotes)" : "");
    case "wholeNumber":
      return isWholeNumber(value) ? value : refuse("a whole number from 0 to 18446744073709551615");
    case "oneOf":
      return typeof value === "string" || typeof value === "number" ? value : refuse("a word");
    case "list": {
      if (!Array.isArray(value)) return refuse("a list");
      return value.map((item: Json, index) => read(form.item.form, item, itemPath(path, index), wrong));
    }
    case "map":
      if (!isJsonObject(value)) return refuse("an object");
      return fromEntries(value, (name, entry) => read(form.value.form, entry, fieldPath(path, name), wrong));
    case "record":
      return isJsonObject(value) ? readRecord(form, value, path, wrong) : refuse("an object");
  }
}

function readRecord({ fields }: RecordForm, record: { readonly [name: string]: Json }, path: string, wrong: WrongKind[]): Json {
  const fieldOf = (name: string): string => (Object.hasOwn(fields, name) ? name : camelCase(name));
  const given = Object.keys(record).map(fieldOf);
  return fromEntries(record, (name, value) => {
    const field = fieldOf(name);
    const form = Object.hasOwn(fields, field) ? fields[field]?.form : undefined;
    if (form === undefined) return value;
    // A field that is given in both spellings is refused later, whatever its values.
    if (value === null && form.kind !== "json") return given.indexOf(field) === given.lastIndexOf(field) ? undefined : null;
    return read(form, value, fieldPath(path, name), wrong);
  });
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Maps the values of an object; undefined removes the field. */
function fromEntries(object: { readonly [name: string]: Json }, change: (name: string, value: Json) => Json | undefined): Json {
  // `fromEntries` defines own properties, so that a name `__proto__` is ordinary data.
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const changed = change(name, value);
      return changed === undefined ? [] : [[name, changed] as const];
    }),
  );
}

function isWholeNumber(value: Json): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value < 2 ** 64;
  return typeof value === "string" && /^[0-9]{1,20}$/.test(value) && BigInt(value) < 2n ** 64n;
}

function found(value: Json): string {
  if (typeof value === "string") return `the string ${inBackticks(value)}`;
  if (typeof value === "number") return `the number ${inBackticks(String(value))}`;
  return typeof value === "boolean" ? inBackticks(String(value)) : describe(value);
}
