/** Types of the decision table: rows of who, what, when -> effect, each with its source position. There is no syntax left. */
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { Match } from "../../runtime/decide/glob.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { Definitions, Schemas } from "../link/policy-set.ts";
import type { Span } from "../source.ts";

export type { Match } from "../../runtime/decide/glob.ts";

/**
 * One unit for each policy type, name and version, with all its scopes. A unit is what is recompiled at once. Ordered
 * by id.
 */
export interface DecisionTable {
  readonly units: readonly UnitTable[];
}

/** The rows of one policy type, name and version. */
export interface UnitTable {
  /** `<type> <name>@<version>`. */
  readonly id: string;
  readonly type: PolicyType;
  /** Sanitised. `writtenName` is as the author wrote it; principals and roles are compared with that one. */
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  readonly scopes: readonly ScopeTable[];
}

/** The rows of one policy: one name, version and scope. */
export interface ScopeTable extends Definitions {
  readonly scope: string;
  /** The policy key reported in decisions. */
  readonly key: string;
  readonly span: Span;
  /**
   * The patterns that its rows are matched by besides the action, each once, in order of first occurrence: patterns
   * of roles in a resource policy, of kinds in a principal or role policy. Rows and derived roles refer to them by
   * index.
   */
  readonly patterns: readonly string[];
  readonly derivedRoles: readonly DerivedRoleRow[];
  /** In source order: file, then rule. The order decides which conditions are evaluated, and so which errors occur. */
  readonly rows: readonly Row[];
  /** In a role policy: the roles whose permissions it restricts. */
  readonly parentRoles: readonly string[];
  readonly schemas: Schemas;
  readonly sourceAttributes: JsonObject;
  /** An ALLOW here requires parental consent. The rows already take this into account; the flag is for people. */
  readonly allowsNeedConsent?: true;
}

/** A derived role that some row of this scope refers to. It has its own variables and constants. */
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
  /** The `src` of its outputs: `<policy key>#<rule>`. */
  readonly src: string;
  readonly actions: readonly Match[];
  /** Indexes into `patterns`: the roles that the rule names directly, or the kinds that it applies to. */
  readonly patterns: readonly number[];
  /**
   * Indexes into `derivedRoles`: the row also applies to the parent roles of these while the derived role's condition
   * holds.
   */
  readonly derivedRoles: readonly number[];
  /**
   * Where a scope requires parental consent, an ALLOW with a condition is lowered to a DENY `unless` it holds, and
   * one without to `none`, which has only outputs. In a role policy `allow` is the most that the role may do: see
   * `runtime/decide/unit.ts`.
   */
  readonly effect: "allow" | "deny" | "none";
  readonly condition?: Condition;
  /**
   * The row applies if its condition does not hold. It also applies if evaluating the condition exceeds the cost
   * limit (D46), so that it fails closed.
   */
  readonly unless?: true;
  readonly output?: RowOutput;
  readonly span: Span;
}

/** The outputs when the row applies, and when its condition does not hold. */
export interface RowOutput {
  readonly met?: CompiledExpression;
  readonly notMet?: CompiledExpression;
}
