/** The diagnostic for a disabled policy that another policy needs: a disabled policy counts as absent. */
import type { Diagnostic } from "../diagnostic.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { documentKey, nameOf } from "../policy/names.ts";

/** The hint that a needed policy is disabled; that it is missing is a separate diagnostic. */
export const disabledPolicyWarning = (document: PolicyDocument): Diagnostic => ({
  code: "disabled-policy",
  severity: "warning",
  span: document.head,
  focus: nameOf(document).span,
  message: `the policy \`${documentKey(document)}\` is disabled, so other policies cannot use it`,
  hint: "remove `disabled: true`, or whatever refers to it",
});
