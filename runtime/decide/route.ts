/** The route of a request through policies: the scopes to visit, and what each reports if it decides. */
import type { BundledScope } from "../bundle.ts";
import { isLongText } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import { ALLOW, DENY, type RowEffect } from "./effect.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { roleCacheOf, type RoleCaches } from "./role-caches.ts";
import { keyOf, sanitiseName } from "./policy-name.ts";
import type { PolicyIndex } from "./policy-index.ts";
import type { Parents } from "./role-index.ts";
import type { RoleCache } from "./role-paths.ts";
import { scopeChain } from "./scopes.ts";
import type { RouteRecord } from "./route-record.ts";
import type { PricedUnit } from "./unit.ts";
import type { Visit, RolePath } from "./role-path.ts";

/** The route of a request through the policies of one type. */
export interface Route {
  /** Which policies apply to which role. */
  readonly roleCache: RoleCache;
  readonly program: PricedUnit | undefined;
  /**
   * The program, if no role of the requested scope has parents and none of its strings is long. Along plain paths
   * nothing else matters then.
   */
  readonly fastProgram: PricedUnit | undefined;
  /** The parent roles in the requested scope. */
  readonly parents: Parents | undefined;
  readonly unit: LoadedUnit | undefined;
  /** The decision if no rule decides. */
  readonly undecided: ActionDecision;
  /** The decisions that the first visit reports. Most routes have only one visit. */
  readonly allow: ActionDecision | undefined;
  readonly deny: ActionDecision | undefined;
  /** Nearest scope first; only scopes with a policy that may apply. */
  readonly visits: readonly Visit[];
  /** The policy in the first scope of the chain; its schemas apply. */
  readonly leaf: BundledScope | undefined;
  /** Data for recorded decisions, created on demand. */
  record: RouteRecord | undefined;
}

/** What a request asks about, with the version and scope in force. */
export interface Destination {
  /** As written. */
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly lenient: boolean;
}

/** The decision if no policy exists for the request. */
export const noMatch: ActionDecision = Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" });

const aimless: RolePath = { steps: [], isQuiet: true };

/** The route if no policy exists. */
export const nowhere: Route = {
  roleCache: { pathOf: () => aimless, recent: [], visits: [] },
  program: undefined,
  fastProgram: undefined,
  parents: undefined,
  unit: undefined,
  undecided: noMatch,
  allow: undefined,
  deny: undefined,
  visits: [],
  leaf: undefined,
  record: undefined,
};

/** Finds the route through resource and role policies; `unit` is that of the requested kind and version. */
export function openResourceRoute(index: PolicyIndex, roleCaches: RoleCaches, unit: LoadedUnit | undefined, to: Destination): Route {
  const chain = scopeChain(index.resource.scopes, to.scope, to.lenient);
  const [leaf] = chain;
  if (leaf === undefined) return nowhere;
  const report = reportBy(keyOf("resource", sanitiseName(to.name), to.version, leaf));
  const visits = chain.flatMap((scope) => openVisit(unit, scope, report, index.role.at(to.version, scope)));
  const exists = visits.some(({ policy, roles }) => policy !== undefined || roles?.speakOf(to.name) === true);
  if (!exists) return nowhere;
  const parents = index.role.parentsIn(to.scope);
  const program = unit?.program();
  return {
    roleCache: roleCacheOf(visits, parents, to.name, roleCaches),
    program,
    fastProgram: parents === undefined ? fastPathProgram(program) : undefined,
    parents,
    unit,
    undecided: report("EFFECT_DENY", ""),
    allow: visits[0]?.allow,
    deny: visits[0]?.deny,
    visits,
    leaf: unit?.policyIn(leaf)?.bundled,
    record: undefined,
  };
}

/** The decision if the policy of a visit has this effect; undefined for NONE. */
export function reportAt(route: Route, at: number, effect: RowEffect): ActionDecision | undefined {
  const reports = at === 0 ? route : route.visits[at];
  return effect === ALLOW ? reports?.allow : effect === DENY ? reports?.deny : undefined;
}

/** The program, if its strings are cheap to compare, so that `noteText` can be skipped. */
const fastPathProgram = (program: PricedUnit | undefined): PricedUnit | undefined =>
  program === undefined || isLongText(program.prices.longestText) ? undefined : program;

type Report = (effect: ActionDecision["effect"], matchedScope: string) => ActionDecision;

/** Returns a function that builds the decisions of a policy. */
export const reportBy =
  (matchedPolicy: string): Report =>
  (effect, matchedScope) =>
    Object.freeze({ effect, matchedPolicy, matchedScope });

/** Returns the visit of a scope; none if the scope has neither a policy of the unit nor role policies. */
export function openVisit(unit: LoadedUnit | undefined, scope: string, report: Report, roles: Visit["roles"]): readonly Visit[] {
  const policy = unit?.policyIn(scope);
  if (policy === undefined && roles === undefined) return [];
  return [{ scope, policy, part: policy?.content.part(), roles, allow: report("EFFECT_ALLOW", scope), deny: report("EFFECT_DENY", scope) }];
}
