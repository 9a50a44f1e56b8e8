/** Writes a policy's data in the bundle: what decisions need to know without running its program. */
import type { BundledSchemas, BundledScope } from "../../runtime/bundle.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { Schemas } from "../link/policy-set.ts";
import type { Row, ScopeTable } from "../table/table.ts";

/** Writes one policy. */
export function writeScope(table: ScopeTable, type: PolicyType): BundledScope {
  const { scope, key, patterns, rows, parentRoles, sourceAttributes } = table;
  return {
    scope,
    key,
    patterns,
    rows: rows.map((row) => ({ actions: row.actions, patterns: consideredFor(row, table) })),
    ...(type === "role" ? { parentRoles } : {}),
    ...(type === "resource" ? writeSchemas(table.schemas) : {}),
    sourceAttributes,
  };
}

/** The patterns for which a row is considered: its own, and the parents of its derived roles, active or not. */
function consideredFor({ patterns, derivedRoles }: Row, table: ScopeTable): readonly number[] {
  if (derivedRoles.length === 0) return patterns;
  return [...new Set([...patterns, ...derivedRoles.flatMap((at) => table.derivedRoles[at]?.parents ?? [])])];
}

const writeSchemas = (schemas: Schemas): { readonly schemas?: BundledSchemas } =>
  schemas.principal === undefined && schemas.resource === undefined ? {} : { schemas };
