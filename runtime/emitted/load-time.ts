/** The stand-in for the query while a unit is loaded: constants are made then, and none of them can tell the time or loop. */
import type { EvaluationContext } from "../cel/declare.ts";
import { Timestamp } from "../cel/value.ts";

/** What a function of the language may know of the decision being made. */
export interface Surroundings {
  readonly context: EvaluationContext;
}

/** Surroundings of nobody's decision. */
export const atLoad: Surroundings = Object.freeze({ context: Object.freeze({ now: new Timestamp(0, 0) }) });
