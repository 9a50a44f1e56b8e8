/** Optional values: a value that may be absent. */
import { equal } from "./equal.ts";
import { printValue } from "./print-value.ts";
import { Opaque, type Value } from "./value.ts";

/** `optional.of(x)` or `optional.none()`. */
export class Optional extends Opaque {
  readonly typeName = "optional_type";
  /** undefined when absent. */
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    super();
    this.value = value;
  }
  equals(other: Opaque): boolean {
    if (!(other instanceof Optional)) return false;
    return this.value === undefined || other.value === undefined ? this.value === other.value : equal(this.value, other.value);
  }
  print(): string {
    return this.value === undefined ? "optional.none()" : `optional.of(${printValue(this.value)})`;
  }
}

/** The absent value. */
export const none = new Optional(undefined);

/** Wraps a value in an optional; undefined becomes none. */
export const optionalOf = (value: Value | undefined): Optional => (value === undefined ? none : new Optional(value));
