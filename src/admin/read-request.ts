/** Parses an administrator's request strictly: returns the request, or a reply with everything that is wrong with it. */
import type { Field } from "../../runtime/wire/field.ts";
import { describe, isJsonObject, type Json } from "../../runtime/wire/json.ts";
import { printJsonMistake } from "../../runtime/wire/json-mistake.ts";
import { inBackticks, positionOf } from "../../runtime/wire/position.ts";
import {
  reportWrongType,
  readTexts,
  root,
  startReading,
  reportUnknownField,
  reportViolation,
  type Reading,
  type LazyPath,
} from "../../runtime/wire/reading.ts";
import { printRefusal, refuseViolations } from "../../runtime/wire/refusal.ts";
import { locate, scanJson } from "../../runtime/wire/scan.ts";
import type { CallRequestText } from "../server/calls/call.ts";
import { failure, type Reply } from "../server/calls/reply.ts";

/** A parsed request, or the refusal. */
export type ParsedRequest<T> = { readonly asked: T } | { readonly refused: Reply };

/** Parses a request; `read` reads its fields, and notes what is wrong. */
export function readRequest<T>(
  { text, isGenerated }: CallRequestText,
  read: (reading: Reading, request: { readonly [name: string]: Json }) => T,
): ParsedRequest<T> {
  const body = text.trim() === "" ? "{}" : text;
  const refuseAt = (offset: number, sentence: string): ParsedRequest<T> =>
    refuse(isGenerated ? sentence : `${positionOf(body, offset)}: ${sentence}`);
  const problem = scanJson(body);
  if (problem !== undefined) return refuse(isGenerated ? problem.sentence : printJsonMistake(body, problem));
  const json: Json = JSON.parse(body);
  if (!isJsonObject(json)) return refuse(`a request must be an object, but this is ${describe(json)}`);
  const reading = startReading();
  const asked = read(reading, json);
  if (reading.formError !== undefined) {
    const { path, of, sentence } = reading.formError;
    return refuseAt(locate(body, path, of), isGenerated ? asInQuery(sentence, json[path[0] ?? ""]) : sentence);
  }
  if (reading.violations.length === 0) return { asked };
  const refusal = refuseViolations(reading.violations, reading.unlisted);
  return { refused: { code: refusal.code, text: printRefusal(refusal) } };
}

/** Rewords a message for a query, where every value is a string, and repeated parameters form a list. */
function asInQuery(sentence: string, value: Json | undefined): string {
  if (typeof value === "string") return sentence.replace(/, but is a string$/, () => `, but is ${inBackticks(value)}`);
  return Array.isArray(value) ? sentence.replace(/, but is a list$/, ", but is there more than once") : sentence;
}

const refuse = (message: string): { readonly refused: Reply } => ({ refused: failure("INVALID_ARGUMENT", message) });

/** Notes every unknown field of an object. */
export function refuseUnknownFields(
  reading: Reading,
  at: LazyPath,
  object: { readonly [name: string]: Json },
  known: readonly string[],
): void {
  for (const name of Object.keys(object)) if (!known.includes(name)) reportUnknownField(reading, at, name, known.join(", ") || "no fields");
}

/** Reads an unsigned 32-bit integer, which may be a string in proto3 JSON. */
export function readWholeNumber(reading: Reading, at: LazyPath, name: string, value: Json | undefined): number {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : (value ?? 0);
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number < 2 ** 32) return number;
  reportWrongType(reading, at, name, "a whole number from 0 to 4294967295", value ?? null);
  return 0;
}

/** A list of ids, and its constraints. */
export interface IdList {
  readonly name: string;
  readonly value: Json | undefined;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly most?: number;
}

/** Reads ids; empty ones are refused. */
export function readIds(reading: Reading, field: Field, { name, value, required, unique, most = Infinity }: IdList): readonly string[] {
  const ids = readTexts(reading, root, name, value);
  if (required === true && ids.length === 0) reportViolation(reading, root, field, name, "required", "at least one id is required");
  if (ids.length > most) reportTooMany(reading, field, name, ids.length, most);
  const repeated = unique === true ? firstRepeated(ids) : undefined;
  if (repeated !== undefined)
    reportViolation(
      reading,
      root,
      field,
      name,
      "repeated.unique",
      `ids must be unique, but ${inBackticks(repeated)} is there more than once`,
    );
  for (const [index, id] of ids.entries())
    if (id === "") reportViolation(reading, root, field, name, "string.min_len", "an id must not be empty", { index });
  return ids;
}

function reportTooMany(reading: Reading, field: Field, name: string, found: number, most: number): void {
  const message = `at most ${most} are allowed in one request, but there are ${found}`;
  reportViolation(reading, root, field, name, "repeated.max_items", message);
}

function firstRepeated(ids: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return ids.find((id) => seen.size === seen.add(id).size);
}

/** The most entries in one request. */
const maxEntries = 100;

/** Reads a list of 1 to 100 objects. */
export function readEntries<T>(
  reading: Reading,
  field: Field,
  { name, value, one }: { readonly name: string; readonly value: Json | undefined; readonly one: string },
  read: (entry: { readonly [name: string]: Json }, at: LazyPath, index: number) => T,
): readonly T[] {
  const entries = value ?? [];
  if (!Array.isArray(entries)) {
    reportWrongType(reading, root, name, "a list of objects", entries);
    return [];
  }
  if (entries.length === 0) reportViolation(reading, root, field, name, "required", `at least one ${one} is required`);
  if (entries.length > maxEntries) {
    reportTooMany(reading, field, name, entries.length, maxEntries);
    return [];
  }
  return entries.flatMap((entry: Json, index) => {
    if (isJsonObject(entry)) return [read(entry, () => [{ name, field, index }], index)];
    reportWrongType(reading, root, name, "an object", entry, index);
    return [];
  });
}

/** The most characters of an id. */
const maxCharactersOfId = 255;

/** Notes that an id is too long; characters are counted, not UTF-16 units. */
export function requireLength(
  reading: Reading,
  at: LazyPath,
  field: Field,
  { name, id, index }: { readonly name: string; readonly id: string; readonly index?: number },
): void {
  const length = id.length > maxCharactersOfId ? [...id].length : id.length;
  if (length > maxCharactersOfId)
    reportViolation(
      reading,
      at,
      field,
      name,
      "string.max_len",
      `an id has at most ${maxCharactersOfId} characters, but ${inBackticks(id)} has ${length}`,
      index === undefined ? undefined : { index },
    );
}
