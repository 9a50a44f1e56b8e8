/** The decision algorithm as semantics 4.5 tells it, read aloud over the policy set: slow, plain, and the judge of every faster one. */
import { timestampFromMilliseconds } from "../../runtime/cel/timestamp.ts";
import type { ActionDecision, Decision, EvaluationError } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { PolicySet } from "../link/policy-set.ts";
import { resourcePolicyKey, sanitise } from "../policy/names.ts";
import type { Evaluation } from "./activation.ts";
import { sortErrors } from "./errors.ts";
import type { Reason } from "./reason.ts";
import { scopeChain, scopeOf, versionOf, withoutDots } from "./scopes.ts";
import { openVisit, type Visit } from "./visit.ts";

/** A decision, and what each rule had to do with it, in the order in which rules were looked at. */
export type Explained = Decision & { readonly reasons: readonly Reason[] };

/** Decides one input. */
export function decide(set: PolicySet, input: CheckInput, options: CheckOptions): Decision {
  const { reasons: _reasons, ...decision } = explain(set, input, options);
  return decision;
}

/** Decides one input and keeps the reasons. */
export function explain(set: PolicySet, input: CheckInput, options: CheckOptions): Explained {
  const reasons: Reason[] = [];
  const errors: EvaluationError[] = [];
  const context = { now: timestampFromMilliseconds(options.now) };
  const evaluation: Evaluation = { input: withoutDots(input), options, context, onError: (error) => errors.push(error) };

  // 4.3 and 4.4: which policies are asked, and the key that is reported whether or not a policy bears it.
  const kind = sanitise(input.resource.kind);
  const version = versionOf(input, options);
  const chain = scopeChain(set, scopeOf(input, options), options.lenientScopeSearch);
  const key = resourcePolicyKey(kind, version, chain[0] ?? "");
  const policyAt = (scope: string) =>
    set.resourcePolicies.find((policy) => policy.name === kind && policy.version === version && policy.scope === scope);
  const policies = chain.flatMap((scope) => policyAt(scope) ?? []);

  // 4.6: a policy is visited, and its derived roles are computed, at most once; never when an earlier scope decided all.
  const visits = new Map<string, Visit>();
  const visit = (at: number): Visit | undefined => {
    const policy = policies[at];
    if (policy === undefined) return undefined;
    const known = visits.get(policy.scope);
    const opened = known ?? openVisit(policy, input.principal.roles, evaluation);
    visits.set(policy.scope, opened);
    return opened;
  };

  const decideAction = (action: string): ActionDecision => {
    // 4.5: "if neither: DENY/NO_MATCH for all".
    if (policies.length === 0) return { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" };

    // 4.5: "for role in principal.roles order". The first that decides is kept, but an ALLOW of any role wins.
    let result: Answer = { effect: "none", matchedPolicy: "NO_MATCH", matchedScope: "" };
    for (const role of input.principal.roles) {
      const current = decideRole(action, role);
      if (current.final) return report(current);
      if (result.effect === "none") result = current;
      if (current.effect === "EFFECT_ALLOW") return report(current);
    }
    return report(result);
  };

  const decideRole = (action: string, role: string): Answer => {
    // 4.5: "for scope in chain". The nearest scope that says anything decides.
    for (let at = 0, here = visit(at); here !== undefined; here = visit(++at)) {
      let hasAllow = false;
      for (const reason of here.considerRules(action, role, [role])) {
        reasons.push(reason);
        // 5.3: under strict evaluation an error ends the action, and is reported where it happened.
        if (reason.outcome === "failed") {
          return { effect: "EFFECT_DENY", matchedPolicy: reason.policy, matchedScope: reason.scope, final: true };
        }
        if (reason.outcome !== "satisfied") continue;
        // 4.5: a DENY leaves at once; an ALLOW keeps going, for a DENY may follow.
        if (reason.effect === "deny") return { effect: "EFFECT_DENY", matchedPolicy: key, matchedScope: reason.scope };
        hasAllow = true;
      }
      if (hasAllow) return { effect: "EFFECT_ALLOW", matchedPolicy: key, matchedScope: here.policy.scope };
    }
    return { effect: "none", matchedPolicy: key, matchedScope: "" };
  };

  const actions = new Map(input.actions.map((action) => [action, decideAction(action)]));
  const derivedRoles = new Set([...visits.values()].flatMap((each) => each.derivedRoles));
  return {
    requestId: input.requestId ?? "",
    resourceId: input.resource.id,
    actions,
    effectiveDerivedRoles: [...derivedRoles].toSorted(),
    outputs: [],
    evaluationErrors: options.evaluationErrors ? sortErrors(errors) : [],
    reasons,
  };
}

/** What one role comes to for one action; `none` when no rule had a say. */
interface Answer {
  readonly effect: ActionDecision["effect"] | "none";
  readonly matchedPolicy: string;
  readonly matchedScope: string;
  /** No other role is asked. */
  readonly final?: true;
}

/** 4.5, the last line: what nobody allowed is denied. */
const report = ({ effect, matchedPolicy, matchedScope }: Answer): ActionDecision => ({
  effect: effect === "none" ? "EFFECT_DENY" : effect,
  matchedPolicy,
  matchedScope,
});
