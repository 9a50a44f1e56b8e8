/** Rows: who, what, when -> effect; and the place each came from. Syntax is gone. */
import type { Condition, Variable } from "../../runtime/decide/condition.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { Span } from "../source.ts";

/** One unit for each policy name and version, all its scopes: the grain of recompilation. Ordered by id. */
export interface DecisionTable {
  readonly units: readonly UnitTable[];
}

export interface UnitTable {
  /** `resource <name>@<version>`. */
  readonly id: string;
  readonly type: "resource";
  readonly name: string;
  readonly version: string;
  readonly scopes: readonly ScopeTable[];
}

/** The rows of one policy: one name, version and scope. */
export interface ScopeTable {
  readonly scope: string;
  /** The policy key that decisions report. */
  readonly key: string;
  readonly span: Span;
  readonly variables: readonly Variable[];
  readonly constants: readonly { readonly name: string; readonly value: Value }[];
  readonly derivedRoles: readonly DerivedRoleRow[];
  /** Source order: file, rule. It decides which conditions are evaluated, so which errors are met. */
  readonly rows: readonly Row[];
}

/** A derived role that some row of this scope refers to, with variables and constants of its own. */
export interface DerivedRoleRow {
  readonly name: string;
  readonly origin: string;
  readonly parents: readonly Match[];
  readonly variables: readonly Variable[];
  readonly constants: readonly { readonly name: string; readonly value: Value }[];
  readonly condition?: Condition;
  readonly span: Span;
}

/** One rule. */
export interface Row {
  readonly rule: string;
  readonly actions: readonly Match[];
  /** Roles that the rule names itself. */
  readonly roles: readonly Match[];
  /** Indexes into `derivedRoles`: the row also applies to a parent role of one of these while that role's condition holds. */
  readonly derivedRoles: readonly number[];
  readonly effect: "allow" | "deny";
  readonly condition?: Condition;
  readonly span: Span;
}

export type Match =
  | { readonly kind: "any" } // `*`
  | { readonly kind: "exact"; readonly value: string } // `view`
  | { readonly kind: "glob"; readonly pattern: string }; // `view:*`
