/**
 * The decision algorithm of semantics 4.5, as a direct transcription over the policy set. Slow and simple; every
 * faster implementation must agree with it.
 */
import { timestampFromMilliseconds } from "../../runtime/cel/timestamp.ts";
import type { ActionDecision, Decision, EvaluationError, Output, ValidationError } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { PolicySet } from "../link/policy-set.ts";
import type { Evaluation } from "./activation.ts";
import { activeDerivedRoles, noDerivedRoles } from "./derived-roles.ts";
import { effectivePolicies } from "./effective-policies.ts";
import { sortErrors } from "./errors.ts";
import { withParents } from "./parents.ts";
import { principalPass, resourcePass, type Pass } from "./pass.ts";
import type { Reason } from "./reason.ts";
import { isRow, scopePermissions, type DecidingPolicy, type SkippedRule, type Row } from "./row.ts";
import { validate } from "./schemas.ts";
import { scopeOf, withoutDots } from "./scopes.ts";
import { openScopeEvaluation, type ScopeEvaluation } from "./scope-evaluation.ts";

/** A decision and the outcome of each rule, in the order in which rules were considered. */
export type Explained = Decision & { readonly reasons: readonly Reason[] };

/** Decides one input. `index` is its index in the batch, which is passed to the schema validator. */
export function decide(set: PolicySet, input: CheckInput, options: CheckOptions, index = 0): Decision {
  const { reasons: _reasons, ...decision } = explain(set, input, options, index);
  return decision;
}

