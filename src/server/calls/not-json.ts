/** Finds values that a protobuf message can hold and JSON cannot: NaN, infinite numbers, and a google.protobuf.Value without a kind. */
import { isMessage, type Message } from "@bufbuild/protobuf";
import { ValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import { printPath, type Step } from "./message-path.ts";

/** Returns a sentence about the first such value of a message; undefined when there is none. */
export function notJsonIn(message: Message): string | undefined {
  const found = search(message);
  return found === undefined ? undefined : `${printPath(found.path)}: ${found.sentence}`;
}

interface Found {
  /** Steps are added while the search returns. */
  readonly path: Step[];
  readonly sentence: string;
}

/** Searches a field value of any kind. */
function search(value: unknown): Found | undefined {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return undefined;
  if (isMessage(value, ValueSchema)) return inValue(value);
  const stepTo = (name: string): Step => (Array.isArray(value) ? Number(name) : isMessage(value) ? name : { key: name });
  for (const [name, inner] of Object.entries(value)) {
    const chosen = isMessage(value) ? chosenIn(inner) : undefined;
    const found = search(chosen === undefined ? inner : chosen.value);
    if (found === undefined) continue;
    found.path.unshift(stepTo(chosen?.case ?? name));
    return found;
  }
  return undefined;
}

/** Returns the field of a oneof that is set; undefined when the value is not a oneof. */
function chosenIn(field: unknown): { readonly case: string; readonly value: unknown } | undefined {
  const isChoice = typeof field === "object" && field !== null && "case" in field && "value" in field && !isMessage(field);
  return isChoice && typeof field.case === "string" ? { case: field.case, value: field.value } : undefined;
}

function inValue({ kind }: Value): Found | undefined {
  switch (kind.case) {
    case undefined:
      return { path: [], sentence: "it has no value (say so with null_value, or leave the attribute out)" };
    case "numberValue":
      return Number.isFinite(kind.value) ? undefined : { path: [], sentence: `it is ${kind.value}, which no number of JSON is` };
    case "structValue":
      return search(kind.value.fields);
    case "listValue":
      return search(kind.value.values);
    default:
      return undefined;
  }
}
