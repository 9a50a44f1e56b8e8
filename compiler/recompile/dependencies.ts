/** What a policy is made from besides its own file, as keys: whether anything with such a key is there or not. */
import { scopesAbove } from "../link/scope-tree.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { importsOf } from "../policy/imported-names.ts";
import { policyKey, setKey } from "../policy/names.ts";

/** Lists the keys of the sets that a policy imports, and of the policies above it, each once. */
export const dependenciesOf = (document: PolicyDocument): ReadonlySet<string> =>
  new Set([...importedKeys(document), ...placesAbove(document).map(([, key]) => key)]);

/** The sets that it imports. */
function importedKeys(document: PolicyDocument): readonly string[] {
  const { derivedRoles, variables, constants } = importsOf(document);
  return [
    ...derivedRoles.map((name) => setKey("derived_roles", name)),
    ...variables.map((name) => setKey("export_variables", name)),
    ...constants.map((name) => setKey("export_constants", name)),
  ];
}

/** The places above a policy where one must be, or where its schemas come from: scope and key of each. */
export function placesAbove(document: PolicyDocument): readonly (readonly [scope: string, key: string])[] {
  if (document.kind !== "resource" && document.kind !== "principal") return [];
  const { kind, scope, version } = document;
  if (scope.value === "") return [];
  const name = kind === "resource" ? document.resource.value : document.principal.value;
  // A very deep scope is not listed up to the root, whose schemas count all the same.
  return [...scopesAbove(scope.value), ""].map((above) => [above, policyKey(kind, name, version.value, above)]);
}
