/** The way of a request through policies: which scopes it visits, and what each would be reported as. */
import type { BundledScope } from "../bundle.ts";
import { isLongText } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import { ALLOW, DENY, type RowEffect } from "./effect.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { meetingOn, type Meetings } from "./meetings.ts";
import { keyOf, sanitiseName } from "./policy-name.ts";
import type { PolicyIndex } from "./policy-index.ts";
import type { Parents } from "./role-index.ts";
import type { Meeting } from "./role-ways.ts";
import { scopeChain } from "./scopes.ts";
import type { RouteRecord } from "./route-record.ts";
import type { PricedUnit } from "./unit.ts";
import type { Visit, Way } from "./way.ts";

/** The way of a request through the policies of one type. */
export interface Route {
  /** What roles meet on it. */
  readonly meeting: Meeting;
  readonly program: PricedUnit | undefined;
  /** The same, where no role that is asked in narrows others, and no text of it is long: along plain ways nothing else counts then. */
  readonly straight: PricedUnit | undefined;
  /** The roles that others narrow in the scope that is asked in. */
  readonly parents: Parents | undefined;
  readonly unit: LoadedUnit | undefined;
  /** What is reported when no rule of it decides. */
  readonly undecided: ActionDecision;
  /** What the first visit reports: most routes have one, and need not be followed further. */
  readonly allow: ActionDecision | undefined;
  readonly deny: ActionDecision | undefined;
  /** Nearest scope first; only those where something may be said. */
  readonly visits: readonly Visit[];
  /** The policy at the first scope of the chain, whose schemas count. */
  readonly leaf: BundledScope | undefined;
  /** What deciding for the record needs besides, once it was asked for. */
  record: RouteRecord | undefined;
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

const aimless: Way = { steps: [], isQuiet: true };

/** Where no policy is. */
export const nowhere: Route = {
  meeting: { wayOf: () => aimless, recent: [], visits: [] },
  program: undefined,
  straight: undefined,
  parents: undefined,
  unit: undefined,
  undecided: noMatch,
  allow: undefined,
  deny: undefined,
  visits: [],
  leaf: undefined,
  record: undefined,
};

/** Finds the way through resource and role policies; `unit` is of the kind that is asked about. */
export function openResourceRoute(index: PolicyIndex, meetings: Meetings, unit: LoadedUnit | undefined, to: Destination): Route {
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
    meeting: meetingOn(visits, parents, to.name, meetings),
    program,
    straight: parents === undefined ? straightProgram(program) : undefined,
    parents,
    unit,
    undecided: report("EFFECT_DENY", ""),
    allow: visits[0]?.allow,
    deny: visits[0]?.deny,
    visits,
    leaf: unit?.policyIn(leaf)?.says,
    record: undefined,
  };
}

/** What is reported when the policy of a visit decides; nothing when it does not. */
export function reportAt(route: Route, at: number, effect: RowEffect): ActionDecision | undefined {
  const reports = at === 0 ? route : route.visits[at];
  return effect === ALLOW ? reports?.allow : effect === DENY ? reports?.deny : undefined;
}

/** A program without texts that are dear to compare: who goes straight notes none. */
const straightProgram = (program: PricedUnit | undefined): PricedUnit | undefined =>
  program === undefined || isLongText(program.prices.longestText) ? undefined : program;

type Report = (effect: ActionDecision["effect"], matchedScope: string) => ActionDecision;

/** Says of a policy what it decided. */
export const reportBy =
  (matchedPolicy: string): Report =>
  (effect, matchedScope) =>
    Object.freeze({ effect, matchedPolicy, matchedScope });

/** What one scope has to say: nothing, or a policy of the unit, or role policies. */
export function openVisit(unit: LoadedUnit | undefined, scope: string, report: Report, roles: Visit["roles"]): readonly Visit[] {
  const policy = unit?.policyIn(scope);
  if (policy === undefined && roles === undefined) return [];
  return [{ scope, policy, part: policy?.terms.part(), roles, allow: report("EFFECT_ALLOW", scope), deny: report("EFFECT_DENY", scope) }];
}
