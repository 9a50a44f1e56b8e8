/** Results as text: `= 5  : int` for people, the bare value for machines. */
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { visible } from "../../compiler/print-diagnostics.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { isMap, typeName, typeOfValue } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { toJson, type Json } from "../../runtime/cel/to-json.ts";
import { printType, type Type } from "../../runtime/cel/type.ts";
import { Message, type Value } from "../../runtime/cel/value.ts";
import { onScreen, type World } from "./answer.ts";
import { measure } from "./measure.ts";
import { printLiteral } from "./print-literal.ts";

/** Characters of one value that are printed: for people, for machines, and beside other values. */
const mostForPeople = 16_384;
const mostForMachines = 4_194_304;
const mostBesideOthers = 80;

/** Parts of a value that is written as JSON: a larger one is left out. */
const mostPartsOfJson = 1_000_000;

/** Prints a value as it is shown alone. */
export const printShown = (value: Value, width: number | undefined): string =>
  printLiteral(value, { width, budget: width === undefined ? mostForMachines : mostForPeople, fieldNames: policyEnvironment.fieldNames });

/** Prints as much of a value as has room beside others. */
export const printShort = (value: Value): string =>
  visible(printLiteral(value, { width: undefined, budget: mostBesideOthers, fieldNames: policyEnvironment.fieldNames }));

/** Prints a type; where the checker only knows `dyn`, the kind of the value is what matters. */
export const printShownType = (type: Type, value: Value): string =>
  type.kind === "dyn" ? `${typeName(typeOfValue(value))} (dyn)` : printType(type);

/** Prints what an expression came to. */
export const printEvaluated = (value: Value, type: Type, { width, paint }: World): string =>
  width === undefined
    ? printShown(value, width)
    : `= ${paint.good(onScreen(printShown(value, width)))}${paint.quiet(`  : ${printShownType(type, value)}`)}`;

/** Says what came to be under a name; nothing to machines, which read results. */
export const printDefined = (name: string, value: Value, type: Type, world: World): string =>
  world.width === undefined ? "" : `${name} ${printEvaluated(value, type, world)}`;

/** The JSON form of a value, records included; what JSON cannot say is CEL text, and too large a value is undefined. */
export function resultToJson(value: Value): Json | undefined {
  if (measure(value).parts > mostPartsOfJson) return undefined;
  const plain = withoutRecords(value);
  const json = toJson(plain);
  return json instanceof EvalError ? printShown(value, undefined) : json;
}

/** Records as maps of the fields that are set. */
function withoutRecords(value: Value): Value {
  if (!(value instanceof Message)) return value;
  const names = policyEnvironment.fieldNames(value.typeName).filter((name) => value.has(name));
  return Object.fromEntries(names.map((name) => [name, withoutRecords(value.get(name) ?? null)]));
}

/** Lists the keys of a map that are texts. */
export const textKeys = (value: Value): readonly string[] =>
  isMap(value) ? Array.from(mapEntries(value), ([key]) => key).filter((key) => typeof key === "string") : [];
