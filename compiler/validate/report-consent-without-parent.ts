/** Warns of a policy at the root scope that requires parental consent: there is no parent, so it never allows anything. */
import type { Rule } from "./rule.ts";

/** Checks the scope permissions of root policies (semantics 4.5). */
export const reportConsentWithoutParent: Rule = ({ document, rules }, report) => {
  if (document.kind !== "resource" && document.kind !== "principal") return;
  const { scope, scopePermissions } = document;
  if (scope.value !== "" || scopePermissions?.value !== "require parental consent") return;
  const allows = rules.find(({ effect }) => effect === "allow");
  if (allows === undefined) return;
  report({
    code: "consent-without-parent",
    severity: "warning",
    span: scopePermissions.span,
    path: scopePermissions.path,
    message: "the root scope has no parent that could consent, so this policy never allows anything",
    hint: "remove `scopePermissions`, or give the policy a `scope`",
    notes: [{ span: allows.span, message: "this rule never allows anything" }],
  });
};
