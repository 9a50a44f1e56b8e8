/** The decision algorithm (semantics 4.5), written once: what generated code cannot know, it asks; what it asks, units answer. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { ActionDecision, Decision, EvaluationError } from "./decision.ts";
import { ALLOW, DENY } from "./effect.ts";
import { evaluationErrors, sortErrors } from "./evaluation-errors.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import type { PolicyIndex, Route, Visit } from "./policy-index.ts";
import { Query } from "./query.ts";
import type { Case } from "./questions.ts";
import { findRoute, noMatch } from "./route.ts";
import { scopeUsed, versionUsed, withoutLeadingDot } from "./scopes.ts";
import { openStrictEvaluation, type StrictEvaluation } from "./strict.ts";

/** Decides every action of one input. */
export function decide(policies: PolicyIndex, asked: CheckInput, options: CheckOptions, context: EvaluationContext): Decision {
  const input = withPlainScopes(asked);
  const { resource } = input;
  const version = versionUsed(resource.policyVersion, options.defaultPolicyVersion);
  const scope = scopeUsed(asked.resource.scope, options.defaultScope);
  const route = findRoute(policies.resource, "resource", resource.kind, version, scope, options.lenientScopeSearch);
  // Policies of other types come first here: what one decides, the next is not asked.
  const passes = [openPass(route, input.principal.roles, input, options, context)];

  const actions = new Map<string, ActionDecision>();
  for (const action of input.actions) actions.set(action, decideAction(passes, action));
  return {
    requestId: input.requestId ?? "",
    resourceId: resource.id,
    actions,
    effectiveDerivedRoles: rolesOf(passes),
    outputs: [],
    evaluationErrors: options.evaluationErrors ? errorsOf(passes) : [],
  };
}

/** The policies of one type on the way of one input, and what was found out there. */
interface Pass {
  readonly route: Route;
  readonly roles: readonly string[];
  readonly query: Query;
  /** The active derived roles of each visit, found out when it is first made. */
  readonly activeRoles: (readonly string[] | undefined)[];
  readonly strict: StrictEvaluation | undefined;
  /** For the interpreter: made when it is asked. */
  readonly caseOf: (() => Case) | undefined;
}

function openPass(route: Route, roles: readonly string[], input: CheckInput, options: CheckOptions, context: EvaluationContext): Pass {
  const { unit, visits } = route;
  const activeRoles: (readonly string[] | undefined)[] = [];
  const { globals } = options;
  if (unit === undefined || !(options.strictEvaluation || options.evaluationErrors)) {
    return { route, roles, query: new Query(input, globals, context), activeRoles, strict: undefined, caseOf: undefined };
  }
  const caseOf = (): Case => ({
    trees: unit.trees(),
    input,
    globals,
    context,
    strict: options.strictEvaluation,
    activations: [],
    effectiveDerivedRoles: (policy) => {
      const found = activeRoles[visits.findIndex((visit) => visit.policy === policy)] ?? none;
      return strict?.rolesError(policy) ?? found;
    },
  });
  const strict = options.strictEvaluation ? openStrictEvaluation(caseOf()) : undefined;
  return { route, roles, query: new Query(input, globals, context, strict?.holds), activeRoles, strict, caseOf };
}

/** The first type of policy that decides an action decides it; else it is denied, as the last one asked reports. */
function decideAction(passes: readonly Pass[], action: string): ActionDecision {
  let result = noMatch;
  for (const pass of passes) {
    result = decideByRoles(pass, action);
    if (result !== pass.route.undecided) return result;
  }
  return result;
}

/** Across roles ALLOW beats DENY; where no role is allowed, the first that was decided is reported. */
function decideByRoles(pass: Pass, action: string): ActionDecision {
  const { undecided } = pass.route;
  let result = undecided;
  for (const role of pass.roles) {
    const current = decideForRole(pass, action, role);
    if (current.effect === "EFFECT_ALLOW") return current;
    if (result === undecided) result = current;
    if (pass.strict !== undefined) {
      const failed = failureOf(pass, pass.strict);
      if (failed !== undefined) return failed;
    }
  }
  return result;
}

/** Within one role and scope DENY beats ALLOW; across scopes the nearest that decides wins. */
function decideForRole(pass: Pass, action: string, role: string): ActionDecision {
  const { visits, undecided } = pass.route;
  for (let at = 0; at < visits.length; at++) {
    const visit = visits[at];
    if (visit === undefined) break;
    pass.query.effectiveDerivedRoles = pass.activeRoles[at] ??= activeRolesAt(pass, visit);
    const effect = visit.part.decide(pass.query, action, role);
    if (pass.strict?.failed() === true || effect === DENY) return visit.deny;
    if (effect === ALLOW) return visit.allow;
  }
  return undecided;
}

function activeRolesAt({ query, strict }: Pass, visit: Visit): readonly string[] {
  query.effectiveDerivedRoles = none;
  const find = (): readonly string[] => visit.part.derivedRoles(query);
  return strict === undefined ? find() : strict.whileFindingRoles(find);
}

const none: readonly string[] = Object.freeze([]);

/** A failed condition ends the action: the policy that holds the rule denies it, by its own key and scope. */
function failureOf({ route }: Pass, strict: StrictEvaluation): ActionDecision | undefined {
  const policy = strict.takeFailure();
  const failed = policy === undefined ? undefined : route.unit?.scopes[policy];
  return failed === undefined ? undefined : { effect: "EFFECT_DENY", matchedPolicy: failed.key, matchedScope: failed.scope };
}

/** The derived roles of every scope that was visited. */
function rolesOf(passes: readonly Pass[]): readonly string[] {
  let found = none;
  for (const { activeRoles } of passes) {
    for (const roles of activeRoles) {
      if (roles === undefined || roles.length === 0) continue;
      found = found.length === 0 ? roles : [...new Set([...found, ...roles])].sort();
    }
  }
  return found;
}

function errorsOf(passes: readonly Pass[]): readonly EvaluationError[] {
  const lists = passes.map(({ caseOf, query }) => (caseOf === undefined ? [] : evaluationErrors(caseOf(), query)));
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  const unique = new Map(lists.flat().map((error) => [JSON.stringify([error.expression, error.message]), error]));
  return sortErrors(unique.values());
}

/** Conditions see a scope without the leading dot that only says "ignore the default" (semantics 4.3). */
function withPlainScopes(input: CheckInput): CheckInput {
  const principal = input.principal.scope;
  const resource = input.resource.scope;
  if (principal?.startsWith(".") !== true && resource?.startsWith(".") !== true) return input;
  return {
    ...input,
    principal: principal === undefined ? input.principal : { ...input.principal, scope: withoutLeadingDot(principal) },
    resource: resource === undefined ? input.resource : { ...input.resource, scope: withoutLeadingDot(resource) },
  };
}
