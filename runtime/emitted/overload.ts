/** Single overloads, for calls whose overload the emitter knows. */
import { invariant } from "../cel/error.ts";
import type { FunctionRow } from "../cel/declare.ts";
import { functionRows } from "../cel/functions/index.ts";
import { workOver } from "../cel/work.ts";
import { type Result, settle } from "./access.ts";
import { atLoad } from "./load-time.ts";

/** Parsing a string up to this length is too little work to be counted. */
const short = 64;

// Only overloads with constant cost, so that they need no work accounting.
const isOfTimes = ({ name, parameters }: FunctionRow): boolean =>
  parameters.length === 1 && parameters[0]?.kind === "string"
    ? name === "timestamp" || name === "duration"
    : parameters.length > 0 && parameters.length <= 2 && parameters.every(({ kind }) => kind === "timestamp" || kind === "duration");

/** Returns the function of one overload, for arguments of its types. If an argument is an error, so is the result. */
export function overload(id: string): (...args: readonly Result[]) => Result {
  const row = functionRows.find((known) => known.id === id);
  invariant(row !== undefined && isOfTimes(row), "the emitter names overloads of one or two times, or of the text of one");
  const { meaning } = row;
  const { context } = atLoad;
  if (row.parameters.length === 2) {
    return (left, right) => (left === undefined || right === undefined ? undefined : settle(meaning(left, right, context)));
  }
  if (row.parameters[0]?.kind !== "string") return (value) => (value === undefined ? undefined : settle(meaning(value, context)));
  return (text) => {
    if (typeof text !== "string") return undefined;
    if (text.length > short) workOver(text);
    return settle(meaning(text, context));
  };
}
