/** Converts the outputs of rules: values as JSON, or the error instead (semantics 4.7). */
import { EvalError } from "../cel/error.ts";
import { describe } from "../cel/evaluate/describe.ts";
import { type Json, toJson } from "../cel/to-json.ts";
import type { Value } from "../cel/value.ts";
import type { Output } from "./decision.ts";

/** A converted output. */
export interface ConvertedOutput {
  /** The value or the error, as in the reply. */
  readonly what: Pick<Output, "val" | "error">;
  /** The work of adding it to the reply once, so that a reply cannot be many times as large as its request. */
  readonly price: number;
}

/** The work of the smallest output. */
const minPrice = 1024;
const pricePerCharacter = 8;

/** Converts the value of an output expression to JSON. */
export function convertOutput(value: Value | EvalError): ConvertedOutput {
  const json = value instanceof EvalError ? value : toJson(value);
  if (!(json instanceof EvalError)) return { what: { val: json }, price: minPrice + pricePerCharacter * sizeOf(json) };
  const error = describe(json);
  return { what: { error }, price: minPrice + pricePerCharacter * error.length };
}

/** Roughly the characters of the JSON text. The walk is already paid for by the conversion. */
const sizeOf = (json: Json): number =>
  typeof json === "string" ? json.length : typeof json === "object" && json !== null ? JSON.stringify(json).length : 4;
