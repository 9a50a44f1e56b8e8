/** The state of reading one request: number of keys, the first error of form, every violated constraint. */
import { printPlace, type Field, type Place } from "./field.ts";
import { isJsonObject, describe, type Json } from "./json.ts";
import { inBackticks } from "./position.ts";
import type { JsonPath } from "./scan.ts";
import { violation, type RuleId, type Violation } from "./violation.ts";

/**
 * A request that does not have the expected form: path, whether the key or the value is wrong, and a message without
 * full stop.
 */
export interface FormError {
  readonly path: JsonPath;
  readonly of: "key" | "value";
  readonly sentence: string;
}

/** The mutable state while one request is read. */
export interface Reading {
  /**
   * Keys counted at every depth. If the text holds more, one was given twice, because JSON.parse keeps only one of
   * them.
   */
  keys: number;
  /**
   * A lower bound of the characters that the values read so far take in the text; exact if the spelling is the usual
   * one and no white space separates them. It must never be too high: `source.ts` copies parts of the text if the
   * total equals the text's length.
   */
  length: number;
  /**
   * An attribute holds a number outside the range of doubles, or nests too deep. `scanJson` then finds which one and
   * where.
   */
  outOfRange: boolean;
  /** Length in UTF-16 units of the longest string that a condition can see. */
  longestText: number;
  /** Only the first: later ones may be consequences of it. */
  formError: FormError | undefined;
  readonly violations: Violation[];
  /** Number of violations beyond those listed. */
  unlisted: number;
}

/** Returns the state for a new request. */
export const startReading = (): Reading => ({
  keys: 0,
  length: 0,
  outOfRange: false,
  longestText: 0,
  formError: undefined,
  violations: [],
  unlisted: 0,
});

/** Counts a field: its key, and the characters of its quoted name, a colon, and a comma or brace. */
export function countField(reading: Reading, name: string): void {
  reading.keys++;
  reading.length += name.length + 4;
}

/** Returns the path of the object being read; a function, so that the path is built only for an error. */
export type LazyPath = () => Place;

/** The path of the request itself. */
export const root: LazyPath = () => [];

// A body of 4 MiB can violate a million constraints; the reply must stay small.
const listed = 1_000;

/** Records that a field, or one item or entry of it, violates a constraint. `name` is the caller's spelling. */
export function reportViolation(
  reading: Reading,
  at: LazyPath,
  field: Field,
  name: string,
  ruleId: RuleId,
  message: string,
  within?: { index: number } | { key: string },
): void {
  if (reading.violations.length === listed) reading.unlisted++;
  else reading.violations.push(violation([...at(), { name, field, ...within }], ruleId, message));
}

const pathOf = (place: Place): (string | number)[] =>
  place.flatMap(({ name, index, key }): (string | number)[] => [
    name,
    ...(index === undefined ? [] : [index]),
    ...(key === undefined ? [] : [key]),
  ]);

/** Records that the value of a field, or of one item of it, has the wrong type. */
export function reportWrongType(reading: Reading, at: LazyPath, name: string, wanted: string, value: Json, index?: number): void {
  if (reading.formError !== undefined) return;
  const place = at();
  const label = [...(place.length > 0 ? [printPlace(place)] : []), name].join(".") + (index === undefined ? "" : `[${index}]`);
  reading.formError = {
    path: [...pathOf(place), name, ...(index === undefined ? [] : [index])],
    of: "value",
    sentence: `${inBackticks(label)} must be ${wanted}, but is ${describe(value)}`,
  };
}

/** Records that the request is not a JSON object. */
export function reportNotObject(reading: Reading, value: Json): void {
  reading.formError = { path: [], of: "value", sentence: `a request must be an object, but this is ${describe(value)}` };
}

/** Records a field that the contract does not define. `known` lists the fields it does. */
export function reportUnknownField(reading: Reading, at: LazyPath, name: string, known: string): void {
  if (reading.formError !== undefined) return;
  const place = at();
  const holder = place.length > 0 ? inBackticks(printPlace(place)) : "the request";
  reading.formError = {
    path: [...pathOf(place), name],
    of: "key",
    sentence: `unknown field ${inBackticks(name)} in ${holder} (it may have ${known})`,
  };
}

/** Records an error if both spellings of a field are given (`requestId`, `request_id`). Returns the spelling at hand. */
export function spelling(reading: Reading, at: LazyPath, earlier: string, name: string): string {
  if (earlier !== "" && earlier !== name) {
    reading.formError ??= {
      path: [...pathOf(at()), name],
      of: "key",
      sentence: `duplicate field ${inBackticks(name)}: it is the same as ${inBackticks(earlier)}`,
    };
  }
  // Records of decisions use the other spelling, so this text must not be copied: make the count miss its length.
  if (name.includes("_")) reading.length--;
  return name;
}

/**
 * Returns the value if it is an object. Returns undefined if it is unset or null, or of another type, which is
 * recorded.
 */
export function readObject(
  reading: Reading,
  at: LazyPath,
  name: string,
  value: Json | undefined,
): { readonly [key: string]: Json } | undefined {
  if (isJsonObject(value)) return value;
  if (value !== undefined && value !== null) reportWrongType(reading, at, name, "an object", value);
  return undefined;
}

/** Reads a string. Null and unset yield "". Another type is recorded as an error. */
export function readText(reading: Reading, at: LazyPath, name: string, value: Json | undefined): string {
  if (typeof value === "string") {
    reading.longestText = Math.max(reading.longestText, value.length);
    // Records of decisions leave out empty strings, so an empty one is not counted, and the text is then not copied.
    if (value !== "") reading.length += value.length + 2;
    return value;
  }
  if (value !== undefined && value !== null) reportWrongType(reading, at, name, "a string", value);
  return "";
}

/** Reads a boolean. Null and unset yield false. Another type is recorded as an error. */
export function readFlag(reading: Reading, at: LazyPath, name: string, value: Json | undefined): boolean {
  if (typeof value === "boolean") {
    reading.length += value ? 4 : 5;
    return value;
  }
  if (value !== undefined && value !== null) reportWrongType(reading, at, name, "true or false", value);
  return false;
}

const none: readonly string[] = [];

/**
 * Reads a list of strings. Null and unset yield an empty list; an item must not be null. Another type is recorded as
 * an error.
 */
export function readTexts(reading: Reading, at: LazyPath, name: string, value: Json | undefined): readonly string[] {
  if (isTexts(value)) {
    // Two brackets, and one comma fewer than strings. An empty list is written too.
    let all = 1;
    for (let at = 0; at < value.length; at++) {
      const { length } = value[at] ?? "";
      all += length + 3;
      if (length > reading.longestText) reading.longestText = length;
    }
    reading.length += all;
    return value;
  }
  if (value === undefined || value === null) return none;
  if (!Array.isArray(value)) {
    reportWrongType(reading, at, name, "a list of strings", value);
  } else {
    const index = value.findIndex((item) => typeof item !== "string");
    reportWrongType(reading, at, name, "a string", value[index], index);
  }
  return none;
}

function isTexts(value: Json | undefined): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== "string") return false;
  return true;
}
