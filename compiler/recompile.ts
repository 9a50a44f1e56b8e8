/**
 * Recompiles a set in which a few policies changed only internally: what other policies see of them, and what is
 * checked for the whole set, is unchanged. Everything else is reused, so the cost depends on the size of the change.
 */
import { invariant } from "../runtime/cel/error.ts";
import { type Diagnostic, isError, replaceInOrder, sourceOf } from "./diagnostic.ts";
import type { Module } from "./emit/module.ts";
import { openMakingEmitter, type EmitOptions } from "./emit/unit.ts";
import { link } from "./link/link.ts";
import type { PolicySet } from "./link/policy-set.ts";
import { scopesAbove } from "./link/scope-tree.ts";
import { emitOnce, readOnce, type CompileMemory } from "./memory.ts";
import { optimizeUnit } from "./optimize/index.ts";
import type { PolicyDocument } from "./policy/document.ts";
import { documentKey, policyKey, setKey } from "./policy/names.ts";
import { hasSameOutline, importsOf } from "./policy/outline.ts";
import type { Source } from "./source.ts";
import { lowerUnit, unitsOf, type UnitPolicies } from "./table/lower.ts";
import type { UnitTable } from "./table/table.ts";
import { validate } from "./validate/index.ts";
import type { Places, Whole } from "./whole.ts";

/** Emits a policy set without errors, and records the index of each policy. */
export function compileWhole(
  sources: readonly Source[],
  policySet: PolicySet,
  warnings: readonly Diagnostic[],
  options: EmitOptions,
  memory: CompileMemory,
): Whole {
  const units = unitsOf(policySet);
  return {
    sources,
    options,
    warnings,
    hasErrors: false,
    policySet,
    units,
    modules: emitUnits(units, options, memory),
    places: findPlaces(sources, policySet, units, memory),
  };
}

function emitUnits(units: readonly UnitPolicies[], options: EmitOptions, memory: CompileMemory): readonly Module[] {
  const emit = openMakingEmitter(options);
  return units.map((unit) => emitOnce(unit, options, memory, () => emit(rowsOf(unit))));
}

// A separate function, so that its closure does not keep the emitter alive, which caches what it has emitted.
const rowsOf = (unit: UnitPolicies) => (): UnitTable => tableOf(unit);

/** Computes the rows of a unit. They are not kept, because they are large and needed only once. */
export const tableOf = (unit: UnitPolicies): UnitTable => optimizeUnit(lowerUnit(unit));

function findPlaces(sources: readonly Source[], set: PolicySet, units: readonly UnitPolicies[], memory: CompileMemory): Places {
  const source = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  const depends = (key: string, on: string): void => {
    const known = dependents.get(on);
    if (known === undefined) dependents.set(on, [key]);
    else known.push(key);
  };
  for (const [index, each] of sources.entries()) {
    const { document } = readOnce(each, memory);
    if (document === undefined || document.isDisabled) continue;
    const key = documentKey(document);
    source.set(key, index);
    for (const imported of importedKeys(document)) depends(key, imported);
    for (const above of keysAbove(document)) depends(key, above);
  }
  const policy = new Map<string, number>();
  for (const list of [set.resourcePolicies, set.principalPolicies, set.rolePolicies])
    for (const [index, { key }] of list.entries()) policy.set(key, index);
  const unit = new Map<string, number>();
  for (const [index, { policies }] of units.entries()) for (const one of policies) unit.set(one.policy.key, index);
  return { source, policy, unit, dependents };
}

const importedKeys = (document: PolicyDocument): readonly string[] => {
  const { derivedRoles, variables, constants } = importsOf(document);
  return [
    ...derivedRoles.map((name) => setKey("derived_roles", name)),
    ...variables.map((name) => setKey("export_variables", name)),
    ...constants.map((name) => setKey("export_constants", name)),
  ];
};

function keysAbove(document: PolicyDocument): readonly string[] {
  if (document.kind !== "resource" && document.kind !== "principal") return [];
  const name = document.kind === "resource" ? document.resource.value : document.principal.value;
  return scopesAbove(document.scope.value).map((scope) => policyKey(document.kind, name, document.version.value, scope));
}

/**
 * Recompiles. Returns undefined if the change is of another kind, or if there is a new problem of the set: then the
 * whole set must be compiled.
 */
export function recompile(before: Whole, sources: readonly Source[], options: EmitOptions, memory: CompileMemory): Whole | undefined {
  if (before.options.digest !== options.digest || before.options.forms !== options.forms) return undefined;
  const changed = changedKeys(before, sources, memory);
  if (changed === undefined) return undefined;
  const affected = withDependents(changed, before.places);
  const around = withOrigins(affected, sources, before.places, memory);
  if (around === undefined) return undefined;

  const said: Diagnostic[] = [];
  const part = link(around, (diagnostic) => void said.push(diagnostic), memory.link);
  if (said.length > 0) return undefined;
  validate(around, [], (diagnostic) => void said.push(diagnostic));
  const about = new Map(
    around
      .filter((document) => affected.has(documentKey(document)))
      .map(({ source }) => [source.path, readOnce(source, memory).diagnostics]),
  );
  const isAbout = (diagnostic: Diagnostic): boolean => about.has(sourceOf(diagnostic)?.path ?? "");
  const added = [...[...about.values()].flat(), ...said.filter(isAbout)];
  const warnings = replaceInOrder(before.warnings, about.keys(), added);
  const hasErrors = added.some(isError) || (before.hasErrors && warnings.some(isError));

  const policySet = replacePolicies(before, part, affected);
  const { units, indexes } = replaceUnits(before, policySet, affected);
  const emitted = emitUnits(
    indexes.map((index) => unitAt(units, index)),
    options,
    memory,
  );
  const modules = [...before.modules];
  for (const [at, module] of emitted.entries()) {
    const index = indexes[at];
    invariant(index !== undefined, "every unit that is emitted again has its place");
    modules[index] = module;
  }
  return { sources, options, warnings, hasErrors, policySet, units, modules, places: before.places };
}

