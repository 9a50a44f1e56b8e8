/** Bounds on what one expression may make: an honest policy never meets them, and none can exhaust memory or time. */
import { evalError, type EvalError } from "./error.ts";

/** UTF-16 units of a string, bytes of a bytes value. Request bodies are a quarter of it. */
export const longestText = 16_777_216;

/** Elements of a list that a function makes. */
export const longestList = 1_000_000;

/** Returns the error of a result that would be longer than the bound. */
export const tooLong = (what: "string" | "bytes" | "list"): EvalError => evalError("out of range", `${what} too long`);
