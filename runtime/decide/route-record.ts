/**
 * Data about a route that only recorded decisions need. Created on demand and kept together, because with many kinds
 * each route is used rarely.
 */
import { EffectivePolicies } from "./effective-policies.ts";
import type { Decision } from "./decision.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { type FallibleParts, findFallibleParts } from "./fallible-parts.ts";
import type { Visit } from "./role-path.ts";

/** The cached data of one route. */
export interface RouteRecord {
  /** What may fail in its unit; set when errors are first reported. */
  fallible: FallibleParts | undefined;
  /** The last two sets of visits whose policies took part (one bit each), and their policies. */
  bits: number;
  policies: Policies;
  bitsBefore: number;
  policiesBefore: Policies;
}

type Policies = Decision["effectivePolicies"];

/** The number of visits that fit into a bit set. */
export const maxVisits = 30;

/** Creates the data of a route. */
export const openRouteRecord = (): RouteRecord => ({
  fallible: undefined,
  bits: 0,
  policies: nobody,
  bitsBefore: 0,
  policiesBefore: nobody,
});

const nobody: Policies = new Map();

/** What may fail in the unit of a route. */
export const falliblePartsOn = (record: RouteRecord, unit: LoadedUnit): FallibleParts =>
  (record.fallible ??= findFallibleParts(unit.trees()));

/** The policies of some visits, with their ancestors. */
export const policiesOn = (record: RouteRecord, visits: readonly Visit[], bits: number): Policies =>
  record.bits === bits ? record.policies : record.bitsBefore === bits ? record.policiesBefore : collect(record, visits, bits);

function collect(record: RouteRecord, visits: readonly Visit[], bits: number): Policies {
  const effectivePolicies = new EffectivePolicies();
  for (const [at, { policy }] of visits.entries())
    if ((bits & (1 << at)) !== 0 && policy !== undefined) effectivePolicies.addWithAncestors(policy);
  record.bitsBefore = record.bits;
  record.policiesBefore = record.policies;
  record.bits = bits;
  return (record.policies = effectivePolicies.all());
}
