/** A bundle, loaded and asked: what a host of its own needs of the runtime. */
export type { Bundle, BundleChange } from "./bundle.ts";
export type { ActionDecision, Decision, Effect, Evaluator, EvaluationError, Output } from "./decide/decision.ts";
export type { CheckInput, CheckOptions } from "./decide/input.ts";
export { change, evaluateInThisRealm, load } from "./load.ts";
export type { EvaluateProgram, Loaded } from "./load.ts";
