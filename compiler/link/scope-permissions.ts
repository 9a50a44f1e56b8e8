/**
 * Determines what each scope may decide without its parents: the same for all policies of a scope, whatever their
 * order (D35).
 */
import type { Report } from "../diagnostic.ts";
import type { PolicyDocument, PrincipalPolicyDocument, ResourcePolicyDocument, ScopePermissions } from "../policy/document.ts";

/** The meaning of an absent `scopePermissions`. */
export const defaultPermissions: ScopePermissions = "override parent";

type Permitted = ResourcePolicyDocument | PrincipalPolicyDocument;

const says: { readonly [permissions in ScopePermissions]: string } = {
  "override parent": "overrides its parents",
  "require parental consent": "requires its parents' consent",
};

/** As many positions as a reader would look at. */
const maxNotes = 5;

/** Reports each scope whose resource and principal policies disagree, at the first policy of the minority. */
export function reportConflictingPermissions(documents: readonly PolicyDocument[], report: Report): void {
  const byScope = new Map<string, { readonly [permissions in ScopePermissions]: Permitted[] }>();
  for (const document of documents) {
    if ((document.kind !== "resource" && document.kind !== "principal") || document.isBroken) continue;
    const scope = byScope.get(document.scope.value) ?? { "override parent": [], "require parental consent": [] };
    scope[permissionsOf(document)].push(document);
    byScope.set(document.scope.value, scope);
  }
  for (const [scope, { "override parent": overriding, "require parental consent": requiring }] of byScope) {
    const [fewer, more] = overriding.length < requiring.length ? [overriding, requiring] : [requiring, overriding];
    const [first, ...others] = fewer;
    const [opposite] = more;
    if (first === undefined || opposite === undefined) continue;
    const note = (document: Permitted) => ({
      span: placeOf(document),
      message:
        document.scopePermissions === undefined ? `this one says nothing, so it ${meaningOf(document)}` : `this one ${meaningOf(document)}`,
    });
    report({
      code: "conflicting-scope-permissions",
      severity: "error",
      source: first.source,
      focus: placeOf(first),
      message: `this policy ${meaningOf(first)}, and ${count(more.length)} of ${scope === "" ? "the root scope" : `scope \`${scope}\``} ${more.length === 1 ? meaningOf(opposite) : plural(opposite)}`,
      hint: "give all policies of a scope the same `scopePermissions`",
      notes: [note(opposite), ...others.slice(0, maxNotes).map(note)],
    });
  }
}

/** What a policy says of its parents. */
export const permissionsOf = (document: Permitted): ScopePermissions => document.scopePermissions?.value ?? defaultPermissions;
const meaningOf = (document: Permitted): string => says[permissionsOf(document)];
const plural = (document: Permitted): string =>
  permissionsOf(document) === "override parent" ? "override their parents" : "require their parents' consent";
const count = (number: number): string => (number === 1 ? "another one" : `${number} others`);
const placeOf = (document: Permitted) => document.scopePermissions?.span ?? document.head;
