/** The error values of CEL expressions, which are returned, never thrown; and the exceptions for our own bugs. */
import type { Expression } from "./ast.ts";
import { shortened } from "./shortened.ts";
import type { Value } from "./value.ts";

/** The kind of an error; the message starts with these words. */
export type ErrorKind =
  | "no such key"
  | "undefined field"
  | "no such overload"
  | "no such attribute"
  | "division by zero"
  | "modulus by zero"
  | "integer overflow"
  | "index out of bounds"
  | "invalid argument"
  | "out of range"
  | "too many steps";

/** The error of an expression. */
export class EvalError {
  readonly kind: ErrorKind;
  /** A short sentence without full stop that starts with the kind: `no such key: team`. `describe` returns a longer one. */
  readonly message: string;
  /** Where it happened; set only by the interpreter. */
  readonly place: Place | undefined;
  constructor(kind: ErrorKind, message: string, place?: Place) {
    this.kind = kind;
    this.message = message;
    this.place = place;
  }
}

/**
 * Where an expression failed and on which values. Holds references only, because most errors are never read;
 * `describe` formats them.
 */
export interface Place {
  /** The sub-expression that failed: the operation, or the operand that the operator `asker` could not use. */
  readonly tree: Expression;
  /** Values of the operands in source order, as far as they were evaluated. */
  readonly operands: readonly Value[];
  /** The operator or macro that could not use the value of `tree`. */
  readonly asker?: string;
  /** The current iteration of each enclosing loop, outermost first: a list index or a map key. */
  readonly iterations: readonly Value[];
  /**
   * How many enclosing loops do not contain the failing expression: a lazily evaluated variable fails where it is
   * defined, not where it is read.
   */
  readonly inside?: number;
}

/** Builds an error; `detail` follows the kind in the message. */
export const evalError = (kind: ErrorKind, detail?: string): EvalError =>
  new EvalError(kind, detail === undefined ? kind : `${kind}: ${shortened(detail)}`);

/** Throws if the condition is false. For our own bugs only, never for bad input. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`internal contradiction: ${why}`);
}

/** Marks the end of an exhaustive switch; the type checker proves that it is unreachable. */
export function unreachable(value: never): never {
  throw new Error(`internal contradiction: unexpected ${JSON.stringify(value)}`);
}
