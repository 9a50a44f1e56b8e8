/** What rules tell the caller: values as JSON, or why there is none (semantics 4.7). */
import { EvalError } from "../cel/error.ts";
import { describe } from "../cel/evaluate/describe.ts";
import { type Json, toJson } from "../cel/to-json.ts";
import type { Value } from "../cel/value.ts";
import type { Output } from "./decision.ts";

/** What an output came to. */
export interface Told {
  readonly what: Pick<Output, "val" | "error">;
  /** Work of saying it once: an answer must not be many times its question. */
  readonly price: number;
}

/** Work of an output that says next to nothing. */
const leastPrice = 1024;
const pricePerCharacter = 8;

/** Turns what an expression came to into what the caller is told. */
export function tell(value: Value | EvalError): Told {
  const json = value instanceof EvalError ? value : toJson(value);
  if (!(json instanceof EvalError)) return { what: { val: json }, price: leastPrice + pricePerCharacter * sizeOf(json) };
  const error = describe(json);
  return { what: { error }, price: leastPrice + pricePerCharacter * error.length };
}

/** About how many characters of text a value is; converting it has paid for the walk. */
const sizeOf = (json: Json): number =>
  typeof json === "string" ? json.length : typeof json === "object" && json !== null ? JSON.stringify(json).length : 4;
