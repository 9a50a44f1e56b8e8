/** Stands in a built module for what values say in the texts of errors, which without the interpreter nobody reads. */
import type { brief as briefly } from "../cel/evaluate/brief.ts";
import type { printValue as print } from "../cel/print-value.ts";
import type { shortened as shorter } from "../cel/shortened.ts";

/** Nothing. */
export const brief: typeof briefly = () => "";

/** Nothing. */
export const printValue: typeof print = () => "";

/** Nothing. */
export const shortened: typeof shorter = () => "";
