/** Policies that must stand above others in the tree of scopes, and the policies that lack one. */
import { reportMissingAncestors, scopesAbove } from "../../../compiler/link/scope-tree.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { documentKey, nameOf, policyKey } from "../../../compiler/policy/names.ts";

/** Lists the keys of the policies that must stand above one. */
export function keysAbove(document: PolicyDocument): readonly string[] {
  if (document.kind !== "resource" && document.kind !== "principal") return [];
  const { kind, version, scope } = document;
  return scopesAbove(scope.value).map((above) => policyKey(kind, nameOf(document).value, version.value, above));
}

/** Lists the policies that lack one above them, by path, with the keys of what they lack. */
export function lackingAncestors(enabled: ReadonlyMap<string, PolicyDocument>): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map(Array.from(enabled.values(), (document) => [documentKey(document), document]));
  const missing = reportMissingAncestors(byKey, () => undefined);
  return new Map(
    [...enabled].flatMap(([path, document]) => {
      const lacks = document.isBroken ? [] : keysAbove(document).filter((key) => missing.has(key));
      return lacks.length === 0 ? [] : [[path, lacks] as const];
    }),
  );
}
