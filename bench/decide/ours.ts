/** Our own answer to the questions of `bench/decide.ts`: compiled policies, decided in this realm. */
import { compile } from "../../compiler/index.ts";
import type { Evaluator } from "../../runtime/decide/decision.ts";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { digest } from "../measure.ts";
import type { Contestant } from "./contestant.ts";
import { policiesFor } from "./leave-request.ts";

/** As a server has them for a request that does not ask for `meta`, and `isAllowed` where no hook listens. */
export const options: CheckOptions = {
  now: 0,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectiveDerivedRoles: false,
  effectivePolicies: false,
};

/** Compiles and loads a policy for each kind. */
export function openPolicies(kinds: readonly string[]): Evaluator {
  const { compiled, diagnostics } = compile(policiesFor(kinds), { digest });
  if (compiled === undefined) throw new Error(`the policies of the bench do not compile: ${diagnostics[0]?.message}`);
  return load(compiled.bundle, evaluateInThisRealm);
}

export const ours: Contestant = {
  name: "compiled policies",
  prepare: async (kinds) => {
    const evaluator = openPolicies(kinds);
    return ({ input, action }) =>
      () =>
        evaluator.check([input], options)[0]?.actions.get(action)?.effect === "EFFECT_ALLOW";
  },
};
