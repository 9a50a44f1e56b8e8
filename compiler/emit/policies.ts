/**
 * Emits the policies of one unit. A policy with the same content as an earlier one shares its functions, with
 * question numbers of its own.
 */
import { invariant } from "../../runtime/cel/error.ts";
import type { ScopeTable, UnitTable } from "../table/table.ts";
import { type Code, type Name, comment, digits, emptyLine } from "./code.ts";
import type { ContentSerialiser } from "./content.ts";
import { emitDerivedRoles } from "./derived-roles.ts";
import { distinctConditions, emitRows } from "./rows.ts";
import type { UnitWriter } from "./unit-writer.ts";
import { scopeComment } from "./comments.ts";

/** The functions of a policy. */
interface PolicyFunctions {
  /** The function that lists the active derived roles. */
  readonly derivedRoles: Code;
  /** The function that evaluates the rows for an action. */
  readonly decide: Name;
}

/** The functions, and the index of the policy's first question. */
export interface EmittedPolicy extends PolicyFunctions {
  /** The number of the first question. */
  readonly first: Code;
}

/**
 * Creates the emitter of a unit's policies, to be called in order. With `serialiser`, policies of equal content share
 * their functions: tenants often have equal policies, one for each role. `drop-duplicates.ts` would find equal functions too,
 * but only after each was emitted, and not those with hoisted lists.
 */
export function openPolicies(
  type: UnitTable["type"],
  writer: UnitWriter,
  serialiser?: ContentSerialiser,
): (policy: ScopeTable, index: number) => EmittedPolicy {
  const known = new Map<string, PolicyFunctions>();
  return (policy, index) => {
    const begin = writer.beginPolicy();
    const first = digits(begin);
    writer.write(
      emptyLine,
      comment(() => scopeComment(policy), policy.span),
    );
    const content = serialiser !== undefined && asksOnlyConditions(policy) ? serialiser.ofPolicy(policy) : undefined;
    const alike = content === undefined ? undefined : known.get(content);
    if (alike !== undefined) {
      for (const condition of distinctConditions(policy.rows).keys()) writer.ask({ kind: "rule", policy: index, condition });
      return { ...alike, first };
    }
    const derivedRoles = emitDerivedRoles(policy, index, writer);
    const decide = emitRows(policy, type, index, derivedRoles, writer);
    const functions = { derivedRoles: derivedRoles.active, decide };
    if (content !== undefined) {
      invariant(writer.questions.length - begin === distinctConditions(policy.rows).size, "nothing but conditions is asked");
      known.set(content, functions);
    }
    return { ...functions, first };
  };
}

/**
 * Whether only conditions have question numbers. Other numbers depend on what was emitted before, because derived
 * roles and variables are shared separately.
 */
const asksOnlyConditions = ({ derivedRoles, variables, rows }: ScopeTable): boolean =>
  derivedRoles.length === 0 && variables.length === 0 && rows.every(({ output }) => output === undefined);
