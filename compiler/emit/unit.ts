/** Emits one unit: a factory whose functions answer for the rows of one policy name and version, all its scopes. */
import type { BundledUnit } from "../../runtime/bundle.ts";
import type { UnitTable } from "../table/table.ts";
import { type Contents, openContents } from "./content.ts";
import { type Code, comment, js, lines, list } from "./code.ts";
import { writeConstant } from "./constant.ts";
import type { FormName } from "./forms/index.ts";
import type { Module } from "./module.ts";
import { openPolicies } from "./policies.ts";
import { printForMachine, printForPeople, printPlaces } from "./print-code.ts";
import { writeTrees } from "./trees.ts";
import { withoutTwins, type WithoutTwins } from "./twins.ts";
import { programIdentity, unitDigest } from "./unit-digest.ts";
import { factoryProgram, openUnitWriter, type UnitWriter } from "./unit-writer.ts";
import { writeScope } from "./write-scope.ts";

/** What emitting needs besides the rows. */
export interface EmitOptions {
  /** A stable digest of a text. */
  readonly digest: (text: string) => string;
  /** The fast forms that are switched on; every one unless said otherwise. */
  readonly forms?: ReadonlySet<FormName>;
}

/** Turns the rows of a unit into a program. */
export const emit = (unit: UnitTable, options: EmitOptions): Module => openEmitter(options)(unit);

/** Opens an emitter for many units: those that say the same about other kinds, principals or roles are emitted once. */
export function openEmitter(options: EmitOptions): (unit: UnitTable) => Module {
  const emitMade = openMakingEmitter(options);
  return (unit) => emitMade(() => unit);
}

/** The same for units that are too many to be kept: whoever wants to read one has it made again. */
export function openMakingEmitter(options: EmitOptions): (make: () => UnitTable) => Module {
  const { digest, forms } = options;
  const known = new Map<string, Emitted>();
  const contents = openContents();
  return (make) => {
    const unit = make();
    const said = contents.ofUnit(unit);
    const emitted = known.get(said) ?? emitProgram(unit, digest, forms, contents);
    known.set(said, emitted);
    return moduleOf(unit, emitted, make, options);
  };
}

// By itself: a module outlives the emitter, and what it is asked for later must not keep all that the emitter has remembered.
function moduleOf(unit: UnitTable, emitted: Emitted, make: () => UnitTable, { digest, forms }: EmitOptions): Module {
  const { id, type, name, writtenName, version } = unit;
  const { text, shape, constants, trees, identity } = emitted;
  const scopes = unit.scopes.map((scope) => writeScope(scope, type));
  const whole = unitDigest({ id, type, name, writtenName, version, scopes }, identity, digest);
  return {
    unit: { id, type, name, writtenName, version, digest: whole, shape, constants, scopes, trees },
    text,
    readable: () => printForPeople(program(make(), openUnitWriter(forms)).whole),
    places: () => printPlaces(program(make(), openUnitWriter(forms), openContents()).forMachine().code),
  };
}

/** What is made of the content of a unit, and a digest of it. */
interface Emitted extends Pick<BundledUnit, "shape" | "constants" | "trees"> {
  readonly text: string;
  readonly identity: string;
}

function emitProgram(unit: UnitTable, digest: EmitOptions["digest"], forms: EmitOptions["forms"], contents: Contents): Emitted {
  const writer = openUnitWriter(forms);
  const { code, twins } = program(unit, writer, contents).forMachine();
  const { text, constants: values } = printForMachine(code, twins);
  const made = { shape: digest(text), constants: values.map(writeConstant), trees: writeTrees(unit, writer.questions) };
  return { ...made, text, identity: programIdentity(made, digest) };
}

/** The program of a unit: whole, as people read it, and with what it says twice left out. */
interface UnitProgram {
  readonly whole: Code;
  readonly forMachine: () => { readonly code: Code } & Pick<WithoutTwins, "twins">;
}

/** With `contents` given, only for the machine: what several policies say is written once. */
function program(unit: UnitTable, writer: UnitWriter, contents?: Contents): UnitProgram {
  const emitPolicy = openPolicies(unit.type, writer, contents);
  const parts = unit.scopes.map((policy, index) => {
    const { first, derivedRoles, decide } = emitPolicy(policy, index);
    return js`[${policy.scope}, { derivedRoles: ${derivedRoles}, decide: ${decide}, first: ${first} }]`;
  });
  const { head, body, apart } = writer;
  const end = js`return { scopes: [${list(parts)}] };`;
  const words = comment(() => `unit ${unit.id}`);
  return {
    whole: lines(words, factoryProgram(writer, end)),
    forMachine: () => {
      const { body: kept, twins } = withoutTwins(head, body, apart);
      return { code: factoryProgram({ head, body: kept }, end), twins };
    },
  };
}
