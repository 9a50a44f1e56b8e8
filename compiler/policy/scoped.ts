/** Reads the scope of a policy, and what the scope may decide without its parents. */
import type { RecordValue } from "../yaml/record.ts";
import { string, oneOf } from "../yaml/scalar.ts";
import type { Located, ScopePermissions } from "./document.ts";
import { located } from "./located.ts";
import * as patterns from "./patterns.ts";
import { scopePermissions as words } from "./enumerations.ts";

/** The fields of a policy with a scope. */
export const scopedFields = { scope: string(patterns.scope), scopePermissions: oneOf(words) } as const;

/**
 * The scope permissions allowed in a role policy. They have no effect; the opposite value is refused because it would
 * mislead.
 */
export const requireConsentOnly: typeof scopedFields.scopePermissions = {
  ...scopedFields.scopePermissions,
  read: (place, report) => {
    const read = scopedFields.scopePermissions.read(place, report);
    if (read?.value === "SCOPE_PERMISSIONS_OVERRIDE_PARENT")
      report.violation({
        code: "invalid-value",
        span: place.at,
        focus: place.node.span,
        path: place.path,
        message: "a role policy cannot override its parent",
        hint: "remove `scopePermissions`: a role policy only narrows what others allow",
      });
    return read;
  },
};

type Scoped = RecordValue<typeof scopedFields>;

/** Returns the scope of a policy; the root scope, at the policy's own position, if none is written. */
export const readScope = ({ fields, place }: Pick<Scoped, "fields" | "place">): Located<string> =>
  fields.scope === undefined ? { value: "", span: place.at, path: place.path } : located(fields.scope);

/** Returns the permissions of a policy's scope; undefined if the author specifies none. */
export function readScopePermissions({ fields }: Pick<Scoped, "fields">): Located<ScopePermissions> | undefined {
  const written = fields.scopePermissions;
  const value = written && meaning[written.value];
  return written === undefined || value === undefined ? undefined : { ...located(written), value };
}

const meaning: { readonly [word in (typeof words)[number]]: ScopePermissions | undefined } = {
  SCOPE_PERMISSIONS_UNSPECIFIED: undefined,
  SCOPE_PERMISSIONS_OVERRIDE_PARENT: "override parent",
  SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS: "require parental consent",
};
