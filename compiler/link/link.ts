/** Turns all documents of a store into one set: imports resolved, names bound, expressions typed. */
import type { Report } from "../diagnostic.ts";
import type { DerivedRolesDocument, ExpressionNode, PolicyDocument, ResourcePolicyDocument } from "../policy/document.ts";
import { automaticRuleName, resourcePolicyKey, sanitise } from "../policy/names.ts";
import { linkDerivedRoles, resolveDerivedRoles, swallow } from "./derived-roles.ts";
import { resolveImports } from "./imports.ts";
import { checkOnce, expressionsOf, linkCondition, once, type Linker } from "./linker.ts";
import type { DerivedRole, PolicySet, ResourcePolicy } from "./policy-set.ts";
import { uniqueDocuments } from "./unique.ts";
import { checkVocabulary, reportUndefined, useOf } from "./use.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Links documents, in whatever order they come: by path, the same ones give the same set and the same reports (D42). */
export function link(documents: readonly PolicyDocument[], reportAgain: Report): PolicySet {
  const report = once(reportAgain);
  const unique = uniqueDocuments(documents, report);
  const linker = openLinker(unique, report);

  const linkedSets = new Map<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>();
  const rolesOf = (set: DerivedRolesDocument): ReadonlyMap<string, DerivedRole> => {
    const roles = linkedSets.get(set) ?? linkDerivedRoles(set, linker);
    linkedSets.set(set, roles);
    return roles;
  };
  const resourcePolicies = unique
    .filter((document) => isKind(document, "resource"))
    .map((policy) => linkResourcePolicy(policy, rolesOf, linker));
  for (const document of unique) checkUnimported(document, linkedSets, linker);
  return { resourcePolicies };
}

/** Gathers what linking has at hand; each of the documents has a name of its own. */
export function openLinker(documents: readonly PolicyDocument[], report: Report): Linker {
  const named = <K extends PolicyDocument["kind"]>(kind: K) =>
    new Map(
      documents.flatMap((document) =>
        isKind(document, kind) && "name" in document ? [[sanitise(document.name.value), document] as const] : [],
      ),
    );
  return {
    report,
    derivedRoles: named("derivedRoles"),
    exportVariables: named("exportVariables"),
    exportConstants: named("exportConstants"),
    check: checkOnce(report),
  };
}

const isKind = <K extends PolicyDocument["kind"]>(document: PolicyDocument, kind: K): document is Extract<PolicyDocument, { kind: K }> =>
  document.kind === kind;

function linkResourcePolicy(
  policy: ResourcePolicyDocument,
  rolesOf: (set: DerivedRolesDocument) => ReadonlyMap<string, DerivedRole>,
  linker: Linker,
): ResourcePolicy {
  const imports = resolveImports(policy.importDerivedRoles, linker.derivedRoles, "derived roles", linker);
  // A set that no rule refers to is linked all the same: its mistakes are the importer's to know.
  for (const { document } of imports) rolesOf(document);
  const derivedRoles = resolveDerivedRoles(policy, imports, rolesOf, linker);

  const vocabulary = vocabularyOf(policy, linker);
  checkVocabulary(vocabulary, linker);
  const expressions = policy.rules.flatMap((rule) => expressionsOf(rule.condition));
  for (const expression of expressions) reportUndefined(expression, vocabulary, linker);

  return {
    name: sanitise(policy.resource.value),
    writtenName: policy.resource.value,
    version: sanitise(policy.version.value),
    scope: "",
    key: resourcePolicyKey(policy.resource.value, policy.version.value, ""),
    span: policy.span,
    ...useOf(expressions, vocabulary, linker),
    derivedRoles,
    rules: policy.rules.map((rule, index) => {
      const condition = rule.condition && linkCondition(rule.condition, linker);
      return {
        name: rule.name?.value ?? automaticRuleName(index + 1),
        actions: rule.actions.map((action) => action.value),
        roles: swallow(rule.roles),
        derivedRoles: rule.derivedRoles.map((name) => name.value),
        effect: rule.effect,
        ...(condition && { condition }),
        span: rule.span,
      };
    }),
  };
}

/** Sets that nobody imports are typed too, with any variable and constant allowed (D38): who imports them decides which there are. */
function checkUnimported(document: PolicyDocument, linked: ReadonlyMap<DerivedRolesDocument, unknown>, linker: Linker): void {
  for (const expression of ownExpressions(document)) linker.check(expression);
  if (document.kind !== "derivedRoles" || linked.has(document)) return;
  resolveImports(document.variables.import, linker.exportVariables, "variables", linker);
  resolveImports(document.constants.import, linker.exportConstants, "constants", linker);
}

function ownExpressions(document: PolicyDocument): readonly ExpressionNode[] {
  switch (document.kind) {
    case "resource":
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
