/** Faults of policies that share what they say with another of their unit; found in stores whose scopes are alike. */
import type { Fault } from "./plant.ts";

export const faultsOfAlikePolicies: readonly Fault[] = [
  {
    says: "a policy that says what another said asks nothing of its own",
    file: "compiler/emit/policies.ts",
    find: 'writer.ask({ kind: "rule", policy: index, condition });',
    put: "void condition;",
    stores: "alike",
  },
  {
    says: "it asks what the first policy of the unit asks",
    file: "compiler/emit/policies.ts",
    find: "return { ...alike, first };",
    put: "return { ...alike, first: digits(0) };",
    stores: "alike",
    trial: 4,
  },
  {
    says: "policies for other roles are taken for the same",
    file: "compiler/emit/content.ts",
    find: 'span: "left out", patterns: "as it is",',
    put: 'span: "left out", patterns: "left out",',
    stores: "alike",
    trial: 169,
  },
  {
    says: "rules with other effects are taken for the same",
    file: "compiler/emit/content.ts",
    find: 'effect: "as it is",',
    put: 'effect: "left out",',
    stores: "alike",
  },
  {
    says: "conditions are taken for the same",
    file: "compiler/emit/content.ts",
    find: "return [partsOf(condition)];",
    put: "return [];",
    stores: "alike",
    trial: 266,
  },
];
