/** Tells which of CEL's kinds a run-time value has: what dispatch, equality and printing switch on. */
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

/** A map, whoever made it. */
export type MapValue = CelMap | JsonObject;

/** What dispatch tells apart. */
export type Kind =
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "list"
  | "map"
  | "timestamp"
  | "duration"
  | "type"
  | "message"
  | "opaque";

/** Says whether a value is a list. `Array.isArray` alone does not narrow readonly arrays. */
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Says whether a value is a map: one made by an expression, or an object that came from JSON. */
export const isMap = (value: Value): value is MapValue => kindOf(value) === "map";

/** Returns the kind of a value. */
export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "double";
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    default:
      return kindOfObject(value);
  }
}

function kindOfObject(value: Exclude<Value, string | number | boolean | bigint>): Kind {
  if (value === null) return "null";
  if (isList(value)) return "list";
  if (value instanceof CelMap) return "map";
  if (value instanceof Uint) return "uint";
  if (value instanceof Timestamp) return "timestamp";
  if (value instanceof Duration) return "duration";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Message) return "message";
  if (value instanceof Opaque) return "opaque";
  return "map";
}

/** Returns what `type(value)` answers; elements of lists and maps are not looked at. */
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

/** Returns the name by which a type value is known at run time and compared: `int`, `list`, `google.protobuf.Timestamp`. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case "null":
      return "null_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "opaque":
    case "message":
    case "parameter":
      return type.name;
    case "list":
    case "map":
    case "type":
    case "dyn":
    case "error":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
      return type.kind;
  }
}
