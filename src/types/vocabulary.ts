/** Lists what callers of a policy set can name: kinds with their actions and schemas, roles, scopes, versions. */
import type { PolicySet, ResourcePolicy, SchemaReference } from "../../compiler/link/policy-set.ts";
import { matchesKind } from "../../compiler/reference/names.ts";
import { matchesGlob } from "../../runtime/decide/glob.ts";
import { byUnits } from "../../runtime/order.ts";
import { matchesAll, typeOfAction, typesOfListedAction } from "./action-type.ts";
import { union, keyword, type Type } from "./type.ts";

/** The vocabulary. Everything is sorted, so that the order of files does not matter. */
export interface Vocabulary {
  readonly kinds: readonly Kind[];
  /** Roles that are named, and patterns of roles. */
  readonly roles: readonly Type[];
  readonly derivedRoles: readonly string[];
  readonly scopes: readonly string[];
  readonly policyVersions: readonly string[];
}

/** A kind of resource. */
export interface Kind {
  readonly name: string;
  readonly actions: Type;
  /** The actions for which a resource's attributes are not validated. */
  readonly unvalidated: Type;
  /** One per policy of this kind; undefined for a policy without a schema. */
  readonly resourceSchemas: readonly (SchemaReference | undefined)[];
  readonly principalSchemas: readonly (SchemaReference | undefined)[];
}

/** Lists the vocabulary of a policy set. */
export function vocabularyOf(set: PolicySet): Vocabulary {
  const { resourcePolicies, principalPolicies, rolePolicies } = set;
  const listed = [...principalPolicies, ...rolePolicies].flatMap(({ rules }) => rules.map(({ resource }) => resource));
  // A pattern names no kind: it applies to kinds that other policies name.
  const names = [...resourcePolicies.map(({ writtenName }) => writtenName), ...listed.filter((name) => !name.includes("*"))];
  const deciding = [...resourcePolicies, ...principalPolicies, ...rolePolicies];
  const derivedRoles = resourcePolicies.flatMap((policy) => policy.derivedRoles);
  return {
    kinds: sorted(names).map((name) => kindOf(name, set)),
    roles: rolesOf(set),
    derivedRoles: sorted(derivedRoles.map(({ name }) => name)),
    scopes: sorted(deciding.map(({ scope }) => scope)),
    policyVersions: sorted(deciding.map(({ version }) => version)),
  };
}

function rolesOf({ resourcePolicies, rolePolicies }: PolicySet): readonly Type[] {
  const asked = resourcePolicies.flatMap(({ rules, derivedRoles }) => [
    ...rules.flatMap(({ roles }) => roles),
    ...derivedRoles.flatMap(({ parentRoles }) => parentRoles),
  ]);
  const named = rolePolicies.flatMap(({ writtenName, parentRoles }) => [writtenName, ...parentRoles.filter((role) => !role.includes("*"))]);
  return sorted([...asked.filter((role) => !matchesAll(role)), ...named]).map(typeOfAction);
}

const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted(byUnits);

function kindOf(name: string, { resourcePolicies, principalPolicies, rolePolicies }: PolicySet): Kind {
  const policies = resourcePolicies.filter(({ writtenName }) => writtenName === name);
  const about = <T extends { readonly resource: string }>(rules: readonly T[]): readonly T[] =>
    rules.filter(({ resource }) => matchesKind(resource, name));
  const patterns = sorted([
    ...policies.flatMap(({ rules }) => rules.flatMap(({ actions }) => actions)),
    ...principalPolicies.flatMap(({ rules }) => about(rules).map(({ action }) => action)),
  ]);
  const listed = sorted(rolePolicies.flatMap(({ rules }) => about(rules).flatMap(({ allowActions }) => allowActions)));
  const naming = [
    ...patterns.filter((pattern) => !matchesAll(pattern)).map(typeOfAction),
    ...listed.filter((pattern) => !matchesAll(pattern)).flatMap(typesOfListedAction),
  ];
  const literals = naming.flatMap((type) => (type.kind === "literal" && typeof type.value === "string" ? [type.value] : []));
  return {
    name,
    actions: naming.length === 0 && [...patterns, ...listed].length > 0 ? keyword("string") : union(naming),
    unvalidated: union(sorted(literals.filter((action) => policies.some((policy) => ignores(policy, action)))).map(typeOfAction)),
    resourceSchemas: policies.map(({ schemas }) => schemas.resource),
    principalSchemas: policies.map(({ schemas }) => schemas.principal),
  };
}

const ignores = ({ schemas }: ResourcePolicy, action: string): boolean =>
  schemas.resource?.ignoreWhen.some((pattern) => matchesGlob(pattern, action)) ?? false;
