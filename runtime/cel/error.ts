/** What evaluating an expression yields when it has no value: a datum, never thrown. And what is thrown when we are wrong ourselves. */
import type { Expression } from "./ast.ts";
import { shortened } from "./shortened.ts";
import type { Value } from "./value.ts";

/** What went wrong, in the words that the message starts with. */
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

/** An error of an expression: what kind it is, and a sentence. */
export class EvalError {
  readonly kind: ErrorKind;
  /** A short sentence without full stop that starts with the kind: `no such key: team`. `describe` makes a longer one. */
  readonly message: string;
  /** Where it happened: only the interpreter knows. */
  readonly place: Place | undefined;
  constructor(kind: ErrorKind, message: string, place?: Place) {
    this.kind = kind;
    this.message = message;
    this.place = place;
  }
}

/** Where an expression failed, and over what. Only references: what they say is found out when somebody asks. */
export interface Place {
  /** The sub-expression that failed: the operation, or the operand that another part could not take. */
  readonly tree: Expression;
  /** What the operands came to, in the order of the text, as far as they were evaluated. */
  readonly operands: readonly Value[];
  /** The operator or macro that could not take what `tree` came to. */
  readonly asker?: string;
  /** The turns of the loops around it, outermost first: a position, or a map's key. */
  readonly turns: readonly Value[];
  /** Loops that the error has yet to leave though it did not happen inside: what is lazy fails where it is written. */
  readonly inside?: number;
}

/** Makes an error; the detail follows its kind. */
export const evalError = (kind: ErrorKind, detail?: string): EvalError =>
  new EvalError(kind, detail === undefined ? kind : `${kind}: ${shortened(detail)}`);

/** Throws when what must hold does not: our own bug, never the author's or the caller's. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`internal contradiction: ${why}`);
}

/** Closes a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new Error(`internal contradiction: unexpected ${JSON.stringify(value)}`);
}
