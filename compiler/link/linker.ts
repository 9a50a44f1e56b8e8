/** What linking has at hand: all documents by name, the report, and every expression checked once. */
import { check } from "../cel/check.ts";
import { policyEnvironment } from "../cel/environment.ts";
import type { Diagnostic, Report } from "../diagnostic.ts";
import type { Condition, CompiledExpression } from "../../runtime/decide/condition.ts";
import type {
  ConditionNode,
  DerivedRolesDocument,
  ExportConstantsDocument,
  ExportVariablesDocument,
  ExpressionNode,
} from "../policy/document.ts";
import { reportIssues } from "../policy/expression.ts";
import { referencesOf, type References } from "./references.ts";

/** What linking one store has at hand. */
export interface Linker {
  /** Reports each problem once, however many policies import what it is in. */
  readonly report: Report;
  /** Sets by sanitised name. */
  readonly derivedRoles: ReadonlyMap<string, DerivedRolesDocument>;
  readonly exportVariables: ReadonlyMap<string, ExportVariablesDocument>;
  readonly exportConstants: ReadonlyMap<string, ExportConstantsDocument>;
  /** Type-checks an expression, the first time it is asked for; undefined when it is broken (reported). */
  readonly check: (expression: ExpressionNode) => Checked | undefined;
}

/** An expression without mistakes, and what it refers to. */
export interface Checked {
  readonly compiled: CompiledExpression;
  readonly references: References;
}

/** Makes a report that passes each problem on once. */
export function once(report: Report): Report {
  const reported = new Set<string>();
  return (diagnostic) => {
    const key = identity(diagnostic);
    if (!reported.has(key)) report(diagnostic);
    reported.add(key);
  };
}

const identity = ({ code, span, source, message }: Diagnostic): string =>
  JSON.stringify([code, span?.source.path ?? source?.path, span?.start, message]);

/** Makes the check of a linker. */
export function checkOnce(report: Report): Linker["check"] {
  const known = new Map<ExpressionNode, Checked | undefined>();
  return (expression) => {
    if (!known.has(expression)) known.set(expression, checkExpression(expression, report));
    return known.get(expression);
  };
}

function checkExpression(expression: ExpressionNode, report: Report): Checked | undefined {
  if (expression.tree === undefined) return undefined;
  const { tree, issues } = check(expression.tree, policyEnvironment);
  reportIssues(expression, issues, report);
  return issues.length > 0 ? undefined : { compiled: { text: expression.text, tree }, references: referencesOf(tree) };
}

/** Lists the expressions of a condition in source order. */
export function expressionsOf(condition: ConditionNode | undefined): readonly ExpressionNode[] {
  if (condition === undefined) return [];
  return condition.kind === "expression" ? [condition.expression] : condition.of.flatMap(expressionsOf);
}

/** Compiles a condition; what is broken in it (and reported) is left out. */
export function linkCondition(condition: ConditionNode, linker: Linker): Condition | undefined {
  if (condition.kind === "expression") {
    const checked = linker.check(condition.expression);
    return checked && { kind: "expression", expression: checked.compiled };
  }
  return { kind: condition.kind, of: condition.of.map((part) => linkCondition(part, linker)).filter((part) => part !== undefined) };
}
