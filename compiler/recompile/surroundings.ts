/** The policies that a change touches, and those around them: linked by themselves they mean what they mean in the whole set. */
import type { PolicyDocument, RolePolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import { dependenciesOf, placesAbove } from "./dependencies.ts";
import type { ChangedPlaces } from "./places.ts";
import type { Places } from "./whole.ts";

/** The keys of all that may mean something else now, whether there is still a policy of this key or not. */
export function affectedBy({ places, gone, come }: ChangedPlaces): ReadonlySet<string> {
  const all = new Set([...gone, ...come].map(documentKey));
  if (forgivesLess(gone, come)) for (const key of missingAbove(places)) all.add(key);
  for (const key of all) for (const dependent of places.dependents.get(key) ?? []) all.add(dependent);
  return all;
}

/** May a role policy no longer be about a kind it was about, so that a policy above others is missing there (D37)? */
function forgivesLess(gone: readonly PolicyDocument[], come: readonly PolicyDocument[]): boolean {
  const now = new Map(come.map((document) => [documentKey(document), document]));
  return gone.some((before) => before.kind === "role" && !isAboutAsMuch(before, now.get(documentKey(before))));
}

function isAboutAsMuch(before: RolePolicyDocument, now: PolicyDocument | undefined): boolean {
  if (now?.kind !== "role" || now.version.value !== before.version.value) return false;
  const kinds = new Set(now.rules.map(({ resource }) => resource.value));
  return before.rules.every(({ resource }) => kinds.has(resource.value));
}

/** The keys at which no policy is, though some policy is made from what is there: in a set without mistakes, a few at most. */
function missingAbove({ dependents, documents }: Places): readonly string[] {
  const missing: string[] = [];
  dependents.forEach((_, key) => {
    if (!documents.has(key)) missing.push(key);
  });
  return missing;
}

/** Returns the policies of these keys, all that they are made from, and the role policies that may make up for what is missing above them. */
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

/** Adds the keys of what policies are made from, and returns all of them that are there. */
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
