/** Types of validation rules and of what they examine. */
import type { Report } from "../diagnostic.ts";
import type {
  ConditionNode,
  DerivedRolesDocument,
  Effect,
  ExportConstantsDocument,
  ExportVariablesDocument,
  ExpressionNode,
  Located,
  OutputNode,
  PolicyDocument,
} from "../policy/document.ts";
import type { Span } from "../source.ts";
import type { AttributeCall } from "./attribute-calls.ts";

/** Examines one policy and its imports, and reports warnings. */
export type Rule = (subject: Subject, report: Report) => void;

/** The sets that a policy imports, in the order of its import lists. */
export interface Imports {
  readonly derivedRoles: readonly DerivedRolesDocument[];
  readonly variables: readonly ExportVariablesDocument[];
  readonly constants: readonly ExportConstantsDocument[];
}

/** One policy without errors, the sets that it imports (also without errors), and its parts. */
export interface Subject extends Imports {
  readonly document: PolicyDocument;
  readonly rules: readonly NamedRule[];
  /** The expressions in conditions. */
  readonly leaves: readonly ExpressionNode[];
  /** The expressions in conditions and outputs. */
  readonly deciding: readonly ExpressionNode[];
  /** All expressions: `deciding` and those of variables. */
  readonly expressions: readonly ExpressionNode[];
  /** The calls in `expressions` that take an attribute, a claim or a constant. */
  readonly attributeCalls: readonly AttributeCall[];
}

/** A rule, an action of a principal policy, or a rule of a role policy. */
export interface NamedRule {
  /** The name in reports. */
  readonly name: string;
  /** Undefined for rules of role policies, which have no effect of their own: they restrict. */
  readonly effect: Effect | undefined;
  readonly actions: readonly Located<string>[];
  readonly condition: ConditionNode | undefined;
  readonly output: OutputNode | undefined;
  readonly span: Span;
  readonly path: string;
}
