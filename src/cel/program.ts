/** A compiled expression, as callers see it. */
import type { ErrorKind } from "../../runtime/cel/error.ts";
import type { Value } from "../../runtime/cel/value.ts";

/** The values of variables. Numbers are doubles; for a declared int, a bigint or a safe integer is accepted. */
export type Variables = { readonly [name: string]: unknown };

/** Options of one evaluation. */
export interface EvaluationOptions {
  /** The result of `now()`, in UTC. The default is the current time, in this machine's time zone. */
  readonly now?: Date;
}

/** A value, or which part failed and why. */
export type Explanation =
  | { readonly kind: "value"; readonly value: Value }
  | {
      readonly kind: "error";
      readonly error: ErrorKind;
      /** A sentence that begins with the kind of error: ``no such key: teem; did you mean `team`?``. */
      readonly message: string;
      /** The subexpression that failed, and its UTF-16 offsets in the expression. */
      readonly expression: string;
      readonly start: number;
      readonly end: number;
    };

/** A compiled expression. It has no state between calls, and never changes its arguments. */
export interface Program {
  readonly text: string;
  /** The type by the checker: `bool`, `list(int)`. */
  readonly type: string;
  /** The generated JavaScript, formatted for people. */
  readonly javascript: string;
  /** True only when the result is `true`; an error or another value gives false. */
  readonly test: (variables?: Variables, options?: EvaluationOptions) => boolean;
  /** The value, or undefined when the evaluation fails; `explain` says why. */
  readonly evaluate: (variables?: Variables, options?: EvaluationOptions) => Value | undefined;
  /** Evaluates with the slower interpreter; returns the value, or which part failed and why. */
  readonly explain: (variables?: Variables, options?: EvaluationOptions) => Explanation;
}
