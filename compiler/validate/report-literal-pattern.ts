/** Warns of an action that looks like a pattern but is matched letter by letter, because only `*` makes a pattern. */
import type { Report } from "../diagnostic.ts";
import type { PolicySet } from "../link/policy-set.ts";

/** Looks at every action of every rule (semantics 4.2). */
export function reportLiteralPatterns(set: PolicySet, report: Report): void {
  for (const rule of set.resourcePolicies.flatMap((policy) => policy.rules)) {
    for (const action of rule.actions) {
      if (action.includes("*") || !/[?[\]{}]/.test(action)) continue;
      report({
        code: "literal-pattern",
        severity: "warning",
        span: rule.span,
        message: `the action \`${action}\` is matched letter by letter`,
        hint: "only an action with a `*` is a pattern; list the actions that are meant",
      });
    }
  }
}
