/** Warns of a constant of a policy that none of its expressions uses. */
import type { Rule } from "./rule.ts";
import { usageOf, uses } from "./usage.ts";

/** Checks a policy's own constants. Exported constants are for other policies, so they are skipped. */
export const reportUnusedConstants: Rule = (subject, report) => {
  const { document } = subject;
  const constants = "constants" in document ? document.constants.local : [];
  if (constants.length === 0) return;
  const used = usageOf(subject).constants;
  for (const { name } of constants) {
    if (uses(used, name.value)) continue;
    report({
      code: "unused-constant",
      severity: "warning",
      span: name.span,
      path: name.path,
      message: `nothing in this policy uses the constant \`${name.value}\``,
      hint: `remove it, or use it as \`C.${name.value}\``,
    });
  }
};
