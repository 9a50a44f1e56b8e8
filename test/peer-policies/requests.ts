/** Random requests to a store: the principals, kinds, scopes and versions that it has, and some that it has not. */
import type { Random } from "../agree/random.ts";
import type { Quirk } from "./quirks.ts";
import { lineage } from "./scopes.ts";
import type { Attributes, Entry, Principal, Request, Resource, Store } from "./store.ts";
import {
  actions,
  kinds,
  otherKinds,
  otherPrincipals,
  patternActions,
  principals,
  principalValues,
  resourceValues,
  roles,
  unsureValues,
} from "./vocabulary.ts";

/** Requests to one store. */
export const requestsTo = (random: Random, store: Store, quirk: Quirk | undefined, many: number): readonly Request[] =>
  Array.from({ length: many }, (_, index) => makeRequest(random, store, quirk, `r${index}`));

function makeRequest(random: Random, store: Store, quirk: Quirk | undefined, requestId: string): Request {
  const scopes = [...new Set(store.files.flatMap(({ policy }) => scopesOf(policy)))];
  const known = [...new Set(store.files.flatMap(({ policy }) => policy.resourcePolicy?.resource ?? []))];
  // A principal policy is chosen by the version of the resource in 0.51 (D33): the two are the same but in some stores.
  const version = random.chance(0.85) ? undefined : random.pick(["v2", "v2", "v2", "default", "v3"]);
  const other = quirk === "principal versions" && random.chance(0.6) ? random.pick([undefined, "v2", "default"]) : version;
  const principal = makePrincipal(random, scopes, other);
  const held = random.chance(0.5) ? principal.scope : undefined;
  const entries = random.several(8, 16, (index): Entry => ({
    resource: makeResource(random, index, known, held === undefined || random.chance(0.3) ? pickScope(random, scopes) : held, version),
    actions: random.some(3, 8, quirk === "actions like patterns" ? [...actions, ...patternActions] : actions),
  }));
  // Now and then the same is asked twice.
  return { requestId, includeMeta: true, principal, resources: random.chance(0.2) ? [...entries, random.pick(entries)] : entries };
}

/** Now and then somebody sends none. */
const sent = (random: Random, attr: Attributes): { readonly attr?: Attributes } =>
  random.weigh<{ readonly attr?: Attributes }>([
    [30, () => ({ attr })],
    [1, () => ({ attr: {} })],
    [2, () => ({})],
  ]);

const scopesOf = ({ resourcePolicy, principalPolicy, rolePolicy }: Store["files"][number]["policy"]): readonly string[] =>
  [resourcePolicy, principalPolicy, rolePolicy].flatMap((each) => (each?.scope === undefined ? [] : lineage(each.scope)));

const pickScope = (random: Random, scopes: readonly string[]): string | undefined =>
  random.weigh<string | undefined>([
    [3, () => undefined],
    [scopes.length > 0 ? 7 : 0, () => random.pick(scopes)],
    [0.5, () => "."],
    [scopes.length > 0 ? 0.6 : 0, () => `.${random.pick(scopes)}`],
    [0.7, () => (scopes.length > 0 ? `${random.pick(scopes)}.deeper` : "nowhere")],
    [0.1, () => "nowhere"],
  ]);

function makePrincipal(random: Random, scopes: readonly string[], policyVersion: string | undefined): Principal {
  const scope = pickScope(random, scopes);
  return {
    id: random.pick([...principals, ...principals, ...otherPrincipals]),
    roles: random.some(1, 3, random.chance(0.05) ? [...roles, "*", "team_*", "my_role"] : roles),
    ...(policyVersion !== undefined && { policyVersion }),
    ...(scope !== undefined && { scope }),
    ...sent(random, valuesOf(random, principalValues)),
  };
}

function makeResource(
  random: Random,
  index: number,
  known: readonly string[],
  scope: string | undefined,
  policyVersion: string | undefined,
): Resource {
  const kind = random.weigh([
    [8, () => random.pick(known.length > 0 ? known : kinds)],
    [0.6, () => random.pick(otherKinds)],
    [0.15, () => random.pick(kinds)],
  ]);
  return {
    kind,
    id: `x${index}`,
    ...(policyVersion !== undefined && { policyVersion }),
    ...(scope !== undefined && { scope }),
    ...sent(random, { ...valuesOf(random, resourceValues), ...(random.chance(0.3) && { unsure: random.pick(unsureValues) }) }),
  };
}

const valuesOf = (random: Random, values: { readonly [name: string]: readonly Attributes[string][] }): Attributes =>
  Object.fromEntries(Object.entries(values).map(([name, from]) => [name, random.pick(from)]));
