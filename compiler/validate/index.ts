/** The rules over a whole policy set, in the order in which they run. Each only reports. */
import type { Report } from "../diagnostic.ts";
import type { PolicySet } from "../link/policy-set.ts";
import { reportAmbiguousRuleNames } from "./report-ambiguous-rule-name.ts";
import { reportLiteralPatterns } from "./report-literal-pattern.ts";

/** The rules. */
export const rules = [reportAmbiguousRuleNames, reportLiteralPatterns] as const;

/** Runs every rule. */
export function validate(set: PolicySet, report: Report): void {
  for (const rule of rules) rule(set, report);
}
