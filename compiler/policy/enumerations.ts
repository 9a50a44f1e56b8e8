/** The enumerated words of policies; the first of each list is the default of an absent field. */

/** The effect of a rule. */
export const effects = ["EFFECT_UNSPECIFIED", "EFFECT_ALLOW", "EFFECT_DENY"] as const;

/** What a scope may decide without its parents. */
export const scopePermissions = [
  "SCOPE_PERMISSIONS_UNSPECIFIED",
  "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
  "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
] as const;
