/** What deciding for the record needs of a route besides: found out when it is first asked for, and kept together, because of many kinds each is asked for seldom. */
import { Considered } from "./considered.ts";
import type { Decision } from "./decision.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { type Risky, riskyIn } from "./risky.ts";
import type { Visit } from "./way.ts";

/** What is kept of a route. */
export interface RouteRecord {
  /** What may fail in its unit, once somebody wants errors named. */
  risky: Risky | undefined;
  /** The visits whose policies had a say last, one bit each, and these policies; and those before them. */
  bits: number;
  policies: Policies;
  bitsBefore: number;
  policiesBefore: Policies;
}

type Policies = Decision["effectivePolicies"];

/** As many visits as a word has bits for. */
export const mostVisits = 30;

/** Opens it for a route of a unit. */
export const openRouteRecord = (): RouteRecord => ({
  risky: undefined,
  bits: 0,
  policies: nobody,
  bitsBefore: 0,
  policiesBefore: nobody,
});

const nobody: Policies = new Map();

/** What may fail in the unit of a route. */
export const riskyOn = (record: RouteRecord, unit: LoadedUnit): Risky => (record.risky ??= riskyIn(unit.trees()));

/** The policies of some visits, with their ancestors. */
export const policiesOn = (record: RouteRecord, visits: readonly Visit[], bits: number): Policies =>
  record.bits === bits ? record.policies : record.bitsBefore === bits ? record.policiesBefore : collect(record, visits, bits);

function collect(record: RouteRecord, visits: readonly Visit[], bits: number): Policies {
  const considered = new Considered();
  for (const [at, { policy }] of visits.entries())
    if ((bits & (1 << at)) !== 0 && policy !== undefined) considered.addWithAncestors(policy);
  record.bitsBefore = record.bits;
  record.policiesBefore = record.policies;
  record.bits = bits;
  return (record.policies = considered.all());
}
