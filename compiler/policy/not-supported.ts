/** Parts of the policy language that are read and checked for form, but have no meaning here yet. */
import type { Report } from "../diagnostic.ts";
import type { Place } from "../yaml/shape.ts";

/** Reports that a policy uses such a part: it is never silently ignored. `feature` is a plural. */
export function reportNotSupported(feature: string, place: Place, report: Report): void {
  report({
    code: "not-supported-yet",
    severity: "error",
    span: place.at,
    path: place.path,
    message: `${feature} are not supported yet`,
    hint: "remove it, or set `disabled: true` on the policy",
  });
}
