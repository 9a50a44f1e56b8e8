/** Replaces the interpreter, and what only the interpreter uses, in built modules that do not need it. */
import type { policyBindings as bindings } from "../decide/activation.ts";
import type { callerErrorCache as cacheOfCallers } from "../decide/caller-errors.ts";
import type { EffectivePolicies as Collected } from "../decide/effective-policies.ts";
import type { rowsApply as applies } from "../decide/rows-apply.ts";
import type { errorsOf as errors } from "../decide/evaluation-errors.ts";
import type { convertOutput as convert } from "../decide/outputs.ts";
import type { evaluateOutput as output, openInterpreterContext as open } from "../decide/questions.ts";
import type { openStrictEvaluation as strict } from "../decide/strict.ts";
import type { readTrees as trees } from "../decide/trees.ts";
import { notIncluded } from "./not-included.ts";

export const rowsApply: typeof applies = () => notIncluded;
export const errorsOf: typeof errors = notIncluded;
export const evaluateOutput: typeof output = notIncluded;
export const openInterpreterContext: typeof open = notIncluded;
export const openStrictEvaluation: typeof strict = notIncluded;
export const policyBindings: typeof bindings = notIncluded;
export const readTrees: typeof trees = notIncluded;
export const callerErrorCache: typeof cacheOfCallers = notIncluded;
export const convertOutput: typeof convert = notIncluded;

/** Never constructed. */
export const EffectivePolicies: new () => Collected = class {
  constructor() {
    notIncluded();
  }
  byRows(): void {}
  add(): void {}
  all(): never {
    return notIncluded();
  }
} as never; // A cast: never constructed, so it needs no private fields.
