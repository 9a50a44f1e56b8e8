/** Warns of a derived role that is never active, because its condition is always false. */
import { outcomeOf } from "./outcome.ts";
import type { Rule } from "./rule.ts";

/** Checks every definition. */
export const reportDeadDerivedRoles: Rule = ({ document }, report) => {
  if (document.kind !== "derivedRoles") return;
  for (const { name, condition, path } of document.definitions) {
    if (condition === undefined || outcomeOf(condition) !== false) continue;
    report({
      code: "dead-derived-role",
      severity: "warning",
      span: name.span,
      path,
      message: `nobody ever has the derived role \`${name.value}\`: its condition never holds`,
      hint: "remove it, or mend its condition",
    });
  }
};
