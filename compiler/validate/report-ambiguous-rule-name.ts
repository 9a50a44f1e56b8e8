/** Warns of a rule whose written name is the one that another rule gets for having none: decisions and logs could mean either. */
import type { Report } from "../diagnostic.ts";
import type { PolicySet } from "../link/policy-set.ts";
import { automaticRuleName } from "../policy/names.ts";

/** Looks for a second rule by the name that a rule has by its number. */
export function reportAmbiguousRuleNames(set: PolicySet, report: Report): void {
  for (const { rules } of set.resourcePolicies) {
    const numbered = new Map(rules.map((_, index) => [automaticRuleName(index + 1), index]));
    for (const [index, rule] of rules.entries()) {
      const other = numbered.get(rule.name);
      if (other === undefined || other === index || rules[other]?.name !== rule.name) continue;
      report({
        code: "ambiguous-rule-name",
        severity: "warning",
        span: rule.span,
        message: `rule #${index + 1} and rule #${other + 1} are both called \`${rule.name}\``,
        hint: `rename it, or give rule #${other + 1} a name: without one it is called by its number`,
        notes: [{ span: rules[other].span, message: "the other one" }],
      });
    }
  }
}
