/** The decision algorithm (semantics 4.5). Written once by hand; it calls the generated functions of the units. */
import type { JsonObject } from "../cel/value.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { activeRolesOf } from "./active-roles.ts";
import { type Batch, rolesHeldOn, rolePathsIn } from "./batch.ts";
import { callerErrorCache } from "./caller-errors.ts";
import { EffectivePolicies } from "./effective-policies.ts";
import type { ActionDecision, Decision, SchemaCheck, ValidationError } from "./decision.ts";
import { errorsOf } from "./evaluation-errors.ts";
import type { DecisionState } from "./unit-evaluation.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "./input.ts";
import { decideByRoles, openPrincipalPass, openResourcePass, type Pass } from "./pass.ts";
import { decideQuietly } from "./fast-path-quiet.ts";
import { decideRecorded } from "./fast-path-recorded.ts";
import { nowhere, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { schemaChecksOf, validate } from "./schema-checks.ts";
import { hasLeadingDot, scopeUsed, versionUsed, withoutLeadingDot } from "./scopes.ts";

/** Decides all actions of one input; `index` is its position in the call. */
export function decide(batch: Batch, asked: CheckInput, index: number, options: CheckOptions): Decision {
  const { context, router } = batch;
  const { principal, resource } = asked;
  const route = resourceRoute(router, asked, options);
  const principalRoute = router.hasPrincipals ? principalRouteIn(batch, asked, options) : nowhere;

  const validationErrors = options.schemas === undefined ? none : errorsInAttributes(route, asked, index, options.schemas);
  if (validationErrors.length > 0 && options.schemas?.enforcement === "reject") {
    const actions = new ActionDecisions(
      asked.actions,
      asked.actions.map(() => route.undecided),
    );
    return decisionOf(asked, actions, validationErrors);
  }

  const input = withPlainScopes(asked);
  const paths = rolePathsIn(batch, route, principal.roles);
  const held = rolesHeldOn(batch, route, principal.roles, paths);
  if (batch.isPlain && paths.isQuiet && principalRoute === nowhere && route.program !== undefined)
    return decisionOf(asked, decideQuietly(batch, input, route, route.program, paths, held), validationErrors);

  const callerErrorsOf = options.evaluationErrors ? (batch.callerErrorsOf ??= callerErrorCache()) : undefined;
  const recorded = principalRoute === nowhere ? decideRecorded(batch, input, route, paths, held, validationErrors) : undefined;
  if (recorded !== undefined) return recorded;

  const state: DecisionState = {
    input,
    options,
    context,
    heldRoles: held,
    // Errors also occur while derived roles are computed.
    listsRoles: options.effectiveDerivedRoles !== false || options.evaluationErrors || options.strictEvaluation,
    outputs: undefined,
    evaluations: options.evaluationErrors ? [] : undefined,
    callerErrorsOf,
    effectivePolicies: options.effectivePolicies ? new EffectivePolicies() : undefined,
    failure: undefined,
    seen: undefined,
  };
  const principals =
    principalRoute === nowhere || principal.roles.length === 0 ? undefined : openPrincipalPass(state, principalRoute, resource.kind);
  const resources = openResourcePass(state, route, paths);
  return {
    requestId: asked.requestId ?? "",
    resourceId: resource.id,
    actions: decideActions(state, principals, resources),
    effectiveDerivedRoles: activeRolesOf(resources.activeRoles),
    outputs: state.outputs ?? none,
    validationErrors,
    evaluationErrors: state.evaluations === undefined ? none : errorsOf(state.evaluations),
    effectivePolicies: state.effectivePolicies?.all() ?? noPolicies,
  };
}

/** Returns the schemas that the attributes of one input must satisfy. */
export const schemaChecksFor = (router: Router, input: CheckInput, index: number, options: CheckOptions): readonly SchemaCheck[] =>
  schemaChecksOf(resourceRoute(router, input, options).leaf?.schemas, input, index);

function errorsInAttributes({ leaf }: Route, input: CheckInput, index: number, enforcement: SchemaEnforcement): readonly ValidationError[] {
  const checks = schemaChecksOf(leaf?.schemas, input, index);
  return checks.length === 0 ? none : validate(checks, input, enforcement);
}

function decideActions(state: DecisionState, principals: Pass | undefined, resources: Pass): ActionDecisions {
  const { actions } = state.input;
  return new ActionDecisions(
    actions,
    actions.map((action) => decideAction(state, principals, resources, action)),
  );
}

/**
 * If principal policies decide, resource policies are not evaluated. If neither decides, the result is the denial
 * that resource policies report.
 */
function decideAction(state: DecisionState, principals: Pass | undefined, resources: Pass, action: string): ActionDecision {
  state.failure = undefined;
  if (principals !== undefined) {
    const decided = decideByRoles(principals, action);
    if (decided !== principals.route.undecided) return decided;
  }
  return decideByRoles(resources, action);
}

/** The route of an input through resource and role policies. */
export const resourceRoute = (router: Router, { resource }: CheckInput, options: CheckOptions): Route =>
  router.resource(
    resource.kind,
    versionUsed(resource.policyVersion, options.defaultPolicyVersion),
    scopeUsed(resource.scope, options.defaultScope),
    options.lenientScopeSearch,
  );

function principalRouteIn(batch: Batch, asked: CheckInput, options: CheckOptions): Route {
  if (batch.principal === asked.principal) return batch.principalRoute;
  batch.principal = asked.principal;
  return (batch.principalRoute = findPrincipalRoute(batch.router, asked, options));
}

// The principal's own version and scope select its policies (D33).
const findPrincipalRoute = (router: Router, { principal }: CheckInput, options: CheckOptions): Route =>
  router.hasPolicy(principal.id)
    ? router.principal(
        principal.id,
        versionUsed(principal.policyVersion, options.defaultPolicyVersion),
        scopeUsed(principal.scope, options.defaultScope),
        options.lenientScopeSearch,
      )
    : nowhere;

const none: readonly never[] = Object.freeze([]);
const noPolicies: ReadonlyMap<string, JsonObject> = new Map();

/** A decision without outputs, derived roles, errors or policies. */
export const decisionOf = (
  { requestId = "", resource }: CheckInput,
  actions: ActionDecisions,
  validationErrors: Decision["validationErrors"],
): Decision => ({
  requestId,
  resourceId: resource.id,
  actions,
  effectiveDerivedRoles: none,
  outputs: none,
  validationErrors,
  evaluationErrors: none,
  effectivePolicies: noPolicies,
});

/** Conditions see scopes without the leading dot, which only means "ignore the default scope" (semantics 4.3). */
function withPlainScopes(input: CheckInput): CheckInput {
  const principal = input.principal.scope;
  const resource = input.resource.scope;
  if (!hasLeadingDot(principal) && !hasLeadingDot(resource)) return input;
  return {
    ...input,
    principal: principal === undefined ? input.principal : { ...input.principal, scope: withoutLeadingDot(principal) },
    resource: resource === undefined ? input.resource : { ...input.resource, scope: withoutLeadingDot(resource) },
  };
}
