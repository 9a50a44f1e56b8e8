/** Our own answer to the questions of `bench/decide.ts`: compiled policies, decided in this realm. */
import { compile } from "../../compiler/index.ts";
import type { Evaluator } from "../../runtime/decide/decision.ts";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import { decideWith, openDoor } from "../../runtime/door/open-door.ts";
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

/** Asked as the others are: may it be done? */
export const ours: Contestant = {
  name: "compiled policies",
  prepare: async (kinds) => {
    const { allows } = openPolicies(kinds);
    return ({ input }) =>
      () =>
        allows(input, options);
  },
};

/** Asked for a decision, which also says who decided and what else there is to tell. */
export const withDecision: Contestant = {
  name: "compiled policies, the whole decision",
  prepare: async (kinds) => {
    const { check } = openPolicies(kinds);
    return ({ input, action }) =>
      () =>
        check([input], options)[0]?.actions.get(action)?.effect === "EFFECT_ALLOW";
  },
};

/** Asked as applications ask: the request is validated and copied, and bounded in what it may cost. */
export const atTheDoor: Contestant = {
  name: "compiled policies, `isAllowed`",
  prepare: async (kinds) => {
    const surroundings = { clock: () => 0, report: () => undefined, policySet: "" };
    const { isAllowed } = openDoor(decideWith(openPolicies(kinds)), undefined, surroundings);
    return ({ input: { principal, resource }, action }) =>
      () =>
        isAllowed(principal, resource, action);
  },
};
