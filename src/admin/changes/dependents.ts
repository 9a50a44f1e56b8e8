/** Finds policies that depend on policies to be removed: those with a scope below, and those that import them. */
import { reportMissingAncestors, scopesAbove } from "../../../compiler/link/scope-tree.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { documentKey, nameOf, sanitise } from "../../../compiler/policy/names.ts";
import { byUnits } from "../../../runtime/order.ts";
import type { RemovalConflict } from "../../compile/commands.ts";

/** Returns why a policy cannot be removed if these policies are left; undefined when none of them needs it. */
export type FindDependent = (gone: PolicyDocument) => RemovalConflict | undefined;

/** Examines the policies that would be left. */
export function openDependents(left: readonly PolicyDocument[]): FindDependent {
  const enabled = left.filter(({ isDisabled }) => !isDisabled);
  const missing = reportMissingAncestors(new Map(enabled.map((document) => [documentKey(document), document])), () => undefined);
  const keys = (needs: (document: PolicyDocument) => boolean): readonly string[] => enabled.filter(needs).map(documentKey).sort(byUnits);
  const isThere = new Set(enabled.map(documentKey));
  return (gone) => {
    const key = documentKey(gone);
    if (isThere.has(key)) return undefined; // another file defines it too
    switch (gone.kind) {
      case "resource":
      case "principal": {
        const descendants = missing.has(key) ? keys((document) => isBelow(document, gone)) : [];
        return descendants.length === 0 ? undefined : { kind: "scope chain", descendants };
      }
      case "derivedRoles":
      case "exportVariables":
      case "exportConstants": {
        const name = sanitise(gone.name.value);
        const dependents = keys((document) => importsOf(document, gone.kind).some(({ value }) => sanitise(value) === name));
        return dependents.length === 0 ? undefined : { kind: "required", dependents };
      }
      case "role":
        return undefined;
    }
  };
}

function isBelow(document: PolicyDocument, above: PolicyDocument & { readonly kind: "resource" | "principal" }): boolean {
  return (
    document.kind === above.kind &&
    scopesAbove(document.scope.value).includes(above.scope.value) &&
    sanitise(nameOf(document).value) === sanitise(nameOf(above).value) &&
    sanitise(document.version.value) === sanitise(above.version.value)
  );
}

function importsOf(
  document: PolicyDocument,
  kind: "derivedRoles" | "exportVariables" | "exportConstants",
): readonly { readonly value: string }[] {
  switch (kind) {
    case "derivedRoles":
      return document.kind === "resource" ? document.importDerivedRoles : [];
    case "exportVariables":
      return "variables" in document ? document.variables.import : [];
    case "exportConstants":
      return "constants" in document ? document.constants.import : [];
  }
}
