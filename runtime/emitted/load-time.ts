/**
 * The stand-in for the query while a unit is loaded. Constants are evaluated then; they can neither read the time nor
 * loop.
 */
import type { EvaluationContext } from "../cel/declare.ts";
import { Timestamp } from "../cel/value.ts";

/** What a CEL function may know about the current decision. */
export interface Surroundings {
  readonly context: EvaluationContext;
}

/** The surroundings outside of any decision. */
export const atLoad: Surroundings = Object.freeze({ context: Object.freeze({ now: new Timestamp(0, 0) }) });
