/** Warns of an action that looks like a pattern but is matched literally, because only `*` makes a pattern. */
import type { Rule } from "./rule.ts";

/**
 * Checks every action of every rule (semantics 4.2). In role policies an action is a pattern even without `*`, so
 * they are skipped.
 */
export const reportLiteralPatterns: Rule = ({ document, rules }, report) => {
  if (document.kind === "role") return;
  for (const { actions, span } of rules) {
    for (const { value } of actions) {
      if (value.includes("*") || !/[?[\]{}]/.test(value)) continue;
      report({
        code: "literal-pattern",
        severity: "warning",
        span,
        message: `the action \`${value}\` is matched literally`,
        hint: "only an action with a `*` is a pattern; list the actions that are meant",
      });
    }
  }
};
