/** Strict evaluation (semantics 5.3): an error in a condition ends the action with a denial by that rule's policy. */
import type { EvaluationError } from "./decision.ts";
import { type Case, answer } from "./questions.ts";

/** Judges conditions with the interpreter, which sees errors that generated code has no need to see. */
export interface StrictEvaluation {
  /** Whether what a question asks holds; after a failure nothing does, until the next action. */
  readonly holds: (index: number) => boolean;
  /** Runs `compute`, which finds out the derived roles of a policy: an error there fails only who asks for the roles. */
  readonly whileFindingRoles: (policy: number, compute: () => readonly string[]) => readonly string[];
  /** Whether finding out the derived roles of a policy failed. */
  readonly rolesAreUnknown: (policy: number) => boolean;
  /** Whether a condition failed that nobody has taken notice of yet. */
  readonly failed: () => boolean;
  /** The policy whose condition failed since the last call, if one did. */
  readonly takeFailure: () => number | undefined;
}

// A variable that fails matters only where a condition reads it.
const quietly = (): void => {};

/** Opens the strict evaluation of one input. */
export function openStrictEvaluation(of: Case): StrictEvaluation {
  const answers = new Map<number, { readonly held: boolean; readonly failed: boolean }>();
  const unknown = new Set<number>();
  let findingRoles = false;
  let failure: number | undefined;

  const ask = (index: number): { readonly held: boolean; readonly failed: boolean } => {
    const known = answers.get(index);
    if (known !== undefined) return known;
    const question = of.trees.questions[index];
    let failed = false;
    const onError = (_error: EvaluationError): void => {
      failed = true;
    };
    const held = question === undefined || answer(of, question, onError, quietly);
    const found = { held: held && !failed, failed };
    answers.set(index, found);
    return found;
  };

  return {
    holds(index) {
      if (failure !== undefined && !findingRoles) return false;
      const { held, failed } = ask(index);
      const policy = of.trees.questions[index]?.policy;
      if (failed && policy !== undefined) {
        if (findingRoles) unknown.add(policy);
        else failure = policy;
      }
      return held;
    },
    whileFindingRoles(policy, compute) {
      findingRoles = true;
      const roles = compute();
      findingRoles = false;
      return unknown.has(policy) ? [] : roles;
    },
    rolesAreUnknown: (policy) => unknown.has(policy),
    failed: () => failure !== undefined,
    takeFailure() {
      const taken = failure;
      failure = undefined;
      return taken;
    },
  };
}
