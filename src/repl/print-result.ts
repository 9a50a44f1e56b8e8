/** Prints results: `= 5  : int` for people, the bare value for programs. */
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { visible } from "../../compiler/print-diagnostics.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { isMap, typeName, typeOfValue } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { toJson, type Json } from "../../runtime/cel/to-json.ts";
import { printType, type Type } from "../../runtime/cel/type.ts";
import { Message, type Value } from "../../runtime/cel/value.ts";
import { visibleLines, type SessionHost } from "./answer.ts";
import { measure } from "./measure.ts";
import { printLiteral } from "./print-literal.ts";

/** The most characters of a printed value: for people, for programs, and beside other values. */
const maxLengthForPeople = 16_384;
const maxLengthForPrograms = 4_194_304;
const maxLengthBesideOthers = 80;

/** The most parts of a value that is printed as JSON; larger ones are left out. */
const maxJsonParts = 1_000_000;

/** Prints a value by itself. */
export const printFull = (value: Value, width: number | undefined): string =>
  printLiteral(value, {
    width,
    budget: width === undefined ? maxLengthForPrograms : maxLengthForPeople,
    fieldNames: policyEnvironment.fieldNames,
  });

/** Prints a value beside others, truncated. */
export const printShort = (value: Value): string =>
  visible(printLiteral(value, { width: undefined, budget: maxLengthBesideOthers, fieldNames: policyEnvironment.fieldNames }));

/** Prints a type; for `dyn`, the type of the value. */
export const printResultType = (type: Type, value: Value): string =>
  type.kind === "dyn" ? `${typeName(typeOfValue(value))} (dyn)` : printType(type);

/** Prints the result of an expression. */
export const printEvaluated = (value: Value, type: Type, { width, styles }: SessionHost): string =>
  width === undefined
    ? printFull(value, width)
    : `= ${styles.success(visibleLines(printFull(value, width)))}${styles.dim(`  : ${printResultType(type, value)}`)}`;

/** Prints a definition; nothing for programs, which read results only. */
export const printDefined = (name: string, value: Value, type: Type, host: SessionHost): string =>
  host.width === undefined ? "" : `${name} ${printEvaluated(value, type, host)}`;

/**
 * Converts a value, including records, to JSON. What JSON cannot express becomes a CEL literal; a value that is too large gives
 * undefined.
 */
export function resultToJson(value: Value): Json | undefined {
  if (measure(value).parts > maxJsonParts) return undefined;
  const plain = withoutRecords(value);
  const json = toJson(plain);
  return json instanceof EvalError ? printFull(value, undefined) : json;
}

/** Converts records to maps of their fields that are set. */
function withoutRecords(value: Value): Value {
  if (!(value instanceof Message)) return value;
  const names = policyEnvironment.fieldNames(value.typeName).filter((name) => value.has(name));
  return Object.fromEntries(names.map((name) => [name, withoutRecords(value.get(name) ?? null)]));
}

/** Returns the string keys of a map. */
export const stringKeys = (value: Value): readonly string[] =>
  isMap(value) ? Array.from(mapEntries(value), ([key]) => key).filter((key) => typeof key === "string") : [];
