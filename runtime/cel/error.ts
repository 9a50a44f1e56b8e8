/** What evaluating an expression yields when it has no value: a datum, never thrown. And what is thrown when we are wrong ourselves. */

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
  /** A sentence without full stop that starts with the kind: `no such key: team`. */
  readonly message: string;
  /** The node that failed, where the interpreter knows it. */
  readonly at?: number;
  constructor(kind: ErrorKind, message: string, at?: number) {
    this.kind = kind;
    this.message = message;
    if (at !== undefined) this.at = at;
  }
}

/** Makes an error; the detail follows its kind. */
export const evalError = (kind: ErrorKind, detail?: string): EvalError =>
  new EvalError(kind, detail === undefined ? kind : `${kind}: ${detail}`);

/** Throws when what must hold does not: our own bug, never the author's or the caller's. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`internal contradiction: ${why}`);
}

/** Closes a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new Error(`internal contradiction: unexpected ${JSON.stringify(value)}`);
}
