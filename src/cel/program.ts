/** A compiled expression, as its users see it. */
import type { ErrorKind } from "../../runtime/cel/error.ts";
import type { Value } from "../../runtime/cel/value.ts";

/** The values of variables. Numbers are doubles; where an int is declared, a bigint or a safe whole number is one. */
export type Variables = { readonly [name: string]: unknown };

/** What an evaluation may know besides its variables. */
export interface EvaluationOptions {
  /** What `now()` reports, written in UTC; unless said otherwise the present, written at the offset of the time zone of this machine. */
  readonly now?: Date;
}

/** A value, or what failed and why. */
export type Explanation =
  | { readonly kind: "value"; readonly value: Value }
  | {
      readonly kind: "error";
      readonly error: ErrorKind;
      /** A sentence that starts with the kind of error: ``no such key: teem; did you mean `team`?``. */
      readonly message: string;
      /** The sub-expression that failed, and its UTF-16 offsets in the text. */
      readonly expression: string;
      readonly start: number;
      readonly end: number;
    };

/** A compiled expression. It keeps nothing between calls, and changes nothing that it is given. */
export interface Program {
  readonly text: string;
  /** The checker's type: `bool`, `list(int)`. */
  readonly type: string;
  /** The generated JavaScript, as people read it. */
  readonly javascript: string;
  /** True exactly when the expression comes to true: neither an error nor another value counts. */
  readonly test: (variables?: Variables, options?: EvaluationOptions) => boolean;
  /** The value, or undefined where CEL has an error; `explain` says which. */
  readonly evaluate: (variables?: Variables, options?: EvaluationOptions) => Value | undefined;
  /** The slow way, by the interpreter: the value, or what failed and why. */
  readonly explain: (variables?: Variables, options?: EvaluationOptions) => Explanation;
}