/** Returns the keys of the policies that changed internally; undefined if something changed that other policies may see. */
function changedKeys(before: Whole, sources: readonly Source[], memory: CompileMemory): ReadonlySet<string> | undefined {
  if (sources.length !== before.sources.length) return undefined;
  const keys = new Set<string>();
  for (let index = 0; index < sources.length; index++) {
    const source = sources[index];
    const earlier = before.sources[index];
    if (source === earlier) continue;
    if (source === undefined || earlier === undefined || earlier.path !== source.path) return undefined;
    const known = readOnce(earlier, memory);
    const now = readOnce(source, memory);
    if (known.diagnostics.length > 0 || now.diagnostics.length > 0) return undefined;
    if (known.document === undefined && now.document === undefined) continue;
    if (known.document === undefined || now.document === undefined || !hasSameOutline(known.document, now.document)) return undefined;
    if (!now.document.isDisabled) keys.add(documentKey(now.document));
    // A set with many changes is compiled as a whole.
    if (keys.size > mostChanged) return undefined;
  }
  return keys;
}

const mostChanged = 200;

/** Returns the keys, and those of all dependent policies. */
function withDependents(keys: ReadonlySet<string>, { dependents }: Places): ReadonlySet<string> {
  const all = new Set(keys);
  for (const key of all) for (const dependent of dependents.get(key) ?? []) all.add(dependent);
  return all;
}

/** Returns the policies with these keys and everything that they depend on; undefined if something of that is missing. */
function withOrigins(
  keys: ReadonlySet<string>,
  sources: readonly Source[],
  { source: places }: Places,
  memory: CompileMemory,
): readonly PolicyDocument[] | undefined {
  const all = new Set(keys);
  const documents: PolicyDocument[] = [];
  for (const key of all) {
    const source = sources[places.get(key) ?? -1];
    const document = source && readOnce(source, memory).document;
    if (document === undefined) return undefined;
    documents.push(document);
    for (const origin of [...importedKeys(document), ...keysAbove(document)]) all.add(origin);
  }
  return documents;
}

/** Returns the set with the affected policies replaced. */
function replacePolicies(before: Whole, part: PolicySet, affected: ReadonlySet<string>): PolicySet {
  const replaced = <P extends { readonly key: string }>(list: readonly P[], by: readonly P[]): readonly P[] => {
    if (by.length === 0) return list;
    const copy = [...list];
    for (const policy of by) {
      const index = before.places.policy.get(policy.key);
      invariant(index !== undefined, "a policy whose outline did not change is in the set");
      if (affected.has(policy.key)) copy[index] = policy;
    }
    return copy;
  };
  return {
    resourcePolicies: replaced(before.policySet.resourcePolicies, part.resourcePolicies),
    principalPolicies: replaced(before.policySet.principalPolicies, part.principalPolicies),
    rolePolicies: replaced(before.policySet.rolePolicies, part.rolePolicies),
  };
}

/** Returns the units with the affected ones rebuilt, and the indexes of these. */
function replaceUnits(
  before: Whole,
  { resourcePolicies, principalPolicies, rolePolicies }: PolicySet,
  affected: ReadonlySet<string>,
): { readonly units: readonly UnitPolicies[]; readonly indexes: readonly number[] } {
  const { policy: place, unit } = before.places;
  const now = <P extends { readonly key: string }>(list: readonly P[], { key }: P): P => {
    const policy = list[place.get(key) ?? -1];
    invariant(policy !== undefined, "every policy of a unit is in the set");
    return policy;
  };
  const indexes = [...new Set([...affected].flatMap((key) => unit.get(key) ?? []))];
  const units = [...before.units];
  for (const index of indexes) {
    const known = unitAt(units, index);
    units[index] = {
      ...known,
      policies: mapFilled(known.policies, (one) => {
        switch (one.type) {
          case "resource":
            return { ...one, policy: now(resourcePolicies, one.policy) };
          case "principal":
            return { ...one, policy: now(principalPolicies, one.policy) };
          case "role":
            return { ...one, policy: now(rolePolicies, one.policy) };
        }
      }),
    };
  }
  return { units, indexes };
}

function unitAt(units: readonly UnitPolicies[], index: number): UnitPolicies {
  const unit = units[index];
  invariant(unit !== undefined, "places point into the lists that they were found in");
  return unit;
}

const mapFilled = <T>([first, ...others]: readonly [T, ...T[]], change: (element: T) => T): readonly [T, ...T[]] => [
  change(first),
  ...others.map(change),
];
