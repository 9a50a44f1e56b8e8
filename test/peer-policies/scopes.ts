/** Trees of scopes, and what each scope may decide by itself. */
import type { Random } from "../agree/random.ts";
import type { Permissions } from "./store.ts";

/** The scope, then its ancestors; without the root. */
export const lineage = (scope: string): readonly string[] => {
  const parts = scope.split(".");
  return scope === "" ? [] : parts.map((_, index) => parts.slice(0, parts.length - index).join("."));
};

/** The scopes and their ancestors, without the root, each once. */
export const inheriting = (scopes: readonly string[]): readonly string[] => [...new Set(scopes.flatMap(lineage))].toSorted();

/**
 * What every policy of a scope says: all the same, or else one of the two does not compile. 0.51 counts role policies, and
 * at the root exports and derived roles, as saying nothing; it does not know that nothing means OVERRIDE_PARENT.
 */
export function permissionsByScope(
  random: Random,
  scopes: readonly string[],
  exports: boolean,
  mixed: boolean,
): ReadonlyMap<string, Permissions> {
  const chosen = scopes.flatMap((scope): readonly (readonly [string, Permissions])[] => {
    if (scope === "" && exports) return [];
    if (random.chance(scope === "" ? 0.05 : 0.35)) return [[scope, "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"]];
    return mixed && random.chance(0.3) ? [[scope, "SCOPE_PERMISSIONS_OVERRIDE_PARENT"]] : [];
  });
  return new Map(chosen);
}
