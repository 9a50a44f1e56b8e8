/** Determines from a store's errors which policies must be disabled for the others to compile: those at fault, and no more. */
import { sourceOf, type Diagnostic } from "../../../compiler/diagnostic.ts";
import { importsOf } from "../../../compiler/inspect/index.ts";
import { referencesOf } from "../../../compiler/link/references.ts";
import { defaultPermissions } from "../../../compiler/link/scope-permissions.ts";
import type { PolicyDocument, VariableNode } from "../../../compiler/policy/document.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import { lackingAncestors } from "./ancestors.ts";

/** The enabled policies, by the paths of their sources. */
export type EnabledPolicies = ReadonlyMap<string, PolicyDocument>;

/** Returns the paths of policies at fault, each with the first reason: a sentence without a full stop. */
export function blame(errors: readonly Diagnostic[], enabled: EnabledPolicies): ReadonlyMap<string, string> {
  const blamed = new Map<string, string>();
  const add = (path: string, reason: string): void => void (blamed.has(path) || blamed.set(path, reason));
  const culpritsOf = openCulprits(enabled);
  for (const error of errors) for (const path of culpritsOf(error)) add(path, error.message);
  // The diagnostic about a missing policy lists only a few of those that need it; here every one is added, with the keys that it needs.
  if (errors.some(({ code }) => code === "missing-ancestor"))
    for (const [path, keys] of lackingAncestors(enabled)) add(path, `there is no policy \`${keys.join("`, `")}\` above it`);
  return blamed;
}

type Owner = Extract<PolicyDocument, { readonly variables: unknown }>;

/** Returns a function that finds the policies at fault for an error. */
function openCulprits(enabled: EnabledPolicies): (error: Diagnostic) => readonly string[] {
  const byKey = new Map(Array.from(enabled.values(), (document) => [documentKey(document), document]));
  const importers = new Map<string, Owner[]>();
  const bySaying = new Map<string, string[]>();
  for (const [path, document] of enabled) {
    for (const key of importsOf(document)) {
      if (!("variables" in document)) continue;
      const known = importers.get(key);
      if (known === undefined) importers.set(key, [document]);
      else known.push(document);
    }
    const saying = sayingOf(document);
    if (saying === undefined) continue;
    const agreeing = bySaying.get(saying);
    if (agreeing === undefined) bySaying.set(saying, [path]);
    else agreeing.push(path);
  }
  return (error) => {
    const reported = sourceOf(error)?.path;
    const document = reported === undefined ? undefined : enabled.get(reported);
    if (reported === undefined || document === undefined) return reported === undefined ? [] : [reported];
    switch (error.code) {
      case "missing-ancestor":
        return [];
      case "conflicting-scope-permissions":
        return bySaying.get(sayingOf(document) ?? "") ?? [reported];
      // A set of variables may be imported by policies that define all names it needs, and by others that do not.
      case "undefined-variable":
      case "undefined-constant": {
        if (document.kind !== "exportVariables") return [reported];
        const needs = referencesIn(document.definitions);
        return pathsOf((importers.get(documentKey(document)) ?? []).filter((owner) => lacks(owner, needs, byKey)));
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
const sayingOf = (document: PolicyDocument): string | undefined =>
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
function lacks(owner: Owner, { variables, constants }: Names, byKey: ReadonlyMap<string, PolicyDocument>): boolean {
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
