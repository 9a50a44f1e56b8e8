/** Lists what a policy depends on besides its own file, as keys, whether anything with such a key exists or not. */
import { scopesAbove } from "../link/scope-tree.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { importsOf } from "../policy/imported-names.ts";
import { policyKey, setKey } from "../policy/names.ts";

/** Lists the keys of the sets that a policy imports, and of the policies above it, each once. */
export const dependenciesOf = (document: PolicyDocument): ReadonlySet<string> =>
  new Set([...importedKeys(document), ...ancestorKeys(document).map(([, key]) => key)]);

/** Returns the keys of the sets that a policy imports. */
function importedKeys(document: PolicyDocument): readonly string[] {
  const { derivedRoles, variables, constants } = importsOf(document);
  return [
    ...derivedRoles.map((name) => setKey("derived_roles", name)),
    ...variables.map((name) => setKey("export_variables", name)),
    ...constants.map((name) => setKey("export_constants", name)),
  ];
}

/** Returns scope and key of each ancestor that a policy must have, or whose schemas are in effect. */
export function ancestorKeys(document: PolicyDocument): readonly (readonly [scope: string, key: string])[] {
  if (document.kind !== "resource" && document.kind !== "principal") return [];
  const { kind, scope, version } = document;
  if (scope.value === "") return [];
  const name = kind === "resource" ? document.resource.value : document.principal.value;
  // `scopesAbove` may stop before the root for very deep scopes, but the root's schemas are in effect all the same.
  return [...scopesAbove(scope.value), ""].map((above) => [above, policyKey(kind, name, version.value, above)]);
}
