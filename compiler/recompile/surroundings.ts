/** Finds the policies that a change affects and what these depend on. Linked by themselves, they mean the same as in the whole set. */
import type { PolicyDocument, RolePolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import { dependenciesOf, placesAbove } from "./dependencies.ts";
import type { ChangedPlaces } from "./places.ts";
import type { Places } from "./whole.ts";

/** Returns the keys of everything whose meaning may have changed, whether a policy with the key still exists or not. */
export function affectedBy({ places, gone, come }: ChangedPlaces): ReadonlySet<string> {
  const all = new Set([...gone, ...come].map(documentKey));
  if (forgivesLess(gone, come)) for (const key of missingAbove(places)) all.add(key);
  for (const key of all) for (const dependent of places.dependents.get(key) ?? []) all.add(dependent);
  return all;
}

/** Returns whether a role policy may no longer cover a kind, so that an ancestor that it made up for is now missing (D37). */
function forgivesLess(gone: readonly PolicyDocument[], come: readonly PolicyDocument[]): boolean {
  const now = new Map(come.map((document) => [documentKey(document), document]));
  return gone.some((before) => before.kind === "role" && !isAboutAsMuch(before, now.get(documentKey(before))));
}

function isAboutAsMuch(before: RolePolicyDocument, now: PolicyDocument | undefined): boolean {
  if (now?.kind !== "role" || now.version.value !== before.version.value) return false;
  const kinds = new Set(now.rules.map(({ resource }) => resource.value));
  return before.rules.every(({ resource }) => kinds.has(resource.value));
}

/** Returns the keys that something depends on, but that no policy has. A set without errors has few of them. */
function missingAbove({ dependents, documents }: Places): readonly string[] {
  const missing: string[] = [];
  dependents.forEach((_, key) => {
    if (!documents.has(key)) missing.push(key);
  });
  return missing;
}

/** Returns the policies with these keys, all that they depend on, and the role policies that may make up for missing ancestors. */
export function surroundingsOf(keys: ReadonlySet<string>, places: Places): readonly PolicyDocument[] {
  const known = new Set(keys);
  const found = withOrigins(known, places);
  const lacking = new Set(
    found.flatMap((document) => placesAbove(document).flatMap(([scope, key]) => (places.documents.has(key) ? [] : [scope]))),
  );
  if (lacking.size === 0) return found;
  const roles = new Set<string>();
  places.documents.forEach((document, key) => {
    if (document.kind === "role" && lacking.has(document.scope.value) && !known.has(key)) roles.add(key);
  });
  return [...found, ...withOrigins(roles, places).filter((document) => !known.has(documentKey(document)))];
}

/** Adds the keys of everything that the policies depend on to `keys`, and returns those that exist. */
function withOrigins(keys: Set<string>, { documents }: Places): readonly PolicyDocument[] {
  const found: PolicyDocument[] = [];
  for (const key of keys) {
    const document = documents.get(key);
    if (document === undefined) continue;
    found.push(document);
    for (const on of dependenciesOf(document)) keys.add(on);
  }
  return found;
}
