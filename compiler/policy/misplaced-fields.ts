/** Hints for unknown fields: fields that are often written in the wrong place, and where they belong. */

/** Field name -> hint. */
type MisplacedFields = ReadonlyMap<string, string>;

const misplaced = (...groups: readonly (readonly [hint: string, ...names: readonly string[]])[]): MisplacedFields =>
  new Map(groups.flatMap(([hint, ...names]) => names.map((name) => [name, hint] as const)));

/** For a file of the store, which is read as a policy. */
export const misplacedInFile = misplaced(
  [
    "a suite of tests is a file whose name ends in `_test.yaml`; principals and resources that suites share stand in a folder `testdata`",
    "tests",
    "principals",
    "resources",
  ],
  ["the configuration of a server stands outside of the policies", "server", "storage", "engine", "audit"],
  ["a JSON schema stands in the folder `_schemas` at the root of the policies", "$id", "$defs", "type", "title", "properties", "required"],
  ["the type of a policy is a field, such as `resourcePolicy`; what is no policy stands outside of the policies", "kind"],
  [
    "what is below it belongs below `resourcePolicy`, `derivedRoles` or another type of policy; what is no policy stands outside of the policies",
    "spec",
  ],
  ["what is no policy stands outside of the policies", "data", "services", "jobs", "swagger"],
  ["indent it: it belongs below `resourcePolicy`", "resource", "version", "scope", "importDerivedRoles", "schemas", "rules"],
);

/** For a principal policy. */
export const misplacedInPrincipalPolicy = misplaced(["it is called `rules` in every type of policy", "resourceRules", "resource_rules"]);

/** For a rule of a principal policy, in which each action has these fields. */
export const misplacedInPrincipalRule = misplaced(["it belongs to each action, below `actions`", "effect", "condition", "output", "name"]);

/** For a condition, in which `match` has these fields. */
export const misplacedInCondition = misplaced(["it belongs below `match`", "expr", "all", "any", "none"]);
