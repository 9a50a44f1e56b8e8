/** Finds the policies that a change affects and what these depend on. Linked by themselves, they mean the same as in the whole set. */
import type { PolicyDocument, RolePolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import { dependenciesOf, ancestorKeys } from "./dependencies.ts";
import type { UpdatedIndexes } from "./set-indexes.ts";
import type { SetIndexes } from "./compiled-set.ts";

/** Returns the keys of everything whose meaning may have changed, whether a policy with the key still exists or not. */
export function affectedBy({ indexes, removed, added }: UpdatedIndexes): ReadonlySet<string> {
  const all = new Set([...removed, ...added].map(documentKey));
  if (coversFewerKinds(removed, added)) for (const key of missingKeys(indexes)) all.add(key);
  for (const key of all) for (const dependent of indexes.dependents.get(key) ?? []) all.add(dependent);
  return all;
}

/** Returns whether a role policy may no longer cover a kind, so that an ancestor that it made up for is now missing (D37). */
function coversFewerKinds(removed: readonly PolicyDocument[], added: readonly PolicyDocument[]): boolean {
  const now = new Map(added.map((document) => [documentKey(document), document]));
  return removed.some((before) => before.kind === "role" && !coversAsManyKinds(before, now.get(documentKey(before))));
}

function coversAsManyKinds(before: RolePolicyDocument, now: PolicyDocument | undefined): boolean {
  if (now?.kind !== "role" || now.version.value !== before.version.value) return false;
  const kinds = new Set(now.rules.map(({ resource }) => resource.value));
  return before.rules.every(({ resource }) => kinds.has(resource.value));
}

/** Returns the keys that something depends on, but that no policy has. A set without errors has few of them. */
function missingKeys({ dependents, documents }: SetIndexes): readonly string[] {
  const missing: string[] = [];
  dependents.forEach((_, key) => {
    if (!documents.has(key)) missing.push(key);
  });
  return missing;
}

/** Returns the policies with these keys, all that they depend on, and the role policies that may make up for missing ancestors. */
export function withDependencies(keys: ReadonlySet<string>, indexes: SetIndexes): readonly PolicyDocument[] {
  const known = new Set(keys);
  const found = collectWithDependencies(known, indexes);
  const lacking = new Set(
    found.flatMap((document) => ancestorKeys(document).flatMap(([scope, key]) => (indexes.documents.has(key) ? [] : [scope]))),
  );
  if (lacking.size === 0) return found;
  const roles = new Set<string>();
  indexes.documents.forEach((document, key) => {
    if (document.kind === "role" && lacking.has(document.scope.value) && !known.has(key)) roles.add(key);
  });
  return [...found, ...collectWithDependencies(roles, indexes).filter((document) => !known.has(documentKey(document)))];
}

/** Adds the keys of everything that the policies depend on to `keys`, and returns those that exist. */
function collectWithDependencies(keys: Set<string>, { documents }: SetIndexes): readonly PolicyDocument[] {
  const found: PolicyDocument[] = [];
  for (const key of keys) {
    const document = documents.get(key);
    if (document === undefined) continue;
    found.push(document);
    for (const on of dependenciesOf(document)) keys.add(on);
  }
  return found;
}
