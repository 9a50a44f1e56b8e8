/**
 * Generates requests for one policy of a unit: attributes that its conditions read are present, missing, or of
 * another type.
 */
import type { JsonObject, Value } from "../../cel/value.ts";
import type { CheckInput } from "../../decide/input.ts";
import type { Policy } from "../../decide/loaded-unit.ts";
import { either } from "../../decide/patterns.ts";
import type { Matched } from "../../decide/unit.ts";
import type { Place, Reads, Scalar } from "./reads.ts";

/** A request, with what the decision algorithm would pass along. */
export interface TrialRequest {
  readonly input: CheckInput;
  readonly globals: JsonObject;
  readonly matched: Matched;
}

/** Numbers from 0 (inclusive) to 1 (exclusive), determined by the seed. */
export type Random = () => number;

/** Returns a pseudo-random generator (mulberry32). */
export function openRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Generates a request that matches some of the policy's patterns, or none. */
export function makeInput({ unit, bundled, content }: Policy, reads: Reads, random: Random): TrialRequest {
  const chance = (share: number): boolean => random() < share;
  const names = bundled.patterns.filter(() => chance(0.6)).map((pattern) => pattern.replaceAll("*", "x"));
  const someone = unit.type === "principal" ? unit.writtenName : pick(people, random);
  const isPlain = chance(0.5);
  const attributes = (place: Place): JsonObject => fieldsAt(place, { random, someone, isPlain });
  if (names.length === 0 || chance(0.3)) names.push("stranger");
  const scope = chance(0.5) ? { scope: bundled.scope } : {};
  const input: CheckInput = {
    requestId: "trial",
    principal: {
      id: someone,
      roles: unit.type === "resource" ? [...new Set(names)] : [unit.type === "role" ? unit.writtenName : "stranger"],
      ...(chance(0.9) && { attr: attributes(reads.principal) }),
      ...(unit.type === "principal" && { policyVersion: unit.version }),
      ...scope,
    },
    resource: {
      kind: unit.type === "resource" ? unit.writtenName : (names[0] ?? "stranger"),
      id: pick(people, random),
      ...(chance(0.9) && { attr: attributes(reads.resource) }),
      policyVersion: unit.version,
      scope: bundled.scope,
    },
    actions: actionsOf(bundled),
    ...(chance(0.7) && { auxData: { jwt: attributes(reads.claims) } }),
  };
  const matched = (unit.type === "resource" ? names : [input.resource.kind]).map(content.patterns.matching).reduce(either);
  return { input, globals: attributes(reads.globals), matched };
}

const maxActions = 12;

/** Actions that match the rows, spread over them, and one that no row names. */
export function actionsOf({ rows }: Policy["bundled"]): readonly string[] {
  const named = new Set<string>();
  for (const { actions } of rows)
    for (const match of actions)
      if (match.kind !== "any") named.add(match.kind === "exact" ? match.value : match.pattern.replaceAll("*", "x"));
  named.delete("");
  const all = [...named];
  const every = Math.max(1, Math.ceil(all.length / maxActions));
  return [...new Set([...all.filter((_name, at) => at % every === 0), unknownAction])];
}

/** An action that no policy names, unless by `*` or by coincidence. */
const unknownAction = "trial/unheard-of";

const people: readonly string[] = ["ann", "bob"];

/** Values if nothing is known about comparisons; few, so that equal ones are likely. */
const anything: readonly Scalar[] = ["bob", true, 1];

/** Parameters of generation. If nothing else is known, the principal's own id is likely. */
interface Making {
  readonly random: Random;
  readonly someone: string;
  /** Whether everything is present, and of a type that it is compared with. */
  readonly isPlain: boolean;
}
const otherTypes: readonly Value[] = [null, true, false, 0, -1.5, 2 ** 53, "", "text", [], ["ann"], {}, { name: "ann" }];

function fieldsAt(place: Place, making: Making): JsonObject {
  const entries = [...place.fields].flatMap(([name, of]): readonly (readonly [string, Value])[] =>
    !making.isPlain && making.random() < 0.2 ? [] : [[name, valueAt(of, making)]],
  );
  // Names come from the policy: Object.fromEntries makes each an own property.
  return Object.fromEntries(entries);
}

function valueAt(place: Place, making: Making): Value {
  const { random, someone, isPlain } = making;
  const near: readonly Scalar[] =
    place.near.size === 0 ? [someone, someone, someone, ...anything] : [...place.near, ...(place.isNearPrincipal ? [someone] : [])];
  const share = isPlain ? 0.5 : random();
  if (share < 0.16) return pick(otherTypes, random);
  if (place.fields.size > 0 && share < 0.85) return fieldsAt(place, making);
  if (place.elements !== undefined && share < 0.85) {
    const elements = place.elements;
    return Array.from({ length: Math.floor(random() * 4) }, () => valueAt(elements, making));
  }
  if (share < 0.26) return near.filter(() => random() < 0.4);
  return pick(near, random);
}

function pick<T>(of: readonly T[], random: Random): T {
  const found = of[Math.floor(random() * of.length)];
  if (found === undefined) throw new Error("internal contradiction: nothing to pick from");
  return found;
}
