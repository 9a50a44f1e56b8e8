/** What a random store is about: its scopes, what each may decide alone, and where there are policies for what. */
import type { Random } from "./random.ts";
import { kinds, limitedRoles, principalIds, scopes, versions } from "./vocabulary.ts";

/** A name and version, and the scopes that have a policy for it: with every scope its ancestors. */
export interface Place {
  readonly name: string;
  readonly version: string;
  readonly scopes: readonly string[];
}

export interface Plan {
  /** All that may have policies; the root is always among them. */
  readonly scopes: readonly string[];
  readonly resources: readonly Place[];
  readonly principals: readonly Place[];
  /** Role policies: their scopes need no ancestors. */
  readonly limits: readonly Place[];
  /** Role policies that stand where a resource policy has no ancestor, and forgive that (D37). */
  readonly stopgaps: readonly Place[];
  /** Whether a scope needs its parents' consent: one answer for all policies there (D35). */
  readonly needsConsent: (scope: string) => boolean;
}

/** Makes a plan: most stores have a few scopes, some have none but the root. */
export function makePlan(random: Random): Plan {
  const all = random.weigh<readonly string[]>([
    [3, () => [""]],
    [4, () => inherited([random.pick(scopes)])],
    [4, () => inherited(random.some(2, 4, scopes))],
  ]);
  const consenting = new Set(all.filter((scope) => random.chance(scope === "" ? 0.06 : 0.4)));

  /** Of a name and version, policies at some of the scopes; the fewer there are, the fewer are left out. */
  const places = (least: number, most: number, names: readonly string[], present: number): readonly Place[] => {
    const found = random.several(least, most, () => ({ name: random.pick(names), version: random.pick(versions) }));
    const unique = [...new Map(found.map((place) => [sanitised(place.name) + place.version, place])).values()];
    return unique.map((place) => ({ ...place, scopes: inherited(all.filter(() => random.chance(present))) }));
  };
  const complete = places(1, 3, kinds, 0.6);
  const gap = random.chance(0.12) ? openGap(random, complete) : undefined;
  return {
    scopes: all,
    resources: gap === undefined ? complete : complete.map((place) => (place === gap.of ? gap.left : place)),
    stopgaps: gap === undefined ? [] : [gap.stopgap],
    principals: random.chance(0.55) ? places(1, 2, principalIds, 0.4) : [],
    limits: random.chance(0.55) ? places(1, 3, limitedRoles, 1).map((place) => ({ ...place, scopes: random.some(1, 2, all) })) : [],
    needsConsent: (scope) => consenting.has(scope),
  };
}

/** Takes a policy away that another one descends from. */
function openGap(
  random: Random,
  places: readonly Place[],
): { readonly of: Place; readonly left: Place; readonly stopgap: Place } | undefined {
  const found = places.flatMap((of) =>
    of.scopes.filter((scope) => of.scopes.some((other) => isAncestor(scope, other))).map((scope) => ({ of, scope })),
  );
  if (found.length === 0) return undefined;
  const { of, scope } = random.pick(found);
  const left = { ...of, scopes: of.scopes.filter((each) => each !== scope) };
  return { of, left, stopgap: { name: "stopgap", version: of.version, scopes: [scope] } };
}

const isAncestor = (scope: string, of: string): boolean => scope !== of && (scope === "" || of.startsWith(`${scope}.`));

/** The root and the scopes with all their ancestors. */
const inherited = (of: readonly string[]): readonly string[] => [
  "",
  ...[...new Set(scopes)].filter((scope) => of.some((each) => `${each}.`.startsWith(`${scope}.`))),
];

// Two policies whose names differ only in what sanitising takes away do not compile.
const sanitised = (name: string): string => name.replace("-", "_");
