/** Documents in the order of their paths, each policy once. */
import { byUnits } from "../../runtime/order.ts";
import type { Report } from "../diagnostic.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { resourcePolicyKey, setKey } from "../policy/names.ts";

/** Sorts documents by path and reports those that define a policy again, after sanitisation (semantics 1.10). */
export function uniqueDocuments(documents: readonly PolicyDocument[], report: Report): readonly PolicyDocument[] {
  const first = new Map<string, PolicyDocument>();
  for (const document of documents.toSorted((left, right) => byUnits(left.source.path, right.source.path))) {
    const key = keyOf(document);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, document);
    else
      report({
        code: "duplicate-policy",
        severity: "error",
        span: document.head,
        focus: nameOf(document).span,
        message: `the policy \`${key}\` is already defined in \`${earlier.source.path}\``,
        hint: "remove one of the two, or give it another name or version",
        notes: [{ span: nameOf(earlier).span, message: "first defined here" }],
      });
  }
  return [...first.values()];
}

const nameOf = (document: PolicyDocument) => (document.kind === "resource" ? document.resource : document.name);

/** Returns what a policy is known by in a set. */
export function keyOf(document: PolicyDocument): string {
  switch (document.kind) {
    case "resource":
      return resourcePolicyKey(document.resource.value, document.version.value, "");
    case "derivedRoles":
      return setKey("derived_roles", document.name.value);
    case "exportVariables":
      return setKey("export_variables", document.name.value);
    case "exportConstants":
      return setKey("export_constants", document.name.value);
  }
}
