/**
 * Size limits of values that an expression creates, against exhaustion of memory and time. Ordinary policies never
 * reach them.
 */
import { evalError, type EvalError } from "./error.ts";

/** Most UTF-16 units of a string, or bytes of a bytes value: four times the largest request body. */
export const longestText = 16_777_216;

/** Most elements of a list that a function creates. */
export const longestList = 1_000_000;

/** The error of a result that exceeds a limit. */
export const tooLong = (what: "string" | "bytes" | "list"): EvalError => evalError("out of range", `${what} too long`);
