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
import type { freezeJson as freeze } from "../door/freeze-json.ts";
import { nobodyAsks } from "./nobody-asks.ts";

export const rowsApply: typeof applies = () => nobodyAsks;
export const errorsOf: typeof errors = nobodyAsks;
export const freezeJson: typeof freeze = nobodyAsks;
export const evaluateOutput: typeof output = nobodyAsks;
export const openInterpreterContext: typeof open = nobodyAsks;
export const openStrictEvaluation: typeof strict = nobodyAsks;
export const policyBindings: typeof bindings = nobodyAsks;
export const readTrees: typeof trees = nobodyAsks;
export const callerErrorCache: typeof cacheOfCallers = nobodyAsks;
export const convertOutput: typeof convert = nobodyAsks;

/** Never constructed. */
export const EffectivePolicies: new () => Collected = class {
  constructor() {
    nobodyAsks();
  }
  byRows(): void {}
  add(): void {}
  all(): never {
    return nobodyAsks();
  }
} as never; // A cast: never constructed, so it needs no private fields.
