/** Rows: who, what, when -> effect; and the place each came from. Syntax is gone. */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { Match } from "../../runtime/decide/glob.ts";
import type { Definitions } from "../link/policy-set.ts";
import type { Span } from "../source.ts";

export type { Match } from "../../runtime/decide/glob.ts";

/** One unit for each policy name and version, all its scopes: the grain of recompilation. Ordered by id. */
export interface DecisionTable {
  readonly units: readonly UnitTable[];
}

/** The rows of one policy name and version. */
export interface UnitTable {
  /** `resource <name>@<version>`. */
  readonly id: string;
  readonly type: "resource";
  readonly name: string;
  readonly version: string;
  readonly scopes: readonly ScopeTable[];
}

/** The rows of one policy: one name, version and scope. */
export interface ScopeTable extends Definitions {
  readonly scope: string;
  /** The policy key that decisions report. */
  readonly key: string;
  readonly span: Span;
  readonly derivedRoles: readonly DerivedRoleRow[];
  /** Source order: file, rule. It decides which conditions are evaluated, so which errors are met. */
  readonly rows: readonly Row[];
}

/** A derived role that some row of this scope refers to, with variables and constants of its own. */
export interface DerivedRoleRow extends Definitions {
  readonly name: string;
  readonly origin: string;
  readonly parents: readonly Match[];
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
