/** The fixed words of policies; the first of each list is what an absent field means. */

export const effects = ["EFFECT_UNSPECIFIED", "EFFECT_ALLOW", "EFFECT_DENY"] as const;

export const scopePermissions = [
  "SCOPE_PERMISSIONS_UNSPECIFIED",
  "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
  "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
] as const;
