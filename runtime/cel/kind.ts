/** Determines the CEL type of a value at run time; dispatch, equality and printing depend on it. */
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
  string,
  timestamp,
  typeOf,
  uint,
  type Type,
} from "./type.ts";
import { CelMap, Duration, Message, Opaque, Timestamp, TypeValue, Uint, type JsonObject, type Value } from "./value.ts";

/** Either representation of a map: built by an expression, or parsed from JSON. */
export type MapValue = CelMap | JsonObject;

const kinds = [
  "null",
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "list",
  "map",
  "timestamp",
  "duration",
  "type",
  "message",
  "opaque",
] as const;

/** The run-time type of a value, without element types. */
export type Kind = (typeof kinds)[number];

/** Whether a value is a list. `Array.isArray` alone does not narrow readonly arrays. */
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Whether a value is a map: built by an expression, or an object from JSON. */
export const isMap = (value: Value): value is MapValue => typeof value === "object" && kindNumberOfObject(value) === 8;

/** Whether a value is an object as JSON.parse makes it: no list, no null, no instance of our classes. */
export const isJsonObject = (value: Value): value is JsonObject =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Returns the kind of a value. */
export const kindOf = (value: Value): Kind => kinds[kindNumber(value)] ?? "map";

/** An upper bound of `kindNumber`, exclusive. */
export const kindLimit = 16;
/** The number of the kind `opaque`, which covers several types: the value's class tells which. */
export const opaqueKind = 13;

/** Returns the index of a value's kind in `kinds`, for lookup tables. */
export function kindNumber(value: Value): number {
  switch (typeof value) {
    case "boolean":
      return 1;
    case "bigint":
      return 2;
    case "number":
      return 4;
    case "string":
      return 5;
    default:
      return kindNumberOfObject(value);
  }
}

function kindNumberOfObject(value: Exclude<Value, string | number | boolean | bigint>): number {
  if (value === null) return 0;
  if (isList(value)) return 7;
  // Objects from JSON first: one check recognises them, and they are the most frequent.
  if (isJsonObject(value)) return 8;
  if (value instanceof Timestamp) return 9;
  if (value instanceof Duration) return 10;
  if (value instanceof Uint) return 3;
  if (value instanceof CelMap) return 8;
  if (value instanceof Uint8Array) return 6;
  if (value instanceof TypeValue) return 11;
  if (value instanceof Message) return 12;
  return value instanceof Opaque ? opaqueKind : 8;
}

/** Returns the result of `type(value)`. Element types of lists and maps are always dyn. */
export function typeOfValue(value: Value): Type {
  if (value instanceof Message) return message(value.typeName);
  if (value instanceof Opaque) return opaque(value.typeName);
  const kind = kindOf(value);
  switch (kind) {
    case "null":
      return nullType;
    case "bool":
      return bool;
    case "int":
      return int;
    case "uint":
      return uint;
    case "double":
      return double;
    case "string":
      return string;
    case "bytes":
      return bytes;
    case "timestamp":
      return timestamp;
    case "duration":
      return duration;
    case "list":
      return listOf(dyn);
    case "map":
      return mapOf(dyn, dyn);
    case "type":
      return typeOf();
    case "message":
    case "opaque":
      return dyn;
  }
}

/** Types of the policy library: at run time they have longer names than in the checker. */
const policyTypes: readonly string[] = ["hierarchy", "spiffeID", "spiffeMatcher", "spiffeTrustDomain"];

/** Returns the name of a type as printed and compared at run time: `int`, `list`, `google.protobuf.Timestamp`. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case "null":
      return "null_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "opaque":
      return policyTypes.includes(type.name) ? `cerbos.lib.${type.name}` : type.name;
    case "message":
    case "parameter":
      return type.name;
    default:
      return type.kind;
  }
}
