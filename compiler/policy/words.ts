/** The fixed words of policies; the first of each list is what an absent field means. */

/** What a rule says. */
export const effects = ["EFFECT_UNSPECIFIED", "EFFECT_ALLOW", "EFFECT_DENY"] as const;

/** What a scope may decide without its parents. */
export const scopePermissions = [
  "SCOPE_PERMISSIONS_UNSPECIFIED",
  "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
  "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
] as const;
