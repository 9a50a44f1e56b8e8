/** Warns of a rule whose explicit name equals the automatic name of an unnamed rule: decisions and logs could mean either. */
import { automaticRuleName } from "../policy/names.ts";
import type { Rule } from "./rule.ts";

/** Compares the automatic name of each unnamed rule with the explicit names. */
export const reportAmbiguousRuleNames: Rule = ({ document, rules }, report) => {
  if (document.kind !== "resource") return;
  if (!document.rules.some(({ name }) => name !== undefined && /^rule-\d/.test(name.value))) return;
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
};
