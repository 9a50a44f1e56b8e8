/** The state of linking: all documents by name, the report, and a cache of checked expressions. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { check } from "../cel/check.ts";
import { policyEnvironment } from "../cel/environment.ts";
import type { Diagnostic, Report } from "../diagnostic.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import type {
  ConditionNode,
  DerivedRolesDocument,
  ExportConstantsDocument,
  ExportVariablesDocument,
  ExpressionNode,
  OutputNode,
  PolicyDocument,
} from "../policy/document.ts";
import { reportIssues } from "../policy/expression.ts";
import type { CheckedExpression, ExpressionCheck } from "./checked-expression.ts";
import type { Span } from "../source.ts";
import type { LinkCache } from "./cache.ts";
import type { RuleOutput } from "./policy-set.ts";
import { referencesOf, type References } from "./references.ts";

/** The state of linking one store. */
export interface Linker {
  /** Reports each problem once, however many policies import the document it is in. */
  readonly report: Report;
  /** Sets by sanitised name. */
  readonly derivedRoles: Map<string, DerivedRolesDocument>;
  readonly exportVariables: Map<string, ExportVariablesDocument>;
  readonly exportConstants: Map<string, ExportConstantsDocument>;
  /** Disabled policies, which count as absent, by key. */
  readonly disabled: ReadonlyMap<string, PolicyDocument>;
  /** Type-checks an expression, cached; undefined if it has errors (reported). */
  readonly check: (expression: ExpressionNode) => CheckedExpression | undefined;
  readonly cache: LinkCache;
}

/** Returns the same linker with another report. */
export const withReport = ({ derivedRoles, exportVariables, exportConstants, disabled, cache }: Linker, report: Report): Linker => ({
  report,
  derivedRoles,
  exportVariables,
  exportConstants,
  disabled,
  check: openCheck(cache, report),
  cache,
});

/** Returns a report that forwards each problem once. */
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

/** Returns the check function of a linker. The errors of an expression are reported each time it is requested. */
export const openCheck =
  ({ checked }: LinkCache, report: Report): Linker["check"] =>
  (expression) => {
    const { tree, text } = expression;
    if (tree === undefined) return undefined;
    let known = checked.get(tree);
    if (known === undefined) checked.set(tree, (known = checkExpression(tree, text)));
    reportIssues(expression, known.issues, report);
    return known.checked;
  };

function checkExpression(parsed: Expression, text: string): ExpressionCheck {
  const { tree, issues } = check(parsed, policyEnvironment);
  const references = referencesOf(tree);
  return issues.length > 0 ? { issues, references } : { issues, references, checked: { compiled: { text, tree }, references } };
}

/** Returns the names an expression refers to, even if it has errors (reported); undefined if it could not be parsed. */
export function referencesIn(expression: ExpressionNode, { check, cache }: Linker): References | undefined {
  const checked = check(expression);
  return checked?.references ?? (expression.tree && cache.checked.get(expression.tree)?.references);
}

/** Returns the expressions of a condition in source order. */
export function expressionsOf(condition: ConditionNode | undefined): readonly ExpressionNode[] {
  if (condition === undefined) return none;
  return condition.kind === "expression" ? [condition.expression] : condition.of.flatMap(expressionsOf);
}

const none: readonly never[] = [];

/** Compiles a condition; parts with errors (reported) are left out. */
export function linkCondition(condition: ConditionNode, linker: Linker): Condition | undefined {
  if (condition.kind === "expression") {
    const checked = linker.check(condition.expression);
    return checked && { kind: "expression", expression: checked.compiled };
  }
  return { kind: condition.kind, of: condition.of.map((part) => linkCondition(part, linker)).filter((part) => part !== undefined) };
}

interface RuleNode {
  readonly span: Span;
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/**
 * Returns the expressions of a rule, including an overridden deprecated output, which the reference implementation
 * checks too.
 */
export function expressionsOfRule({ condition, output }: RuleNode): readonly ExpressionNode[] {
  if (output === undefined) return expressionsOf(condition);
  const { unused, ruleActivated, conditionNotMet } = output;
  return [...expressionsOf(condition), ...[unused, ruleActivated, conditionNotMet].filter((expression) => expression !== undefined)];
}

interface RuleParts {
  readonly condition?: Condition;
  readonly output?: RuleOutput;
  readonly span: Span;
}

/** Compiles the parts that every rule may have. */
export function linkRuleParts({ condition, output, span }: RuleNode, linker: Linker): RuleParts {
  const when = condition && linkCondition(condition, linker);
  const says = output && linkOutput(output, linker);
  return { span, ...(when && { condition: when }), ...(says && { output: says }) };
}

function linkOutput(output: OutputNode, linker: Linker): RuleOutput | undefined {
  const ruleActivated = output.ruleActivated && linker.check(output.ruleActivated)?.compiled;
  const conditionNotMet = output.conditionNotMet && linker.check(output.conditionNotMet)?.compiled;
  if (ruleActivated === undefined && conditionNotMet === undefined) return undefined;
  return { ...(ruleActivated && { ruleActivated }), ...(conditionNotMet && { conditionNotMet }) };
}
