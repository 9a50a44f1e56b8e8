/** Emits the policies of one unit; a policy equal to an earlier one shares its functions, with questions of its own. */
import { invariant } from "../../runtime/cel/error.ts";
import type { ScopeTable, UnitTable } from "../table/table.ts";
import { type Code, type Name, comment, digits, emptyLine } from "./code.ts";
import type { Contents } from "./content.ts";
import { emitDerivedRoles } from "./derived-roles.ts";
import { conditionsAsked, emitRows } from "./rows.ts";
import type { UnitWriter } from "./unit-writer.ts";
import { scopeWords } from "./words.ts";

/** What answers for a policy. */
interface PolicyFunctions {
  /** Lists the derived roles that are active. */
  readonly derivedRoles: Code;
  /** Says what the rows say about an action. */
  readonly decide: Name;
}

/** The same, and the index of the policy's first question. */
export interface EmittedPolicy extends PolicyFunctions {
  readonly first: Code;
}

/**
 * Opens what emits them, in their order, each with its place among them. With `contents` given policies of the same content
 * share their functions: tenants have a policy of a role each, and it is mostly the same. `twins.ts` would find that out too,
 * after each had been emitted, but not of those that declare lists at the head.
 */
export function openPolicies(
  type: UnitTable["type"],
  writer: UnitWriter,
  contents?: Contents,
): (policy: ScopeTable, index: number) => EmittedPolicy {
  const known = new Map<string, PolicyFunctions>();
  return (policy, index) => {
    const begin = writer.beginPolicy();
    const first = digits(begin);
    writer.write(
      emptyLine,
      comment(() => scopeWords(policy), policy.span),
    );
    const said = contents !== undefined && asksOnlyConditions(policy) ? contents.ofPolicy(policy) : undefined;
    const alike = said === undefined ? undefined : known.get(said);
    if (alike !== undefined) {
      for (const condition of conditionsAsked(policy.rows).keys()) writer.ask({ kind: "rule", policy: index, condition });
      return { ...alike, first };
    }
    const derivedRoles = emitDerivedRoles(policy, index, writer);
    const decide = emitRows(policy, type, index, derivedRoles, writer);
    const functions = { derivedRoles: derivedRoles.active, decide };
    if (said !== undefined) {
      invariant(writer.questions.length - begin === conditionsAsked(policy.rows).size, "nothing but conditions is asked");
      known.set(said, functions);
    }
    return { ...functions, first };
  };
}

/** What else can be asked is numbered by what was emitted before: derived roles and variables are shared among policies in their own way. */
const asksOnlyConditions = ({ derivedRoles, variables, rows }: ScopeTable): boolean =>
  derivedRoles.length === 0 && variables.length === 0 && rows.every(({ output }) => output === undefined);
