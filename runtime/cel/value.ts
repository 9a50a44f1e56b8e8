/**
 * CEL values as JavaScript values.
 *
 *   int        bigint                      double     number
 *   uint       Uint                        string     string (well-formed UTF-16; lengths count code points)
 *   bool       boolean                     bytes      Uint8Array
 *   null       null                        list       array of values
 *   map        JSON object as it came in, or CelMap for literals and results (keys bool, int, uint, string)
 *   timestamp  Timestamp                   duration   Duration
 *   type       TypeValue                   message    Message (request, R, P, runtime, V, C, G)
 *
 * `undefined` is never a value: generated code uses it for an error, the interpreter returns an `EvalError`.
 */
import type { Type } from "./type.ts";

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | CelMap
  | TypeValue
  | Message
  | Opaque
  | readonly Value[]
  | JsonObject;

/** An object parsed from JSON. Only its own enumerable properties count; its prototype is never read. */
export interface JsonObject {
  readonly [key: string]: Value;
}

/** A 64-bit unsigned integer. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Minutes east of UTC; or "local": this machine's time zone, whose offset depends on the instant. */
export type Offset = number | "local";

/**
 * An instant: whole seconds since 1970-01-01T00:00:00Z plus 0..999,999,999 nanoseconds. `offsetMinutes` is the zone
 * it was written in and affects only printing.
 */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  readonly offsetMinutes: Offset;
  constructor(seconds: number, nanos: number, offsetMinutes: Offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

/** A signed duration: seconds rounded down plus 0..999,999,999 nanoseconds, together within int64 nanoseconds. */
export class Duration {
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly type: Type;
  constructor(type: Type) {
    this.type = type;
  }
}

/** The base class of types identified by name (hierarchy, optional, SPIFFE ID, IP). */
export abstract class Opaque {
  abstract readonly typeName: string;
  /** Whether `other`, of any opaque type, equals this value. */
  abstract equals(other: Opaque): boolean;
  /** Returns a CEL expression that evaluates to this value. */
  abstract print(): string;
}

/**
 * A message with declared fields. `get` returns a field's value (its zero value if unset); undefined for a name that
 * is no field or, in V, C and G, not set. `has` returns the result of `has(message.field)`; undefined for a name that
 * is no field. Both accept either spelling of a name. `fields` lists the names for the JSON form.
 */
export class Message {
  readonly typeName: string;
  readonly get: (field: string) => Value | undefined;
  readonly has: (field: string) => boolean | undefined;
  readonly fields: () => readonly string[];
  constructor(
    typeName: string,
    get: (field: string) => Value | undefined,
    has: (field: string) => boolean | undefined,
    fields: () => readonly string[] = () => [],
  ) {
    this.typeName = typeName;
    this.get = get;
    this.has = has;
    this.fields = fields;
  }
}

/**
 * The canonical form of a map key. Numbers of any type that are exactly equal share one, a string that no string key
 * has (D45).
 */
export type MapKey = boolean | string;

/** A map built by an expression, in insertion order. A repeated key keeps its last value. */
export class CelMap {
  /** Canonical key -> [key as written, value]. */
  readonly entries: ReadonlyMap<MapKey, readonly [Value, Value]>;
  constructor(entries: ReadonlyMap<MapKey, readonly [Value, Value]>) {
    this.entries = entries;
  }
}
