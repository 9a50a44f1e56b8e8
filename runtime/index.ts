/** The public exports of the runtime: load a bundle and decide. */
export type { Bundle, BundleChange } from "./bundle.ts";
export type { ActionDecision, Decision, Effect, Evaluator, EvaluationError, Output } from "./decide/decision.ts";
export type { CheckInput, CheckOptions } from "./decide/input.ts";
export { change, evaluateInThisRealm, load } from "./load.ts";
export type { EvaluateProgram, Loaded } from "./load.ts";
