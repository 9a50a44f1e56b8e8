/** Rows: who, what, when -> effect; and the place each came from. Syntax is gone. */
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { Match } from "../../runtime/decide/glob.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { Definitions, Schemas } from "../link/policy-set.ts";
import type { Span } from "../source.ts";

export type { Match } from "../../runtime/decide/glob.ts";

/** One unit for each policy name and version, all its scopes: the grain of recompilation. Ordered by id. */
export interface DecisionTable {
  readonly units: readonly UnitTable[];
}

/** The rows of one policy name and version. */
export interface UnitTable {
  /** `<type> <name>@<version>`. */
  readonly id: string;
  readonly type: PolicyType;
  /** Sanitised; `writtenName` as the author wrote it, which is what roles are compared with. */
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  readonly scopes: readonly ScopeTable[];
}

/** The rows of one policy: one name, version and scope. */
export interface ScopeTable extends Definitions {
  readonly scope: string;
  /** The policy key that decisions report. */
  readonly key: string;
  readonly span: Span;
  /**
   * What its rows are matched by besides the action, each pattern once, in order of first mention: patterns of roles in a
   * resource policy, patterns of kinds in a principal or role policy. Rows and derived roles name them by index.
   */
  readonly patterns: readonly string[];
  readonly derivedRoles: readonly DerivedRoleRow[];
  /** Source order: file, rule. It decides which conditions are evaluated, so which errors are met. */
  readonly rows: readonly Row[];
  /** Of a role policy: the roles whose permissions it narrows. */
  readonly parentRoles: readonly string[];
  readonly schemas: Schemas;
  readonly sourceAttributes: JsonObject;
  /** An ALLOW here needs consent of the parents; the rows say so already, this is for people. */
  readonly allowsNeedConsent?: true;
}

/** A derived role that some row of this scope refers to, with variables and constants of its own. */
export interface DerivedRoleRow extends Definitions {
  readonly name: string;
  readonly origin: string;
  /** Indexes into `patterns`. */
  readonly parents: readonly number[];
  readonly condition?: Condition;
  readonly span: Span;
}

/** One rule, or one action of a principal policy. */
export interface Row {
  readonly rule: string;
  /** What its outputs are called by: `<policy key>#<rule>`. */
  readonly src: string;
  readonly actions: readonly Match[];
  /** Indexes into `patterns`: roles that the rule names itself, or the kinds that it is about. */
  readonly patterns: readonly number[];
  /** Indexes into `derivedRoles`: the row also applies to a parent role of one of these while that role's condition holds. */
  readonly derivedRoles: readonly number[];
  /**
   * Where a scope requires consent, an ALLOW with a condition is lowered to a DENY `unless` it holds, and one without to
   * `none`, which only tells outputs. In a role policy `allow` is what the role may do: see `runtime/decide/unit.ts`.
   */
  readonly effect: "allow" | "deny" | "none";
  readonly condition?: Condition;
  /** The row applies where its condition does not hold; also where that costs too much to tell (D46), so that it fails closed. */
  readonly unless?: true;
  readonly output?: RowOutput;
  readonly span: Span;
}

/** What the caller is told when the row applies, and when its condition keeps it from that. */
export interface RowOutput {
  readonly met?: CompiledExpression;
  readonly notMet?: CompiledExpression;
}
