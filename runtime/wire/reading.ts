/** What is noted while a request is read: keys met, the first thing that cannot be read, every constraint broken. */
import { printPlace, type Field, type Place } from "./field.ts";
import { isJsonObject, describe, type Json } from "./json.ts";
import { inBackticks } from "./position.ts";
import type { JsonPath } from "./scan.ts";
import { violation, type RuleId, type Violation } from "./violation.ts";

/** Something that is no request at all: where, and a sentence without full stop. */
export interface Misreading {
  readonly path: JsonPath;
  readonly of: "key" | "value";
  readonly sentence: string;
}

/** The notes of one reading. */
export interface Reading {
  /** Keys met at any depth: fewer than the text holds when one of them was given twice. */
  keys: number;
  /**
   * So many characters the values that were read take at least; exactly so many where nothing is unusual and no space stands
   * between them. To count too few is safe, to count too many is not: `source.ts` copies parts of texts by it.
   */
  length: number;
  /** An attribute holds a number that no double holds, or nests too deep; the text's own reading says which and where. */
  unsound: boolean;
  /** The length of the longest text that a condition can see. */
  longestText: number;
  /** The first only: what follows from a misreading would mislead. */
  misreading: Misreading | undefined;
  readonly violations: Violation[];
  /** Violations beyond the ones that are listed. */
  unlisted: number;
}

/** Starts reading one request. */
export const startReading = (): Reading => ({
  keys: 0,
  length: 0,
  unsound: false,
  longestText: 0,
  misreading: undefined,
  violations: [],
  unlisted: 0,
});

/** Notes that a field has been met: its name in quotes, a colon, and a comma or the brace. */
export function meet(reading: Reading, name: string): void {
  reading.keys++;
  reading.length += name.length + 4;
}

/** Where the reader stands, worked out only when something is wrong there. */
export type Standing = () => Place;

/** At the request itself. */
export const root: Standing = () => [];

// A body of 4 MiB can break a million constraints; an answer must not be many times its question.
const listed = 1_000;

/** Notes that a field, or one item or entry of it, breaks a rule; `name` is the caller's spelling. */
export function violate(
  reading: Reading,
  at: Standing,
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

/** Notes that the value of a field, or of one item of it, is of the wrong kind. */
export function misread(reading: Reading, at: Standing, name: string, wanted: string, value: Json, index?: number): void {
  if (reading.misreading !== undefined) return;
  const place = at();
  const label = [...(place.length > 0 ? [printPlace(place)] : []), name].join(".") + (index === undefined ? "" : `[${index}]`);
  reading.misreading = {
    path: [...pathOf(place), name, ...(index === undefined ? [] : [index])],
    of: "value",
    sentence: `${inBackticks(label)} must be ${wanted}, but is ${describe(value)}`,
  };
}

/** Notes that what should be a request is no object. */
export function noRequest(reading: Reading, value: Json): void {
  reading.misreading = { path: [], of: "value", sentence: `a request must be an object, but this is ${describe(value)}` };
}

/** Notes a field that the contract does not have. */
export function unknownField(reading: Reading, at: Standing, name: string, known: string): void {
  if (reading.misreading !== undefined) return;
  const place = at();
  const holder = place.length > 0 ? inBackticks(printPlace(place)) : "the request";
  reading.misreading = {
    path: [...pathOf(place), name],
    of: "key",
    sentence: `unknown field ${inBackticks(name)} in ${holder} (it may have ${known})`,
  };
}

/** Returns the spelling of a field that has two; notes it when both are there. */
export function spelling(reading: Reading, at: Standing, earlier: string, name: string): string {
  if (earlier !== "" && earlier !== name) {
    reading.misreading ??= {
      path: [...pathOf(at()), name],
      of: "key",
      sentence: `duplicate field ${inBackticks(name)}: it is the same as ${inBackticks(earlier)}`,
    };
  }
  // Copied as it is, the other spelling would be a field that records do not have.
  if (name.includes("_")) reading.length--;
  return name;
}

/** Reads an object; null is no object. Undefined means unset, or misread and noted. */
export function readObject(
  reading: Reading,
  at: Standing,
  name: string,
  value: Json | undefined,
): { readonly [key: string]: Json } | undefined {
  if (isJsonObject(value)) return value;
  if (value !== undefined && value !== null) misread(reading, at, name, "an object", value);
  return undefined;
}

/** Reads a text; null is the empty one. */
export function readText(reading: Reading, at: Standing, name: string, value: Json | undefined): string {
  if (typeof value === "string") {
    reading.longestText = Math.max(reading.longestText, value.length);
    // The empty text means that nothing is set, and records leave it out.
    if (value !== "") reading.length += value.length + 2;
    return value;
  }
  if (value !== undefined && value !== null) misread(reading, at, name, "a string", value);
  return "";
}

/** Reads true or false; null is false. */
export function readFlag(reading: Reading, at: Standing, name: string, value: Json | undefined): boolean {
  if (typeof value === "boolean") {
    reading.length += value ? 4 : 5;
    return value;
  }
  if (value !== undefined && value !== null) misread(reading, at, name, "true or false", value);
  return false;
}

const none: readonly string[] = [];

/** Reads a list of texts; null is the empty one, but not as an item. */
export function readTexts(reading: Reading, at: Standing, name: string, value: Json | undefined): readonly string[] {
  if (isTexts(value)) {
    // Nor does a record leave out an empty list; the brackets are two, and commas one fewer than texts.
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
    misread(reading, at, name, "a list of strings", value);
  } else {
    const index = value.findIndex((item) => typeof item !== "string");
    misread(reading, at, name, "a string", value[index], index);
  }
  return none;
}

function isTexts(value: Json | undefined): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== "string") return false;
  return true;
}
