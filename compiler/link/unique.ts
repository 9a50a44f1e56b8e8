/** Sorts documents by path, and reports policies that are defined twice. */
import { byUnits } from "../../runtime/order.ts";
import type { Report } from "../diagnostic.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { documentKey, nameOf } from "../policy/names.ts";

export { documentKey as keyOf } from "../policy/names.ts";

/**
 * Sorts documents by path and reports duplicate policies, compared by sanitised key (semantics 1.10). Returns the
 * first of each key, in path order.
 */
export function uniqueDocuments(documents: readonly PolicyDocument[], report: Report): Map<string, PolicyDocument> {
  const first = new Map<string, PolicyDocument>();
  for (const document of documents.toSorted((left, right) => byUnits(left.source.path, right.source.path))) {
    const key = documentKey(document);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, document);
    else if (!document.isBroken && !earlier.isBroken)
      report({
        code: "duplicate-policy",
        severity: "error",
        span: document.head,
        focus: nameOf(document).span,
        message: `the policy \`${key}\` is already defined in \`${earlier.source.path}\``,
        hint: `remove one of the two, or give it another ${"scope" in document ? "name, version or scope" : "name"}`,
        notes: [{ span: nameOf(earlier).span, message: "first defined here" }],
      });
  }
  return first;
}
