/** Determines from a store's errors which policies must be disabled for the others to compile: those at fault, and no more. */
import { sourceOf, type Diagnostic } from "../../../compiler/diagnostic.ts";
import { importsOf } from "../../../compiler/inspect/index.ts";
import { referencesOf } from "../../../compiler/link/references.ts";
import { defaultPermissions } from "../../../compiler/link/scope-permissions.ts";
import type { PolicyDocument, VariableNode } from "../../../compiler/policy/document.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import { missingAncestorsByPath } from "./ancestors.ts";

/** The enabled policies, by the paths of their sources. */
export type EnabledPolicies = ReadonlyMap<string, PolicyDocument>;

/** Returns the paths of policies at fault, each with the first reason: a sentence without a full stop. */
export function findPoliciesAtFault(errors: readonly Diagnostic[], enabled: EnabledPolicies): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  const add = (path: string, reason: string): void => void (reasons.has(path) || reasons.set(path, reason));
  const policiesAtFault = openFaultFinder(enabled);
  for (const error of errors) for (const path of policiesAtFault(error)) add(path, error.message);
  // The diagnostic about a missing policy lists only a few of those that need it; here every one is added, with the keys that it needs.
  if (errors.some(({ code }) => code === "missing-ancestor"))
    for (const [path, keys] of missingAncestorsByPath(enabled)) add(path, `there is no policy \`${keys.join("`, `")}\` above it`);
  return reasons;
}

type ImportingPolicy = Extract<PolicyDocument, { readonly variables: unknown }>;

/** Returns a function that finds the policies at fault for an error. */
function openFaultFinder(enabled: EnabledPolicies): (error: Diagnostic) => readonly string[] {
  const byKey = new Map(Array.from(enabled.values(), (document) => [documentKey(document), document]));
  const importers = new Map<string, ImportingPolicy[]>();
  const byPermissions = new Map<string, string[]>();
  for (const [path, document] of enabled) {
    for (const key of importsOf(document)) {
      if (!("variables" in document)) continue;
      const known = importers.get(key);
      if (known === undefined) importers.set(key, [document]);
      else known.push(document);
    }
    const permissions = permissionsOf(document);
    if (permissions === undefined) continue;
    const paths = byPermissions.get(permissions);
    if (paths === undefined) byPermissions.set(permissions, [path]);
    else paths.push(path);
  }
  return (error) => {
    const reported = sourceOf(error)?.path;
    const document = reported === undefined ? undefined : enabled.get(reported);
    if (reported === undefined || document === undefined) return reported === undefined ? [] : [reported];
    switch (error.code) {
      case "missing-ancestor":
        return [];
      case "conflicting-scope-permissions":
        return byPermissions.get(permissionsOf(document) ?? "") ?? [reported];
      // A set of variables may be imported by policies that define all names it needs, and by others that do not.
      case "undefined-variable":
      case "undefined-constant": {
        if (document.kind !== "exportVariables") return [reported];
        const needs = referencesIn(document.definitions);
        return pathsOf((importers.get(documentKey(document)) ?? []).filter((owner) => lacksDefinitions(owner, needs, byKey)));
      }
      case "variable-cycle":
        return ofCycle(error, reported);
      default:
        return [reported];
    }
  };

  /**
   * A cycle within one policy is that policy's fault; a cycle through exported sets is the fault of the policies that import them
   * together.
   */
  function ofCycle(error: Diagnostic, reported: string): readonly string[] {
    const paths = new Set([reported, ...(error.notes ?? []).map(({ span }) => span.source.path)]);
    if (paths.size === 1) return [reported];
    const parts = [...paths].flatMap((path) => enabled.get(path) ?? []);
    const owners = parts.filter((part) => part.kind !== "exportVariables");
    if (owners.length > 0) return pathsOf(owners);
    const keys = parts.map(documentKey);
    return pathsOf((importers.get(keys[0] ?? "") ?? []).filter((owner) => keys.every((key) => importsOf(owner).has(key))));
  }
}

const pathsOf = (documents: readonly PolicyDocument[]): readonly string[] => documents.map(({ source }) => source.path);

/** Returns what a policy declares about its scope's permissions; undefined for policies without such a declaration. */
const permissionsOf = (document: PolicyDocument): string | undefined =>
  (document.kind === "resource" || document.kind === "principal") && !document.isBroken
    ? `${document.scopePermissions?.value ?? defaultPermissions} ${document.scope.value}`
    : undefined;

interface Names {
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

function referencesIn(definitions: readonly VariableNode[]): Names {
  const references = definitions.flatMap(({ expression }) => (expression.tree === undefined ? [] : [referencesOf(expression.tree)]));
  return {
    variables: new Set(references.flatMap((each) => [...each.variables.keys()])),
    constants: new Set(references.flatMap((each) => [...each.constants.keys()])),
  };
}

/** Returns whether a policy lacks a name that a set needs. */
function lacksDefinitions(owner: ImportingPolicy, { variables, constants }: Names, byKey: ReadonlyMap<string, PolicyDocument>): boolean {
  const imported = [...importsOf(owner)].flatMap((key) => byKey.get(key) ?? []);
  const missingFrom = (needed: ReadonlySet<string>, nodes: readonly Pick<VariableNode, "name">[]): boolean => {
    const there = new Set(nodes.map(({ name }) => name.value));
    return [...needed].some((name) => !there.has(name));
  };
  return (
    missingFrom(variables, [
      ...owner.variables.local,
      ...owner.variables.deprecated,
      ...imported.flatMap((set) => (set.kind === "exportVariables" ? set.definitions : [])),
    ]) ||
    missingFrom(constants, [
      ...owner.constants.local,
      ...imported.flatMap((set) => (set.kind === "exportConstants" ? set.definitions : [])),
    ])
  );
}
