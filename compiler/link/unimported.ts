/**
 * Type-checks sets of variables and derived roles that nobody imports. Any variable and constant is allowed in them
 * (D38), because the importing policy determines which exist.
 */
import type { DerivedRolesDocument, ExpressionNode, PolicyDocument } from "../policy/document.ts";
import { resolveImports } from "./imports.ts";
import { expressionsOf, type Linker } from "./linker.ts";
import { linkCached } from "./link-cached.ts";
import { importedBy } from "./sources.ts";

/** Checks the expressions of a set, and its imports if no importer does. */
export function checkUnimported(document: PolicyDocument, linked: ReadonlyMap<DerivedRolesDocument, unknown>, linker: Linker): void {
  const isLookedAt = document.kind !== "derivedRoles" || linked.has(document);
  if (isLookedAt && document.kind !== "exportVariables" && document.kind !== "derivedRoles") return;
  const from = isLookedAt ? [] : importedBy(document, linker);
  linkCached(linker.cache.unimported, document, from, linker, (own) => {
    for (const expression of ownExpressions(document)) own.check(expression);
    if (isLookedAt) return;
    resolveImports("exportVariables", document.variables.import, own);
    resolveImports("exportConstants", document.constants.import, own);
  });
}

function ownExpressions(document: PolicyDocument): readonly ExpressionNode[] {
  switch (document.kind) {
    case "resource":
    case "principal":
    case "role":
    case "exportConstants":
      return [];
    case "exportVariables":
      return document.definitions.map((variable) => variable.expression);
    case "derivedRoles":
      return [
        ...[...document.variables.local, ...document.variables.deprecated].map((variable) => variable.expression),
        ...document.definitions.flatMap((definition) => expressionsOf(definition.condition)),
      ];
  }
}
