/** Emits one unit: a factory whose functions evaluate the rows of one policy name and version, in all its scopes. */
import type { BundledUnit } from "../../runtime/bundle.ts";
import type { UnitTable } from "../table/table.ts";
import { type ContentSerialiser, openContentSerialiser } from "./content.ts";
import { type Code, comment, js, lines, list } from "./code.ts";
import { writeConstant } from "./constant.ts";
import type { FormName } from "./forms/index.ts";
import type { Module } from "./module.ts";
import { openPolicies } from "./policies.ts";
import { printForMachine, printForPeople, printPlaces } from "./print-code.ts";
import { writeTrees } from "./trees.ts";
import { dropDuplicates, type UniqueDeclarations } from "./drop-duplicates.ts";
import { programIdentity, unitDigest } from "./unit-digest.ts";
import { factoryProgram, openUnitWriter, type UnitWriter } from "./unit-writer.ts";
import { writeScope } from "./write-scope.ts";

/** Options of the emitter. */
export interface EmitOptions {
  /** Returns a stable digest of a string. */
  readonly digest: (text: string) => string;
  /** The fast forms to use; all by default. */
  readonly forms?: ReadonlySet<FormName>;
}

/** Compiles the rows of a unit to a program. */
export const emit = (unit: UnitTable, options: EmitOptions): Module => openEmitter(options)(unit);

/** Creates an emitter for many units. Units that differ only in kind, principal or role are emitted once. */
export function openEmitter(options: EmitOptions): (unit: UnitTable) => Module {
  const emitLazily = openLazyEmitter(options);
  return (unit) => emitLazily(() => unit);
}

/** The same for units too many to keep in memory: `make` builds the table again when someone wants to read the print. */
export function openLazyEmitter(options: EmitOptions): (make: () => UnitTable) => Module {
  const { digest, forms } = options;
  const known = new Map<string, Emitted>();
  const serialiser = openContentSerialiser();
  return (make) => {
    const unit = make();
    const content = serialiser.ofUnit(unit);
    const emitted = known.get(content) ?? emitProgram(unit, digest, forms, serialiser);
    known.set(content, emitted);
    return moduleOf(unit, emitted, make, options);
  };
}

// A separate function, so that the module, which outlives the emitter, does not keep the emitter's caches in memory.
function moduleOf(unit: UnitTable, emitted: Emitted, make: () => UnitTable, { digest, forms }: EmitOptions): Module {
  const { id, type, name, writtenName, version } = unit;
  const { text, shape, constants, trees, identity } = emitted;
  const scopes = unit.scopes.map((scope) => writeScope(scope, type));
  const whole = unitDigest({ id, type, name, writtenName, version, scopes }, identity, digest);
  return {
    unit: { id, type, name, writtenName, version, digest: whole, shape, constants, scopes, trees },
    text,
    readable: () => printForPeople(program(make(), openUnitWriter(forms)).whole),
    places: () => printPlaces(program(make(), openUnitWriter(forms), openContentSerialiser()).forMachine().code),
  };
}

/** What depends only on a unit's content, and its digest. */
interface Emitted extends Pick<BundledUnit, "shape" | "constants" | "trees"> {
  readonly text: string;
  readonly identity: string;
}

function emitProgram(unit: UnitTable, digest: EmitOptions["digest"], forms: EmitOptions["forms"], serialiser: ContentSerialiser): Emitted {
  const writer = openUnitWriter(forms);
  const { code, originals } = program(unit, writer, serialiser).forMachine();
  const { text, constants: values } = printForMachine(code, originals);
  const made = { shape: digest(text), constants: values.map(writeConstant), trees: writeTrees(unit, writer.questions) };
  return { ...made, text, identity: programIdentity(made, digest) };
}

/** The program of a unit: complete, as people read it; and without duplicates, for the machine. */
interface UnitProgram {
  readonly whole: Code;
  readonly forMachine: () => { readonly code: Code } & Pick<UniqueDeclarations, "originals">;
}

/** With `serialiser`, for the machine only: functions shared by policies are emitted once. */
function program(unit: UnitTable, writer: UnitWriter, serialiser?: ContentSerialiser): UnitProgram {
  const emitPolicy = openPolicies(unit.type, writer, serialiser);
  const parts = unit.scopes.map((policy, index) => {
    const { first, derivedRoles, decide } = emitPolicy(policy, index);
    return js`[${policy.scope}, { derivedRoles: ${derivedRoles}, decide: ${decide}, first: ${first} }]`;
  });
  const { head, body, unmerged } = writer;
  const end = js`return { scopes: [${list(parts)}] };`;
  const words = comment(() => `unit ${unit.id}`);
  return {
    whole: lines(words, factoryProgram(writer, end)),
    forMachine: () => {
      const { body: kept, originals } = dropDuplicates(head, body, unmerged);
      return { code: factoryProgram({ head, body: kept }, end), originals };
    },
  };
}
