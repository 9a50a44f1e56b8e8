/** Builds an inspection result: sorted names, empty lists left out. */
import { byUnits } from "../../runtime/order.ts";
import type { InspectedAttribute, InspectedPolicy } from "./inspection.ts";
import type { Reads } from "./reads.ts";

type Lists = Required<Omit<InspectedPolicy, "policyId">>;

/** Makes a result. Entries are sorted by name; equal names keep their order. */
export function resultOf(
  policyId: string,
  { actions = [], derivedRoles = [], attributes = [], variables = [], constants = [] }: Partial<Lists>,
): InspectedPolicy {
  return {
    policyId,
    ...(actions.length > 0 && { actions: [...new Set(actions)].sort(byUnits) }),
    ...(derivedRoles.length > 0 && { derivedRoles: byName(derivedRoles) }),
    ...(attributes.length > 0 && { attributes }),
    ...(variables.length > 0 && { variables: byName(variables) }),
    ...(constants.length > 0 && { constants: byName(constants) }),
  };
}

const byName = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] =>
  items.toSorted((left, right) => byUnits(left.name, right.name));

/** Returns the attributes read: those of principals, then those of resources, each sorted by name. */
export function attributesByKind(reads: readonly Reads[]): readonly InspectedAttribute[] {
  const principal = new Set(reads.flatMap((each) => [...each.principal]));
  const resource = new Set(reads.flatMap((each) => [...each.resource]));
  return [
    ...[...principal].sort(byUnits).map((name) => ({ kind: "KIND_PRINCIPAL_ATTRIBUTE", name }) as const),
    ...[...resource].sort(byUnits).map((name) => ({ kind: "KIND_RESOURCE_ATTRIBUTE", name }) as const),
  ];
}

/** Returns the attributes read, all sorted by name. */
export const attributesByName = (reads: readonly Reads[]): readonly InspectedAttribute[] => byName(attributesByKind(reads));
