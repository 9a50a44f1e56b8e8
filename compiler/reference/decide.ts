/** The decision algorithm as semantics 4.5 tells it, read aloud over the policy set: slow, plain, and the judge of every faster one. */
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
import { isRow, scopePermissions, type DecidingPolicy, type PassedOver, type Row } from "./row.ts";
import { validate } from "./schemas.ts";
import { scopeOf, withoutDots } from "./scopes.ts";
import { openVisit, type Visit } from "./visit.ts";

/** A decision, and what each rule had to do with it, in the order in which rules were looked at. */
export type Explained = Decision & { readonly reasons: readonly Reason[] };

/** Decides one input; `index` is its place in its batch, which schemas are asked by. */
export function decide(set: PolicySet, input: CheckInput, options: CheckOptions, index = 0): Decision {
  const { reasons: _reasons, ...decision } = explain(set, input, options, index);
  return decision;
}

/** Decides one input and keeps the reasons. */
export function explain(set: PolicySet, asked: CheckInput, options: CheckOptions, index = 0): Explained {
  const reasons: Reason[] = [];
  const errors: EvaluationError[] = [];
  const outputs: Output[] = [];
  const derivedRoles = new Set<string>();
  const considered = new Set<DecidingPolicy>();
  const context = { now: timestampFromMilliseconds(options.now, options.nowOffset) };
  const input = withoutDots(asked);
  const evaluation: Evaluation = { input, options, context, onError: (error) => errors.push(error) };

  // 4.3 and 4.4: which policies are asked, and by which key they are reported.
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
    // 4.5: what principal policies decide is final; what they leave open is reported as resource policies have it.
    const byPrincipal = decideByRoles(principal, action);
    const { effect, matchedPolicy, matchedScope } = byPrincipal.effect === "none" ? decideByRoles(resource, action) : byPrincipal;
    // What nobody allowed is denied.
    return { effect: effect === "none" ? "EFFECT_DENY" : effect, matchedPolicy, matchedScope };
  }

  function decideByRoles(pass: Pass, action: string): Answer {
    // The first role that decides is kept, but an ALLOW of any role wins.
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
    // 4.5: "for scope in chain": the nearest scope that says something decides.
    let hasAllow = false;
    for (const scope of pass.chain) {
      const visit = visitScope(pass, scope);
      for (const candidate of pass.rows(scope, action, role)) {
        const reason = consider(visit, candidate, action, role);
        // 5.3: under strict evaluation an error ends the action, and is reported where it happened.
        if (reason.outcome === "failed") return { ...deny(reason.policy, scope), final: true };
        // A DENY leaves at once; an ALLOW keeps going, for a DENY may follow.
        if (reason.says === "deny") return deny(reason.type === "role" ? reason.policy : pass.key, scope);
        if (reason.says === "allow") hasAllow = true;
      }
      if (!hasAllow) continue;
      const permissions = scopePermissions(set, scope);
      if (permissions === "override parent") return { effect: "EFFECT_ALLOW", matchedPolicy: pass.key, matchedScope: scope };
      // The parent must say so itself. A scope without permissions leaves it as it is.
      if (permissions === "require parental consent") hasAllow = false;
    }
    return undecided(pass);
  }

  function consider(visit: Visit, candidate: Row | PassedOver, action: string, role: string): Reason {
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
    const { answer, outcome, errors: met, unmet, told } = visit.consider(candidate, action);
    if (told !== undefined) outputs.push(told);
    return keep({ ...about, outcome, says: answer, errors: met, ...(unmet && { unmet }) });
  }

  function keep(reason: Reason): Reason {
    reasons.push(reason);
    return reason;
  }

  // 4.6: a scope's derived roles are found out when it is first visited, and its variables are evaluated at most once.
  const visits = new Map<Pass, Map<string, Visit>>();
  function visitScope(pass: Pass, scope: string): Visit {
    const ofPass = visits.get(pass) ?? new Map<string, Visit>();
    visits.set(pass, ofPass);
    const known = ofPass.get(scope);
    if (known !== undefined) return known;
    const policy = pass.policyAt(scope);
    const roles = input.principal.roles.flatMap((role) => withParents(set, role, requestedScope));
    const active = policy === undefined ? noDerivedRoles : activeDerivedRoles(policy, roles, evaluation);
    for (const name of active.names) derivedRoles.add(name);
    const visit = openVisit(active, evaluation);
    ofPass.set(scope, visit);
    return visit;
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

/** What one role comes to for one action; `none` when no rule had a say. */
interface Answer {
  readonly effect: ActionDecision["effect"] | "none";
  readonly matchedPolicy: string;
  readonly matchedScope: string;
  /** No other role is asked, and no other type. */
  readonly final?: true;
}

const deny = (matchedPolicy: string, matchedScope: string) => ({ effect: "EFFECT_DENY", matchedPolicy, matchedScope }) as const;

const noMatch = deny("NO_MATCH", "");

/** 4.5: what is reported of policies that exist and do not say. */
const undecided = ({ exists, key }: Pass): Answer => ({ effect: "none", matchedPolicy: exists ? key : "NO_MATCH", matchedScope: "" });
