/** The syntax of names and versions (semantics 1.1). */
import { scopeForm, versionForm } from "../../runtime/decide/policy-name.ts";
import type { Pattern } from "../yaml/scalar.ts";

/** A resource kind, principal or role: no pattern characters. */
export const plainName: Pattern = { expression: /^[^!*?[\]{}]+$/, description: "a name without any of `! * ? [ ] { }`" };

/** The version of a policy. */
export const version: Pattern = { expression: versionForm, description: "letters, digits and `_`" };

/** The version of a role policy, which may be empty. */
export const optionalVersion: Pattern = { ...version, expression: /^\w*$/ };

/** The scope of a policy. */
export const scope: Pattern = {
  expression: scopeForm,
  description: "segments of letters, digits, `_` and `-`, with dots between: `acme.hr`",
};

/** The name of a set or a derived role. */
export const setName: Pattern = { expression: /^[\w\-.]+$/, description: "letters, digits, `_`, `-` and `.`" };

/** The name of a rule, which may be empty. */
export const ruleName: Pattern = {
  expression: /^(?:[a-zA-Z][\w@.-]*)?$/,
  description: "a letter, then letters, digits and any of `_ @ . -`",
};

/** Any string that is not empty. */
export const notEmpty: Pattern = { expression: /^[^]+$/, description: "at least one character" };