/** Decides one input and returns the reasons too. */
export function explain(set: PolicySet, asked: CheckInput, options: CheckOptions, index = 0): Explained {
  const reasons: Reason[] = [];
  const errors: EvaluationError[] = [];
  const outputs: Output[] = [];
  const derivedRoles = new Set<string>();
  const considered = new Set<DecidingPolicy>();
  const context = { now: timestampFromMilliseconds(options.now, options.nowOffset) };
  const input = withoutDots(asked);
  const evaluation: Evaluation = { input, options, context, onError: (error) => errors.push(error) };

  // 4.3 and 4.4: which policies apply, and which key is reported.
  const principal = principalPass(set, asked, options);
  const resource = resourcePass(set, asked, options);
  const requestedScope = scopeOf(asked.resource, options);

  const answerAll = (answer: ActionDecision): ReadonlyMap<string, ActionDecision> =>
    new Map(input.actions.map((action) => [action, answer]));

  function decideActions(found: readonly ValidationError[]): ReadonlyMap<string, ActionDecision> {
    if (principal.chain.length === 0 && resource.chain.length === 0) return answerAll(noMatch);
    if (found.length > 0 && options.schemas?.enforcement === "reject") return answerAll(deny(resource.key, ""));
    if (!principal.exists && !resource.exists) return answerAll(noMatch);
    return new Map(input.actions.map((action) => [action, decideAction(action)]));
  }

  function decideAction(action: string): ActionDecision {
    // 4.5: a decision of principal policies is final. If they make none, resource policies decide, and are reported.
    const byPrincipal = decideByRoles(principal, action);
    const { effect, matchedPolicy, matchedScope } = byPrincipal.effect === "none" ? decideByRoles(resource, action) : byPrincipal;
    // Deny by default.
    return { effect: effect === "none" ? "EFFECT_DENY" : effect, matchedPolicy, matchedScope };
  }

  function decideByRoles(pass: Pass, action: string): Answer {
    // The result of the first role that decides is kept, but an ALLOW of any role wins.
    let result = undecided(pass);
    for (const role of pass.roles) {
      const current = decideByScopes(pass, action, role);
      if (current.final) return current;
      if (result.effect === "none") result = current;
      if (current.effect === "EFFECT_ALLOW") return current;
    }
    return result;
  }

  function decideByScopes(pass: Pass, action: string, role: string): Answer {
    // 4.5: "for scope in chain": the nearest scope with an effect decides.
    let hasAllow = false;
    for (const scope of pass.chain) {
      const scopeEvaluation = evaluationOf(pass, scope);
      for (const candidate of pass.rows(scope, action, role)) {
        const reason = consider(scopeEvaluation, candidate, action, role);
        // 5.3: under strict evaluation an error denies the action, and the policy and scope where it occurred are
        // reported.
        if (reason.outcome === "failed") return { ...deny(reason.policy, scope), final: true };
        // A DENY ends the search; after an ALLOW it continues, because a DENY may follow.
        if (reason.says === "deny") return deny(reason.type === "role" ? reason.policy : pass.key, scope);
        if (reason.says === "allow") hasAllow = true;
      }
      if (!hasAllow) continue;
      const permissions = scopePermissions(set, scope);
      if (permissions === "override parent") return { effect: "EFFECT_ALLOW", matchedPolicy: pass.key, matchedScope: scope };
      // A parent must allow it too. A scope without permissions does not change the result.
      if (permissions === "require parental consent") hasAllow = false;
    }
    return undecided(pass);
  }

  function consider(scopeEvaluation: ScopeEvaluation, candidate: Row | SkippedRule, action: string, role: string): Reason {
    const { type, policy, rule, needsConsent } = candidate;
    const derivedRole = isRow(candidate) ? candidate.derivedRole : undefined;
    const about = {
      action,
      role,
      type,
      policy: policy.key,
      scope: policy.scope,
      ...(rule && { rule: rule.name }),
      span: rule?.span ?? policy.span,
      ...(derivedRole && { derivedRole: derivedRole.name }),
      needsConsent,
    };
    if (!isRow(candidate)) return keep({ ...about, outcome: candidate.outcome, says: "none", errors: [] });
    considered.add(policy);
    const { answer, outcome, errors: met, unmetExpressions, evaluatedOutput } = scopeEvaluation.consider(candidate, action);
    if (evaluatedOutput !== undefined) outputs.push(evaluatedOutput);
    return keep({ ...about, outcome, says: answer, errors: met, ...(unmetExpressions && { unmetExpressions }) });
  }

  function keep(reason: Reason): Reason {
    reasons.push(reason);
    return reason;
  }

  // 4.6: a scope's derived roles are evaluated when it is first visited, and its variables at most once.
  const scopeEvaluations = new Map<Pass, Map<string, ScopeEvaluation>>();
  function evaluationOf(pass: Pass, scope: string): ScopeEvaluation {
    const ofPass = scopeEvaluations.get(pass) ?? new Map<string, ScopeEvaluation>();
    scopeEvaluations.set(pass, ofPass);
    const known = ofPass.get(scope);
    if (known !== undefined) return known;
    const policy = pass.policyAt(scope);
    const roles = input.principal.roles.flatMap((role) => withParents(set, role, requestedScope));
    const active = policy === undefined ? noDerivedRoles : activeDerivedRoles(policy, roles, evaluation);
    for (const name of active.names) derivedRoles.add(name);
    const scopeEvaluation = openScopeEvaluation(active, evaluation);
    ofPass.set(scope, scopeEvaluation);
    return scopeEvaluation;
  }

  const validationErrors = validate(
    resource.chain[0] === undefined ? undefined : resource.policyAt(resource.chain[0]),
    input,
    options,
    index,
  );
  const actions = decideActions(validationErrors);
  return {
    requestId: input.requestId ?? "",
    resourceId: input.resource.id,
    actions,
    effectiveDerivedRoles: [...derivedRoles].toSorted(),
    outputs,
    validationErrors,
    evaluationErrors: options.evaluationErrors ? sortErrors(errors) : [],
    effectivePolicies: options.effectivePolicies ? effectivePolicies(set, considered) : new Map(),
    reasons,
  };
}

/** The result of one role for one action; `none` if no rule had an effect. */
interface Answer {
  readonly effect: ActionDecision["effect"] | "none";
  readonly matchedPolicy: string;
  readonly matchedScope: string;
  /** No other role and no other type of policy is considered. */
  readonly final?: true;
}

const deny = (matchedPolicy: string, matchedScope: string) => ({ effect: "EFFECT_DENY", matchedPolicy, matchedScope }) as const;

const noMatch = deny("NO_MATCH", "");

/** 4.5: what is reported if policies exist but have no effect. */
const undecided = ({ exists, key }: Pass): Answer => ({ effect: "none", matchedPolicy: exists ? key : "NO_MATCH", matchedScope: "" });
