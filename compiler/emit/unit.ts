/** Emits one unit: a factory whose functions answer for the rows of one policy name and version, all its scopes. */
import type { BundledUnit } from "../../runtime/bundle.ts";
import { printLine } from "../source.ts";
import type { UnitTable } from "../table/table.ts";
import { type Code, comment, emptyLine, js, lines, list } from "./code.ts";
import { writeConstant } from "./constant.ts";
import { emitDerivedRoles } from "./derived-roles.ts";
import type { FormName } from "./forms/index.ts";
import type { Module } from "./module.ts";
import { printForMachine, printForPeople } from "./print-code.ts";
import { emitRows } from "./rows.ts";
import { writeTrees } from "./trees.ts";
import { factoryProgram, openUnitWriter, type UnitWriter } from "./unit-writer.ts";

/** What emitting needs besides the rows. */
export interface EmitOptions {
  /** A stable digest of a text. */
  readonly digest: (text: string) => string;
  /** The fast forms that are switched on; every one unless said otherwise. */
  readonly forms?: ReadonlySet<FormName>;
}

/** Turns the rows of a unit into a program. */
export function emit(unit: UnitTable, { digest, forms }: EmitOptions): Module {
  const writer = openUnitWriter(forms);
  const { text, constants: values } = printForMachine(program(unit, writer));
  const content = {
    id: unit.id,
    type: unit.type,
    name: unit.name,
    version: unit.version,
    shape: digest(text),
    constants: values.map(writeConstant),
    scopes: unit.scopes.map(({ scope, key }) => ({ scope, key })),
    trees: writeTrees(unit, writer.questions),
  };
  const bundled: BundledUnit = { ...content, digest: digest(JSON.stringify(content)) };
  return { unit: bundled, text, readable: () => printForPeople(program(unit, openUnitWriter(forms))) };
}

function program(unit: UnitTable, writer: UnitWriter): Code {
  const parts = unit.scopes.map((table, policy) => {
    writer.write(
      emptyLine,
      comment(() => `scope "${table.scope}": ${table.key}, ${printLine(table.span)}`),
    );
    const derivedRoles = emitDerivedRoles(table, policy, writer);
    const decide = emitRows(table, policy, derivedRoles, writer);
    return js`[${table.scope}, { derivedRoles: ${derivedRoles.active}, decide: ${decide} }]`;
  });
  return lines(
    comment(() => `unit ${unit.id}`),
    factoryProgram(writer, js`return { scopes: [${list(parts)}] };`),
  );
}
