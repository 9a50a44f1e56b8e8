/** Warns of a variable of a policy that none of its expressions uses. */
import { variablesOf } from "./expressions.ts";
import type { Rule } from "./rule.ts";
import { usageOf, uses } from "./usage.ts";

/** Checks a policy's own variables. Exported variables are for other policies, so they are skipped. */
export const reportUnusedVariables: Rule = (subject, report) => {
  const { document } = subject;
  const variables = document.kind === "exportVariables" ? [] : variablesOf(document);
  if (variables.length === 0) return;
  const used = usageOf(subject).variables;
  for (const { name } of variables) {
    if (uses(used, name.value)) continue;
    report({
      code: "unused-variable",
      severity: "warning",
      span: name.span,
      path: name.path,
      message: `nothing in this policy uses the variable \`${name.value}\``,
      hint: `remove it, or use it as \`V.${name.value}\``,
    });
  }
};
