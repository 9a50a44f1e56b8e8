/** Results as text: `= 5  : int` for people, the bare value for machines. */
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { visible } from "../../compiler/print-diagnostics.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { isMap, typeName, typeOfValue } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { toJson, type Json } from "../../runtime/cel/to-json.ts";
import { printType, type Type } from "../../runtime/cel/type.ts";
import { Message, type Value } from "../../runtime/cel/value.ts";
import type { World } from "./answer.ts";
import { measure } from "./measure.ts";
import { printResult } from "./print-result.ts";

/** Characters of one value that are printed for people, and for machines. */
const enough = 16_384;
const most = 4_194_304;

/** Prints a value as it is shown alone. */
export const printShown = (value: Value, width: number | undefined): string =>
  printResult(value, { width, budget: width === undefined ? most : enough, fieldNames: policyEnvironment.fieldNames });

/** Prints as much of a value as has room beside others. */
export const printShort = (value: Value): string =>
  visible(printResult(value, { width: undefined, budget: 80, fieldNames: policyEnvironment.fieldNames }));

/** Prints a type; where the checker only knows `dyn`, the kind of the value is what matters. */
export const printShownType = (type: Type, value: Value): string =>
  type.kind === "dyn" ? `${typeName(typeOfValue(value))} (dyn)` : printType(type);

/** Prints what an expression came to. */
export const printEvaluated = (value: Value, type: Type, { width, paint }: World): string =>
  width === undefined
    ? printShown(value, width)
    : `= ${paint.good(onScreen(printShown(value, width)))}${paint.quiet(`  : ${printShownType(type, value)}`)}`;

/** What a request holds must not move a terminal's cursor. */
const onScreen = (text: string): string => text.split("\n").map(visible).join("\n");

/** Says what came to be under a name; nothing to machines, which read results. */
export const printDefined = (name: string, value: Value, type: Type, world: World): string =>
  world.width === undefined ? "" : `${name} ${printEvaluated(value, type, world)}`;

/** The JSON form of a value, records included; what JSON cannot say is CEL text, and too large a value is undefined. */
export function resultToJson(value: Value): Json | undefined {
  if (measure(value).parts > 1_000_000) return undefined;
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
