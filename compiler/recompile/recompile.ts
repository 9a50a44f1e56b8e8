/**
 * Recompiles a set after a small change. What changed, and everything that depends on it, is linked, checked and emitted,
 * together with what these depend on. Everything else is kept, so the cost follows the size of the change.
 */
import { type Diagnostic, isError, replaceInOrder, sourceOf } from "../diagnostic.ts";
import type { Module } from "../emit/module.ts";
import { openLazyEmitter, type EmitOptions } from "../emit/unit.ts";
import { link, type LinkedSet } from "../link/link.ts";
import type { LinkedRoles } from "../link/link-document.ts";
import { emitOnce, readOnce, type CompileCache } from "../cache.ts";
import { optimizeUnit } from "../optimize/index.ts";
import type { DerivedRolesDocument, PolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import type { Source } from "../source.ts";
import { lowerUnit, unitsOf, type UnitPolicies } from "../table/lower.ts";
import type { UnitTable } from "../table/table.ts";
import { validate } from "../validate/index.ts";
import { VersionedMap } from "../../runtime/versioned-map.ts";
import { withEdits } from "./sorted-list.ts";
import { updateIndexes, emptyIndexes } from "./set-indexes.ts";
import { editPolicies, editUnits, idOf, policiesOf, type PolicyEdits } from "./policies.ts";
import { sourceChanges, type SourceChanges } from "./source-changes.ts";
import { affectedBy, withDependencies } from "./affected-policies.ts";
import type { CompiledSet } from "./compiled-set.ts";

/** Emits a policy set that has no errors, and builds the indexes for later changes. */
export function emitSet(
  sources: readonly Source[],
  { derivedRoles, ...policySet }: LinkedSet,
  warnings: readonly Diagnostic[],
  options: EmitOptions,
  cache: CompileCache,
): CompiledSet {
  const units = unitsOf(policySet);
  return {
    sources,
    options,
    warnings,
    policySet,
    units,
    modules: emitUnits(units, options, cache),
    indexes: updateIndexes(emptyIndexes, { removed: [], added: sources }, cache)?.indexes,
    derivedRoles: VersionedMap.of([...derivedRoles].map(([document, linked]) => [documentKey(document), linked] as const)),
  };
}

function emitUnits(units: readonly UnitPolicies[], options: EmitOptions, cache: CompileCache): readonly Module[] {
  const emit = openLazyEmitter(options);
  return units.map((unit) => emitOnce(unit, options, cache, () => emit(rowsOf(unit))));
}

// A function of its own, so that the closure does not keep the emitter, which caches what it has emitted.
const rowsOf = (unit: UnitPolicies) => (): UnitTable => tableOf(unit);

/** Builds the rows of a unit. They are not kept: nothing is as large, and they are needed once. */
export const tableOf = (unit: UnitPolicies): UnitTable => optimizeUnit(lowerUnit(unit));

/** Recompiles a set. Undefined if so much has changed that it is no cheaper, or if there is an error: then compile the whole set. */
export function recompile(
  before: CompiledSet,
  sources: readonly Source[],
  options: EmitOptions,
  cache: CompileCache,
): CompiledSet | undefined {
  if (before.indexes === undefined || before.options.digest !== options.digest || before.options.forms !== options.forms) return undefined;
  const changes = sourceChanges(before.sources, sources);
  if (changes === undefined || isMuch(changes, sources.length)) return undefined;
  if (changes.added.some((source) => readOnce(source, cache).diagnostics.some(isError))) return undefined;
  const changed = updateIndexes(before.indexes, changes, cache);
  if (changed === undefined) return undefined;
  const { indexes } = changed;
  const affected = affectedBy(changed);
  const documents = withDependencies(affected, indexes);
  const now = documents.filter((document) => affected.has(documentKey(document)));

  const said: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void said.push(diagnostic);
  const part = link(documents, report, cache.link, derivedRolesOf(documents, affected, before));
  if (said.length > 0) return undefined;
  validate(documents, [], report);
  const paths = new Set([...changes.removed, ...changes.added, ...now.map(({ source }) => source)].map(({ path }) => path));
  const isAbout = (diagnostic: Diagnostic): boolean => paths.has(sourceOf(diagnostic)?.path ?? "");
  const read = [...paths].flatMap((path) => indexes.sources.get(path) ?? []).flatMap((source) => readOnce(source, cache).diagnostics);

  // All of these are removed; those that still exist are added again.
  const were = [...affected].flatMap((key) => before.indexes?.documents.get(key) ?? []);
  const edits: PolicyEdits = { removed: policiesOf(were, before.policySet), added: policiesOf(now, part) };
  const units = editUnits(before.units, edits);
  return {
    sources,
    options,
    warnings: replaceInOrder(before.warnings, paths, [...read, ...said.filter(isAbout)]),
    policySet: editPolicies(before.policySet, edits),
    units: withEdits(before.units, idOf, units),
    modules: withEdits(before.modules, ({ unit }) => unit.id, emitEdits(units, options, cache)),
    indexes,
    derivedRoles: nextDerivedRoles(before.derivedRoles, affected, part),
  };
}

/** With more changes, compiling everything costs less (measured with 9,000 policies). */
const isMuch = ({ removed, added }: SourceChanges, of: number): boolean => Math.max(removed.length, added.length) > Math.max(200, of / 10);

function emitEdits(
  units: ReadonlyMap<string, UnitPolicies | undefined>,
  options: EmitOptions,
  cache: CompileCache,
): ReadonlyMap<string, Module | undefined> {
  const there = [...units.values()].filter((unit) => unit !== undefined);
  const modules = new Map(emitUnits(there, options, cache).map((module) => [module.unit.id, module] as const));
  return new Map([...units.keys()].map((id) => [id, modules.get(id)] as const));
}

/** Returns the linked derived roles that the change does not affect. */
function derivedRolesOf(
  documents: readonly PolicyDocument[],
  affected: ReadonlySet<string>,
  { derivedRoles }: CompiledSet,
): ReadonlyMap<DerivedRolesDocument, LinkedRoles> {
  const known = new Map<DerivedRolesDocument, LinkedRoles>();
  for (const document of documents) {
    const key = documentKey(document);
    const linked = affected.has(key) ? undefined : derivedRoles.get(key);
    if (document.kind === "derivedRoles" && linked !== undefined) known.set(document, linked);
  }
  return known;
}

function nextDerivedRoles(
  before: CompiledSet["derivedRoles"],
  affected: ReadonlySet<string>,
  part: LinkedSet,
): CompiledSet["derivedRoles"] {
  const next = before.edit();
  for (const key of affected) next.delete(key);
  for (const [document, linked] of part.derivedRoles) next.set(documentKey(document), linked);
  return next.finish();
}
