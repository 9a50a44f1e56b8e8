/** The fields of test suites and of fixtures (docs/testing.md). */
import { list, mapOf, uniqueStrings } from "../../compiler/yaml/collection.ts";
import { record } from "../../compiler/yaml/record.ts";
import { boolean, json, string, oneOf } from "../../compiler/yaml/scalar.ts";
import { required, wrongType } from "../../compiler/yaml/shape.ts";
import { notEmpty, optionalVersion, scope } from "../../compiler/policy/patterns.ts";
import { effects } from "../../compiler/policy/enumerations.ts";
import { instant } from "./instant.ts";

const names = uniqueStrings(string(notEmpty));

/** The fields of a principal. */
export const principalShape = record({
  id: required(string()),
  policyVersion: string(optionalVersion),
  roles: required(uniqueStrings(string(notEmpty))),
  attr: mapOf(json),
  scope: string(scope),
});

/** The fields of a resource. */
export const resourceShape = record({
  kind: required(string()),
  policyVersion: string(optionalVersion),
  id: required(string()),
  attr: mapOf(json),
  scope: string(scope),
});

/** Claims of tokens, as if they had been verified. */
export const auxDataShape = record({ jwt: mapOf(json), jwts: mapOf(record({ claims: mapOf(json) })) });

const fixtureFields = {
  principals: mapOf(principalShape),
  principalGroups: mapOf(record({ principals: required(names) })),
  resources: mapOf(resourceShape),
  resourceGroups: mapOf(record({ resources: required(names) })),
  auxData: mapOf(auxDataShape),
} as const;

/** The options that a server has in its configuration, and the clock. */
export const optionsShape = record({
  now: string(instant),
  globals: mapOf(json),
  defaultPolicyVersion: string(optionalVersion),
  defaultScope: string(scope),
  lenientScopeSearch: boolean,
  strictEvaluation: boolean,
});

const effect = required(oneOf(effects));
/** A forgotten or unspecified effect is refused, because it would look like an expected denial. */
const expectedEffect: typeof effect = {
  ...effect,
  read: (place, report) => {
    const { node, path } = place;
    const isForgotten = node.kind === "scalar" && (node.type === "null" || (node.type === "integer" && Number(node.text) === 0));
    if (isForgotten) return wrongType("`EFFECT_ALLOW` or `EFFECT_DENY`", place, report);
    const found = effect.read(place, report);
    if (found?.broken === true || found?.value !== "EFFECT_UNSPECIFIED") return found;
    const message = "`EFFECT_UNSPECIFIED` is not a value of this field";
    report.parseError({ code: "unknown-value", span: node.token, path, message, hint: "use `EFFECT_ALLOW` or `EFFECT_DENY`" });
    return undefined;
  },
};

// Where people write what a test asks about; it is told where it belongs.
const misplacedInTest = new Map(
  ["principal", "principals", "principalGroups", "resource", "resources", "resourceGroups", "action", "actions", "auxData"].map(
    (name) => [name, "it belongs below `input`"] as const,
  ),
);
const misplacedInInput = new Map([
  ["principal", "write `principals: [name]`, with names of fixtures"],
  ["resource", "write `resources: [name]`, with names of fixtures"],
  ["action", "write `actions: [name]`"],
]);
const misplacedInExpectation = new Map(["action", "effect"].map((name) => [name, "write `actions: {view: EFFECT_ALLOW}`"] as const));

const expectation = record(
  {
    principal: string(),
    principals: names,
    principalGroups: names,
    resource: string(),
    resources: names,
    resourceGroups: names,
    actions: required(mapOf(expectedEffect)),
    outputs: list(record({ action: required(string()), expected: required(list(record({ src: required(string()), val: json }))) })),
  },
  undefined,
  misplacedInExpectation,
);

const test = record(
  {
    name: required(string()),
    description: string(),
    skip: boolean,
    skipReason: string(),
    input: required(
      record(
        {
          principals: names,
          principalGroups: names,
          resources: names,
          resourceGroups: names,
          actions: required(uniqueStrings(string(notEmpty))),
          auxData: string(),
        },
        undefined,
        misplacedInInput,
      ),
    ),
    expected: required(list(expectation)),
    options: optionsShape,
  },
  undefined,
  misplacedInTest,
);

/** The fields of a test suite. */
export const suiteShape = record({
  $schema: string(),
  name: required(string()),
  description: string(),
  skip: boolean,
  skipReason: string(),
  tests: required(list(test)),
  ...fixtureFields,
  options: optionsShape,
});

/** The fields of a file in `testdata`: principals, resources or auxiliary data, with their groups. */
export const fixturesShape = record({ $schema: string(), ...fixtureFields });
