/**
 * Recompiles a set after a small change. What changed, and everything that depends on it, is linked, checked and emitted,
 * together with what these depend on. Everything else is kept, so the cost follows the size of the change.
 */
import { type Diagnostic, isError, replaceInOrder, sourceOf } from "../diagnostic.ts";
import type { Module } from "../emit/module.ts";
import { openMakingEmitter, type EmitOptions } from "../emit/unit.ts";
import { link, type LinkedSet } from "../link/link.ts";
import type { LinkedRoles } from "../link/one.ts";
import { emitOnce, readOnce, type CompileMemory } from "../memory.ts";
import { optimizeUnit } from "../optimize/index.ts";
import type { DerivedRolesDocument, PolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import type { Source } from "../source.ts";
import { lowerUnit, unitsOf, type UnitPolicies } from "../table/lower.ts";
import type { UnitTable } from "../table/table.ts";
import { validate } from "../validate/index.ts";
import { VersionedMap } from "../../runtime/versioned-map.ts";
import { withEdits } from "./in-order.ts";
import { changePlaces, noPlaces } from "./places.ts";
import { editPolicies, editUnits, idOf, policiesOf, type PolicyEdits } from "./policies.ts";
import { sourceChanges, type SourceChanges } from "./source-changes.ts";
import { affectedBy, surroundingsOf } from "./surroundings.ts";
import type { Whole } from "./whole.ts";

/** Emits a policy set that has no errors, and builds the indexes for later changes. */
export function compileWhole(
  sources: readonly Source[],
  { derivedRoles, ...policySet }: LinkedSet,
  warnings: readonly Diagnostic[],
  options: EmitOptions,
  memory: CompileMemory,
): Whole {
  const units = unitsOf(policySet);
  return {
    sources,
    options,
    warnings,
    policySet,
    units,
    modules: emitUnits(units, options, memory),
    places: changePlaces(noPlaces, { gone: [], come: sources }, memory)?.places,
    derivedRoles: VersionedMap.of([...derivedRoles].map(([document, linked]) => [documentKey(document), linked] as const)),
  };
}

function emitUnits(units: readonly UnitPolicies[], options: EmitOptions, memory: CompileMemory): readonly Module[] {
  const emit = openMakingEmitter(options);
  return units.map((unit) => emitOnce(unit, options, memory, () => emit(rowsOf(unit))));
}

// A function of its own, so that the closure does not keep the emitter, which caches what it has emitted.
const rowsOf = (unit: UnitPolicies) => (): UnitTable => tableOf(unit);

/** Builds the rows of a unit. They are not kept: nothing is as large, and they are needed once. */
export const tableOf = (unit: UnitPolicies): UnitTable => optimizeUnit(lowerUnit(unit));

/** Recompiles a set. Undefined if so much has changed that it is no cheaper, or if there is an error: then compile the whole set. */
export function recompile(before: Whole, sources: readonly Source[], options: EmitOptions, memory: CompileMemory): Whole | undefined {
  if (before.places === undefined || before.options.digest !== options.digest || before.options.forms !== options.forms) return undefined;
  const changes = sourceChanges(before.sources, sources);
  if (changes === undefined || isMuch(changes, sources.length)) return undefined;
  if (changes.come.some((source) => readOnce(source, memory).diagnostics.some(isError))) return undefined;
  const changed = changePlaces(before.places, changes, memory);
  if (changed === undefined) return undefined;
  const { places } = changed;
  const affected = affectedBy(changed);
  const around = surroundingsOf(affected, places);
  const now = around.filter((document) => affected.has(documentKey(document)));

  const said: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void said.push(diagnostic);
  const part = link(around, report, memory.link, derivedRolesOf(around, affected, before));
  if (said.length > 0) return undefined;
  validate(around, [], report);
  const paths = new Set([...changes.gone, ...changes.come, ...now.map(({ source }) => source)].map(({ path }) => path));
  const isAbout = (diagnostic: Diagnostic): boolean => paths.has(sourceOf(diagnostic)?.path ?? "");
  const read = [...paths].flatMap((path) => places.sources.get(path) ?? []).flatMap((source) => readOnce(source, memory).diagnostics);

  // All of these are removed; those that still exist are inserted again.
  const were = [...affected].flatMap((key) => before.places?.documents.get(key) ?? []);
  const edits: PolicyEdits = { gone: policiesOf(were, before.policySet), come: policiesOf(now, part) };
  const units = editUnits(before.units, edits);
  return {
    sources,
    options,
    warnings: replaceInOrder(before.warnings, paths, [...read, ...said.filter(isAbout)]),
    policySet: editPolicies(before.policySet, edits),
    units: withEdits(before.units, idOf, units),
    modules: withEdits(before.modules, ({ unit }) => unit.id, emitEdits(units, options, memory)),
    places,
    derivedRoles: nextDerivedRoles(before.derivedRoles, affected, part),
  };
}

/** With more changes, compiling everything costs less (measured with 9,000 policies). */
const isMuch = ({ gone, come }: SourceChanges, of: number): boolean => Math.max(gone.length, come.length) > Math.max(200, of / 10);

function emitEdits(
  units: ReadonlyMap<string, UnitPolicies | undefined>,
  options: EmitOptions,
  memory: CompileMemory,
): ReadonlyMap<string, Module | undefined> {
  const there = [...units.values()].filter((unit) => unit !== undefined);
  const modules = new Map(emitUnits(there, options, memory).map((module) => [module.unit.id, module] as const));
  return new Map([...units.keys()].map((id) => [id, modules.get(id)] as const));
}

/** Returns the linked derived roles that the change does not affect. */
function derivedRolesOf(
  around: readonly PolicyDocument[],
  affected: ReadonlySet<string>,
  { derivedRoles }: Whole,
): ReadonlyMap<DerivedRolesDocument, LinkedRoles> {
  const known = new Map<DerivedRolesDocument, LinkedRoles>();
  for (const document of around) {
    const key = documentKey(document);
    const linked = affected.has(key) ? undefined : derivedRoles.get(key);
    if (document.kind === "derivedRoles" && linked !== undefined) known.set(document, linked);
  }
  return known;
}

function nextDerivedRoles(before: Whole["derivedRoles"], affected: ReadonlySet<string>, part: LinkedSet): Whole["derivedRoles"] {
  const next = before.edit();
  for (const key of affected) next.delete(key);
  for (const [document, linked] of part.derivedRoles) next.set(documentKey(document), linked);
  return next.finish();
}
