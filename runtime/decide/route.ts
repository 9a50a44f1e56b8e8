/** The way of a request through policies: which scopes it visits, and what each would be reported as. */
import type { BundledScope } from "../bundle.ts";
import type { ActionDecision } from "./decision.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { keyOf, sanitiseName } from "./policy-name.ts";
import type { PolicyIndex } from "./policy-index.ts";
import type { Parents } from "./role-index.ts";
import type { RoleWays } from "./role-ways.ts";
import { scopeChain } from "./scopes.ts";
import { openKindWays, openWays, type Visit, type Way } from "./way.ts";

/** What a list of roles meets. */
export interface KnownWays extends RoleWays {
  readonly roles: readonly string[];
}

/** The way of a request through the policies of one type. */
export interface Route {
  readonly unit: LoadedUnit | undefined;
  /** Nearest scope first; only those where something may be said. */
  readonly visits: readonly Visit[];
  /** What is reported when no rule of it decides. */
  readonly undecided: ActionDecision;
  /** The policy at the first scope of the chain, whose schemas count. */
  readonly leaf: BundledScope | undefined;
  /** The roles that others narrow in the scope that is asked in. */
  readonly parents: Parents | undefined;
  /** What a role meets on it; in principal policies, what a kind does. */
  readonly wayOf: (name: string) => Way;
  /** The few roles that came last, and what they meet: mostly the same come again. */
  recent: readonly KnownWays[];
}

/** Where a request goes: what it is about, and the version and scope that it asks in. */
export interface Destination {
  /** As it is written. */
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly lenient: boolean;
}

/** The report of a request that no policy speaks of. */
export const noMatch: ActionDecision = Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" });

const aimless: Way = { steps: [], isPlain: true };

/** Where no policy is. */
export const nowhere: Route = {
  unit: undefined,
  visits: [],
  undecided: noMatch,
  leaf: undefined,
  parents: undefined,
  wayOf: () => aimless,
  recent: [],
};

/** Finds the way through resource and role policies; `unit` is of the kind that is asked about. */
export function openResourceRoute(index: PolicyIndex, unit: LoadedUnit | undefined, to: Destination): Route {
  const chain = scopeChain(index.resource.scopes, to.scope, to.lenient);
  const [leaf] = chain;
  if (leaf === undefined) return nowhere;
  const report = reportBy(keyOf("resource", sanitiseName(to.name), to.version, leaf));
  const visits = chain.flatMap((scope) => openVisit(unit, scope, report, index.role.at(to.version, scope)));
  const exists = visits.some(({ policy, roles }) => policy !== undefined || roles?.speakOf(to.name) === true);
  if (!exists) return nowhere;
  const parents = index.role.parentsIn(to.scope);
  return {
    unit,
    visits,
    undecided: report("EFFECT_DENY", ""),
    leaf: unit?.policyIn(leaf)?.says,
    parents,
    wayOf: openWays(visits, parents, to.name),
    recent: [],
  };
}

/** Finds the way through the policies of a principal. */
export function openPrincipalRoute(index: PolicyIndex, unit: LoadedUnit, to: Destination): Route {
  const chain = scopeChain(index.principal.scopes, to.scope, to.lenient);
  const report = reportBy(keyOf("principal", unit.name, unit.version, chain[0] ?? ""));
  const visits = chain.flatMap((scope) => openVisit(unit, scope, report, undefined));
  return visits.length === 0 ? nowhere : { ...nowhere, unit, visits, undecided: report("EFFECT_DENY", ""), wayOf: openKindWays(visits) };
}

type Report = (effect: ActionDecision["effect"], matchedScope: string) => ActionDecision;

const reportBy =
  (matchedPolicy: string): Report =>
  (effect, matchedScope) =>
    Object.freeze({ effect, matchedPolicy, matchedScope });

function openVisit(unit: LoadedUnit | undefined, scope: string, report: Report, roles: Visit["roles"]): readonly Visit[] {
  const policy = unit?.policyIn(scope);
  if (policy === undefined && roles === undefined) return [];
  return [{ scope, policy, part: policy?.part(), roles, allow: report("EFFECT_ALLOW", scope), deny: report("EFFECT_DENY", scope) }];
}
