/**
 * Replaces the formatting of values in error messages in built modules without the interpreter, where nobody reads
 * them.
 */
import type { brief as briefly } from "../cel/evaluate/brief.ts";
import type { printValue as print } from "../cel/print-value.ts";
import type { shortened as shorter } from "../cel/shortened.ts";

export const brief: typeof briefly = () => "";

export const printValue: typeof print = () => "";

export const shortened: typeof shorter = () => "";
