/** Replaces, inserts and removes the policies and units of a set that a change affects. */
import type { PolicySet } from "../link/policy-set.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { type Lowerable, unitIdOf, type UnitPolicies } from "../table/lower.ts";
import { findIn, withEdits } from "./sorted-list.ts";
import type { CompiledSet } from "./compiled-set.ts";

/** The policies that are removed, and those that are added. A replaced policy is in both lists. */
export interface PolicyEdits {
  readonly removed: readonly Lowerable[];
  readonly added: readonly Lowerable[];
}

/** Finds the linked policies of documents. Derived roles and exports have none. */
export const policiesOf = (documents: readonly PolicyDocument[], set: PolicySet): readonly Lowerable[] =>
  documents.flatMap((document) => policyOf(document, set) ?? []);

function policyOf({ kind, source: { path } }: PolicyDocument, set: PolicySet): Lowerable | undefined {
  switch (kind) {
    case "resource": {
      const policy = findIn(set.resourcePolicies, pathOf, path);
      return policy && { type: kind, policy };
    }
    case "principal": {
      const policy = findIn(set.principalPolicies, pathOf, path);
      return policy && { type: kind, policy };
    }
    case "role": {
      const policy = findIn(set.rolePolicies, pathOf, path);
      return policy && { type: kind, policy };
    }
    case "derivedRoles":
    case "exportVariables":
    case "exportConstants":
      return undefined;
  }
}

/** Policies are ordered by the paths of their files, each of which has one policy. */
const pathOf = ({ span }: Lowerable["policy"]): string => span.source.path;

/** Applies the edits to the lists of a set. */
export function editPolicies(before: PolicySet, { removed, added }: PolicyEdits): PolicySet {
  const edit = <P extends Lowerable["policy"]>(list: readonly P[], policyIn: (one: Lowerable) => P | undefined): readonly P[] => {
    const edits = new Map<string, P | undefined>();
    for (const one of removed) if (policyIn(one) !== undefined) edits.set(pathOf(one.policy), undefined);
    for (const one of added) if (policyIn(one) !== undefined) edits.set(pathOf(one.policy), policyIn(one));
    return withEdits(list, pathOf, edits);
  };
  return {
    resourcePolicies: edit(before.resourcePolicies, (one) => (one.type === "resource" ? one.policy : undefined)),
    principalPolicies: edit(before.principalPolicies, (one) => (one.type === "principal" ? one.policy : undefined)),
    rolePolicies: edit(before.rolePolicies, (one) => (one.type === "role" ? one.policy : undefined)),
  };
}

/** Returns, by id, the new units of all edited policies; undefined for a unit that has no policy left. */
export function editUnits(before: CompiledSet["units"], { removed, added }: PolicyEdits): ReadonlyMap<string, UnitPolicies | undefined> {
  const edits = new Map<string, Map<string, Lowerable | undefined>>();
  const edit = (one: Lowerable, now: Lowerable | undefined): void => {
    const id = unitIdOf(one);
    const known = edits.get(id) ?? new Map<string, Lowerable | undefined>();
    edits.set(id, known.set(pathOf(one.policy), now));
  };
  for (const one of removed) edit(one, undefined);
  for (const one of added) edit(one, one);
  const units = new Map<string, UnitPolicies | undefined>();
  for (const [id, policies] of edits) {
    const known = findIn(before, idOf, id)?.policies ?? [];
    const [first, ...others] = withEdits<Lowerable>(known, ({ policy }) => pathOf(policy), policies);
    units.set(id, first && { id, type: first.type, policies: [first, ...others] });
  }
  return units;
}

/** The key that units are ordered by. */
export const idOf = ({ id }: { readonly id: string }): string => id;
