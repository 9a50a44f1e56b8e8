/** Finds policies that lack a policy in a scope above theirs. */
import { reportMissingAncestors, scopesAbove } from "../../../compiler/link/scope-tree.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { documentKey, nameOf, policyKey } from "../../../compiler/policy/names.ts";

/** Returns the keys of the policies that must exist in the scopes above a policy. */
export function ancestorKeys(document: PolicyDocument): readonly string[] {
  if (document.kind !== "resource" && document.kind !== "principal") return [];
  const { kind, version, scope } = document;
  return scopesAbove(scope.value).map((above) => policyKey(kind, nameOf(document).value, version.value, above));
}

/** Returns the policies that lack one above them, by path, with the keys of the missing ones. */
export function missingAncestorsByPath(enabled: ReadonlyMap<string, PolicyDocument>): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map(Array.from(enabled.values(), (document) => [documentKey(document), document]));
  const missing = reportMissingAncestors(byKey, () => undefined);
  return new Map(
    [...enabled].flatMap(([path, document]) => {
      const lacks = document.isBroken ? [] : ancestorKeys(document).filter((key) => missing.has(key));
      return lacks.length === 0 ? [] : [[path, lacks] as const];
    }),
  );
}
