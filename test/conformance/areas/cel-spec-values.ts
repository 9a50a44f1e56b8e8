/** The tagged values and printed types of the CEL suites, read and compared. */
import { isList, isMap, kindOf, typeName } from "../../../runtime/cel/kind.ts";
import { lookup, makeMap, mapEntries, mapSize } from "../../../runtime/cel/map.ts";
import { EvalError, invariant } from "../../../runtime/cel/error.ts";
import { equal } from "../../../runtime/cel/equal.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  message,
  nullType,
  opaque,
  parameter,
  string,
  timestamp,
  typeOf,
  uint,
} from "../../../runtime/cel/type.ts";
import type { Type } from "../../../runtime/cel/type.ts";
import { TypeValue, Uint } from "../../../runtime/cel/value.ts";
import type { Value } from "../../../runtime/cel/value.ts";

/** A value with its kind beside it: `{int: "1"}`, `{map: [[k, v], ...]}`. */
export type Tagged =
  | { readonly int: string }
  | { readonly uint: string }
  | { readonly double: string }
  | { readonly string: string }
  | { readonly bytes_base64: string }
  | { readonly bool: boolean }
  | { readonly null: null }
  | { readonly type: string }
  | { readonly list: readonly Tagged[] }
  | { readonly map: readonly (readonly [Tagged, Tagged])[] };

/** Reads a tagged value. */
export function readTagged(tagged: Tagged): Value {
  if ("int" in tagged) return BigInt(tagged.int);
  if ("uint" in tagged) return new Uint(BigInt(tagged.uint));
  if ("double" in tagged) return Number(tagged.double);
  if ("string" in tagged) return tagged.string;
  if ("bytes_base64" in tagged) return new Uint8Array(Buffer.from(tagged.bytes_base64, "base64"));
  if ("bool" in tagged) return tagged.bool;
  if ("null" in tagged) return null;
  if ("type" in tagged) return new TypeValue(readType(tagged.type));
  if ("list" in tagged) return tagged.list.map(readTagged);
  if ("map" in tagged) {
    const map = makeMap(tagged.map.map(([key, value]) => [readTagged(key), readTagged(value)] as const));
    invariant(!(map instanceof EvalError), "the suite's maps have keys that maps can have");
    return map;
  }
  throw new Error(`no such tag: ${Object.keys(tagged).join()}`);
}

/** Says whether two values are the same, kinds included; NaN is the same as NaN. */
export function same(left: Value, right: Value): boolean {
  if (typeof left === "number" && typeof right === "number") return Object.is(left, right) || left === right;
  if (kindOf(left) !== kindOf(right)) return false;
  if (isList(left) && isList(right)) return left.length === right.length && left.every((element, i) => same(element, right[i] ?? null));
  if (isMap(left) && isMap(right)) {
    return (
      mapSize(left) === mapSize(right) &&
      Array.from(mapEntries(left)).every(([key, value]) => {
        const other = lookup(right, key);
        return other !== undefined && same(value, other);
      })
    );
  }
  if (left instanceof TypeValue && right instanceof TypeValue) return typeName(left.type) === typeName(right.type);
  return equal(left, right);
}

const simple: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", bool],
  ["int", int],
  ["uint", uint],
  ["double", double],
  ["string", string],
  ["bytes", bytes],
  ["dyn", dyn],
  ["null", nullType],
  ["null_type", nullType],
  ["type", typeOf()],
  ["timestamp", timestamp],
  ["google.protobuf.Timestamp", timestamp],
  ["duration", duration],
  ["google.protobuf.Duration", duration],
]);

/** Reads a printed type: `map(string, list(param(T)))`. */
export function readType(text: string): Type {
  const open = text.indexOf("(");
  if (open < 0) return simple.get(text) ?? (text === "list" ? listOf(dyn) : text === "map" ? mapOf(dyn, dyn) : opaque(text));
  const name = text.slice(0, open);
  const inside = splitArguments(text.slice(open + 1, -1));
  if (name === "message") return message(inside[0] ?? "");
  if (name === "param") return parameter(inside[0] ?? "");
  const [first = dyn, second = dyn] = inside.map(readType);
  return name === "list"
    ? listOf(first)
    : name === "map"
      ? mapOf(first, second)
      : name === "type"
        ? typeOf(first)
        : opaque(name, ...inside.map(readType));
}

function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [i, character] of [...text].entries()) {
    depth += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (character !== "," || depth > 0) continue;
    parts.push(text.slice(start, i).trim());
    start = i + 1;
  }
  return [...parts, text.slice(start).trim()];
}
