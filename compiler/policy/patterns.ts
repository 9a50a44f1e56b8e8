/** The forms that names and versions must have (semantics 1.1). */
import type { Pattern } from "../yaml/scalar.ts";

/** A resource kind, a principal, a role: anything but the characters of patterns. */
export const plainName: Pattern = { expression: /^[^!*?[\]{}]+$/, says: "a name without any of `! * ? [ ] { }`" };

export const version: Pattern = { expression: /^[A-Za-z0-9_]+$/, says: "letters, digits and `_`" };

export const optionalVersion: Pattern = { expression: /^[A-Za-z0-9_]*$/, says: "letters, digits and `_`" };

export const scope: Pattern = {
  expression: /^(?:|\.|[0-9a-zA-Z][\w-]*(?:\.\w[\w-]*)*)$/,
  says: "segments of letters, digits, `_` and `-`, with dots between: `acme.hr`",
};

/** The name of a set, or of a derived role. */
export const setName: Pattern = { expression: /^[\w\-.]+$/, says: "letters, digits, `_`, `-` and `.`" };

export const ruleName: Pattern = { expression: /^(?:[a-zA-Z][\w@.-]*)?$/, says: "a letter, then letters, digits and any of `_ @ . -`" };

export const notEmpty: Pattern = { expression: /^[^]+$/, says: "at least one character" };
