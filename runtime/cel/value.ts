/**
 * CEL values as JavaScript values.
 *
 *   int        bigint                      double     number
 *   uint       Uint                        string     string (well-formed UTF-16; lengths count code points)
 *   bool       boolean                     bytes      Uint8Array
 *   null       null                        list       array of values
 *   map        JSON object as it came in, or CelMap for literals and results (keys bool, int, uint, string)
 *   timestamp  Timestamp                   duration   Duration
 *   type       TypeValue                   record     Message (request, R, P, runtime, V, C, G)
 *
 * `undefined` is never a value: in generated code it is the error; in the interpreter the error is an `EvalError`.
 */
import type { Type } from "./type.ts";

/** Any value. */
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

/** An object that came from JSON: only own enumerable properties count; its prototype is never looked at. */
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

/** Minutes east of UTC, or those of this machine's time zone, whatever they are at the instant. */
export type Offset = number | "local";

/** An instant: whole seconds since 1970-01-01T00:00:00Z and 0..999,999,999 nanoseconds; `offsetMinutes` is the zone it was written in, for printing only. */
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

/** A signed span of time: whole seconds, rounded down, and the 0..999,999,999 nanoseconds above them; together within int64 nanoseconds. */
export class Duration {
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

/** What `type(x)` and type names evaluate to. */
export class TypeValue {
  readonly type: Type;
  constructor(type: Type) {
    this.type = type;
  }
}

/** A value of a type known by name alone (hierarchy, optional, SPIFFE id, IP): its family extends it. */
export abstract class Opaque {
  abstract readonly typeName: string;
  /** Says whether `other`, of whatever opaque type, is the same value. */
  abstract equals(other: Opaque): boolean;
  /** Returns an expression that makes the value. */
  abstract print(): string;
}

/**
 * A record with declared fields. `get` answers the field's value (its zero value when unset), or undefined for a name
 * that is not a field or, in V C G, not set; `has` answers what `has(record.field)` says, or undefined for what is no field. Names
 * come in either spelling. `fields` lists the names that its JSON form has, as far as they are there.
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

/** The canonical form of a map key: numbers of whatever kind that are equal without loss are one key, a text that no string has (D45). */
export type MapKey = boolean | string;

/** A map made by an expression. Entries keep insertion order; a key set twice keeps its last value. */
export class CelMap {
  /** Canonical key -> [key as written, value]. */
  readonly entries: ReadonlyMap<MapKey, readonly [Value, Value]>;
  constructor(entries: ReadonlyMap<MapKey, readonly [Value, Value]>) {
    this.entries = entries;
  }
}
