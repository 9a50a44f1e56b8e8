/** What a rule over policies is, and what it may look at. */
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

/** Looks at one policy and what it imports, and reports. */
export type Rule = (subject: Subject, report: Report) => void;

/** The sets that a policy imports, in the order in which it names them. */
export interface Imports {
  readonly derivedRoles: readonly DerivedRolesDocument[];
  readonly variables: readonly ExportVariablesDocument[];
  readonly constants: readonly ExportConstantsDocument[];
}

/** One policy without mistakes, the sets that it imports, which have none either, and its parts. */
export interface Subject extends Imports {
  readonly document: PolicyDocument;
  readonly rules: readonly NamedRule[];
  /** The expressions of conditions. */
  readonly leaves: readonly ExpressionNode[];
  /** The expressions that decide or are told: of conditions and outputs. */
  readonly deciding: readonly ExpressionNode[];
  /** All expressions: these, and those of variables. */
  readonly expressions: readonly ExpressionNode[];
  /** The calls in them that are given an attribute, a claim or a constant. */
  readonly attributeCalls: readonly AttributeCall[];
}

/** A rule, an action of a principal policy, or a rule of a role policy. */
export interface NamedRule {
  /** As reports call it. */
  readonly name: string;
  /** What it says, where it says one of the two; role policies only narrow. */
  readonly effect: Effect | undefined;
  readonly actions: readonly Located<string>[];
  readonly condition: ConditionNode | undefined;
  readonly output: OutputNode | undefined;
  readonly span: Span;
  readonly path: string;
}
