/** Finds the policies in the ancestor scopes of a policy, and reports missing ones. */
import { matchesGlob } from "../../runtime/decide/glob.ts";
import type { Report } from "../diagnostic.ts";
import type { PolicyDocument, PrincipalPolicyDocument, ResourcePolicyDocument } from "../policy/document.ts";
import { documentKey, nameOf, sanitise } from "../policy/names.ts";

/** A policy that needs one of its type, name and version in every ancestor scope. */
export type DescendantDocument = ResourcePolicyDocument | PrincipalPolicyDocument;

const isDescendant = (document: PolicyDocument): document is DescendantDocument =>
  document.kind === "resource" || document.kind === "principal";

// Deeper than real scope trees. Even deeper policies are covered by the checks of those between.
const deepest = 256;

/** Returns the ancestor scopes, nearest first; the last is the root, "". */
export function scopesAbove(scope: string): readonly string[] {
  const above: string[] = [];
  for (let rest = scope; rest !== "" && above.length < deepest;) {
    rest = rest.slice(0, Math.max(0, rest.lastIndexOf(".")));
    above.push(rest);
  }
  return above;
}

/** Returns the key of the same policy in another scope. */
const keyAt = (scope: string, key: string, ownScope: string): string => {
  const root = ownScope === "" ? key : key.slice(0, key.length - ownScope.length - 1);
  return scope === "" ? root : `${root}/${scope}`;
};

/** Returns the policy of the same type, name and version nearest to the root; possibly the policy itself. */
export function rootmost(policy: ResourcePolicyDocument, key: string, byKey: ReadonlyMap<string, PolicyDocument>): ResourcePolicyDocument {
  const own = policy.scope.value;
  if (own === "") return policy;
  const root = byKey.get(keyAt("", key, own));
  if (root?.kind === "resource") return root;
  for (const scope of scopesAbove(own).toReversed()) {
    const ancestor = byKey.get(keyAt(scope, key, own));
    if (ancestor?.kind === "resource") return ancestor;
  }
  return policy;
}

/** Reports missing ancestor policies, each once, and returns their keys (semantics 1.10, D37). */
export function reportMissingAncestors(byKey: ReadonlyMap<string, PolicyDocument>, report: Report): ReadonlySet<string> {
  const forgives = openForgiveness(byKey);
  const missing = new Map<string, { readonly scope: string; readonly descendants: DescendantDocument[] }>();
  for (const [key, policy] of byKey) {
    if (!isDescendant(policy) || policy.scope.value === "" || policy.isBroken) continue;
    for (const scope of scopesAbove(policy.scope.value)) {
      const wanted = keyAt(scope, key, policy.scope.value);
      if (byKey.has(wanted) || forgives(policy, scope, wanted)) continue;
      const known = missing.get(wanted) ?? { scope, descendants: [] };
      known.descendants.push(policy);
      missing.set(wanted, known);
    }
  }
  for (const [key, { scope, descendants }] of missing) reportMissing(key, scope, descendants, report);
  return new Set(missing.keys());
}

/** As many positions as a reader would look at. */
const maxNotes = 20;

function reportMissing(key: string, scope: string, descendants: readonly DescendantDocument[], report: Report): void {
  const [first, ...others] = descendants.toSorted((left, right) => left.scope.value.length - right.scope.value.length);
  if (first === undefined) return;
  const where = scope === "" ? "without a scope" : `with \`scope: ${clip(scope)}\``;
  // The reference implementation reports the missing policy without a position; ours shows the policy that needs it.
  report({
    code: "missing-ancestor",
    severity: "error",
    source: first.source,
    focus: first.scope.span,
    message: `there is no policy \`${clip(key)}\`, which \`${clip(documentKey(first))}\` needs above it${alsoNeeded(others.length)}`,
    hint: `add a policy for \`${nameOf(first).value}\`, version \`${first.version.value}\`, ${where}; it may have no rules`,
    ...(others.length > 0 && {
      notes: others.slice(0, maxNotes).map((other) => ({ span: other.scope.span, message: "needs it too" })),
    }),
  });
}

// A very long scope with many levels would otherwise produce an unreadable amount of text.
const clip = (text: string): string => (text.length > 500 ? `${text.slice(0, 250)}...${text.slice(-250)}` : text);

const alsoNeeded = (others: number): string => (others === 0 ? "" : others === 1 ? ", and so does one more" : `, and so do ${others} more`);

/**
 * Returns a test whether a resource policy may be missing: if a role policy of the same scope and version has a rule
 * for its kind.
 */
function openForgiveness(
  byKey: ReadonlyMap<string, PolicyDocument>,
): (policy: DescendantDocument, scope: string, wanted: string) => boolean {
  const patterns = new Map<string, Set<string>>();
  for (const policy of byKey.values()) {
    if (policy.kind !== "role") continue;
    const place = `${policy.version.value}/${policy.scope.value}`;
    const there = patterns.get(place) ?? new Set();
    for (const rule of policy.rules) there.add(rule.resource.value);
    patterns.set(place, there);
  }
  const known = new Map<string, boolean>();
  return (policy, scope, wanted) => {
    if (policy.kind !== "resource") return false;
    const kind = policy.resource.value;
    const question = `${kind} ${wanted}`;
    const answer =
      known.get(question) ?? [...(patterns.get(`${policy.version.value}/${scope}`) ?? [])].some((pattern) => isAbout(pattern, kind));
    known.set(question, answer);
    return answer;
  };
}

// The reference implementation uses the full glob dialect here, with or without `*`; D34 adds the sanitised names.
const isAbout = (pattern: string, kind: string): boolean =>
  pattern === kind || matchesGlob(pattern, kind) || matchesGlob(sanitise(pattern), sanitise(kind));
