/** Runs the validation rules, in order, over the policies that have no errors. A rule only reports. */
import { sourceOf, type Diagnostic, type Report } from "../diagnostic.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { reportAmbiguousRuleNames } from "./report-ambiguous-rule-name.ts";
import { reportConsentWithoutParent } from "./report-consent-without-parent.ts";
import { reportConstantComparisons } from "./report-constant-comparison.ts";
import { reportDeadDerivedRoles } from "./report-dead-derived-role.ts";
import { reportDeadRules } from "./report-dead-rule.ts";
import { reportFailingOperations } from "./report-failing-operation.ts";
import { reportLiteralPatterns } from "./report-literal-pattern.ts";
import { reportLiteralPlaceholders } from "./report-literal-placeholder.ts";
import { reportNeverBoolean } from "./report-never-boolean.ts";
import { reportUnusedConstants } from "./report-unused-constant.ts";
import { reportUnusedImports } from "./report-unused-import.ts";
import { reportUnusedVariables } from "./report-unused-variable.ts";
import { subjectOf } from "./expressions.ts";
import { areSame, importsOf, setsAmong } from "./imports.ts";
import type { Imports, Rule } from "./rule.ts";

/** In the order in which they run. */
const rules: readonly Rule[] = [
  reportAmbiguousRuleNames,
  reportLiteralPatterns,
  reportDeadRules,
  reportDeadDerivedRoles,
  reportConsentWithoutParent,
  reportNeverBoolean,
  reportFailingOperations,
  reportConstantComparisons,
  reportLiteralPlaceholders,
  reportUnusedVariables,
  reportUnusedConstants,
  reportUnusedImports,
];

/** Runs every rule over every policy without errors. `diagnostics` are those of earlier stages. */
export function validate(documents: readonly PolicyDocument[], diagnostics: readonly Diagnostic[], report: Report): void {
  const broken = new Set(diagnostics.filter(({ severity }) => severity === "error").map(sourceOf));
  const sound = documents.filter(({ source, isDisabled }) => !isDisabled && !broken.has(source));
  const sets = setsAmong(sound);
  for (const document of sound) {
    const imports = importsOf(document, sets);
    if (imports !== undefined) for (const diagnostic of validateOne(document, imports)) report(diagnostic);
  }
}

interface Validated {
  readonly imports: Imports;
  readonly diagnostics: readonly Diagnostic[];
}

// Only a cache: documents never change, and when a large set is compiled again, only a few are new.
const validated = new WeakMap<PolicyDocument, Validated>();

function validateOne(document: PolicyDocument, imports: Imports): readonly Diagnostic[] {
  const known = validated.get(document);
  if (known !== undefined && areSame(known.imports, imports)) return known.diagnostics;
  const subject = subjectOf(document, imports);
  const diagnostics: Diagnostic[] = [];
  const report: Report = (diagnostic) => void diagnostics.push(diagnostic);
  for (const rule of rules) rule(subject, report);
  validated.set(document, { imports, diagnostics });
  return diagnostics;
}
