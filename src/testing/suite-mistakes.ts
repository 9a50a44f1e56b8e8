/** Mistakes of a suite beyond its fields: unknown names, and impossible or contradictory entries. Each has a position. */
import type { Code } from "../../compiler/messages.ts";
import { didYouMean } from "../../compiler/nearest.ts";
import { headOf } from "../../compiler/yaml/node.ts";
import type { Mistake, Place, Placed } from "../../compiler/yaml/shape.ts";
import type { Expectation, Fixtures, Names, TestTable } from "./suite.ts";

/** What each kind of fixture is called in messages, and the file of `testdata` that may contain it. */
const fixtureFields: { readonly [Field in keyof Fixtures]: { readonly what: string; readonly file: string } } = {
  principals: { what: "principal", file: "principals.yaml" },
  principalGroups: { what: "principal group", file: "principals.yaml" },
  resources: { what: "resource", file: "resources.yaml" },
  resourceGroups: { what: "resource group", file: "resources.yaml" },
  auxData: { what: "auxiliary data", file: "auxdata.yaml" },
};

/** A name in a table that no fixture has. */
export const unknownFixture = (field: keyof Fixtures, { value, place }: Placed<string>, known: ReadonlyMap<string, unknown>): Mistake =>
  mistakeAt("unknown-fixture", place, `the ${fixtureFields[field].what} \`${value}\` is not among the fixtures`, {
    hint: defineHint(field),
    ...didYouMean(value, known.keys()),
  });

const defineHint = (field: keyof Fixtures): string =>
  `define it under \`${field}\`, in the suite or in \`testdata/${fixtureFields[field].file}\``;

/** Members of groups that are no fixtures. */
export function unknownGroupMembers(fixtures: Fixtures): readonly Mistake[] {
  const wrong = (field: "principals" | "resources", groups: Fixtures["principalGroups"]): readonly Mistake[] =>
    [...groups].flatMap(([group, names]) =>
      names
        .filter(({ value }) => !fixtures[field].has(value))
        .map(({ value, place }) =>
          mistakeAt(
            "unknown-fixture",
            place,
            `the ${fixtureFields[field].what} group \`${group}\` names \`${value}\`, which is not among the fixtures`,
            { hint: defineHint(field), ...didYouMean(value, fixtures[field].keys()) },
          ),
        ),
    );
  return [...wrong("principals", fixtures.principalGroups), ...wrong("resources", fixtures.resourceGroups)];
}

/** Tests with the name of an earlier test. */
export function duplicateTestNames(tables: readonly TestTable[]): readonly Mistake[] {
  const first = new Map<string, TestTable>();
  return tables.flatMap((table) => {
    const before = first.get(table.name);
    if (before === undefined) {
      first.set(table.name, table);
      return [];
    }
    return mistakeAt("duplicate-test-name", table.place, `two tests have the name \`${table.name}\``, {
      hint: "give one of them another name",
      notes: [{ span: before.place.node.span, message: "first given here" }],
    });
  });
}

/** Principals and resources in an entry that are not in the input; each is reported once, whatever it is paired with. */
export function namesNotInInput(
  of: PrincipalsAndResources<Names>,
  inInput: PrincipalsAndResources<ReadonlySet<string>>,
): readonly Mistake[] {
  const [principal, resource] = [of.principals[0], of.resources[0]];
  if (principal === undefined || resource === undefined) return []; // the group does not exist, which has been reported
  const notInInput = (
    missing: Placed<string>,
    field: keyof PrincipalsAndResources<unknown>,
    pair: readonly [principal: Placed<string>, resource: Placed<string>],
  ) =>
    mistakeAt(
      "unasked-expectation",
      missing.place,
      `something is expected of the principal \`${pair[0].value}\` and the resource \`${pair[1].value}\`, which are not both in the input`,
      { hint: `add \`${missing.value}\` to \`${field}\` of the input, or remove it here`, ...didYouMean(missing.value, inInput[field]) },
    );
  const missingPrincipals = of.principals.filter(({ value }) => !inInput.principals.has(value));
  const missingResources = of.resources.filter(({ value }) => !inInput.resources.has(value));
  return [
    ...missingPrincipals.map((each) => notInInput(each, "principals", [each, missingResources[0] ?? resource])),
    // The first has been reported with them.
    ...missingResources.slice(missingPrincipals.length === 0 ? 0 : 1).map((each) => notInInput(each, "resources", [principal, each])),
  ];
}

interface PrincipalsAndResources<T> {
  readonly principals: T;
  readonly resources: T;
}

/** Actions in an entry that are not in the input. */
export function actionsNotInInput({ effects, outputs }: Expectation, inInput: readonly string[]): readonly Mistake[] {
  const strange = (what: string, actions: readonly Placed<string>[]): readonly Mistake[] =>
    actions
      .filter(({ value }) => !inInput.includes(value))
      .map(({ value, place }) =>
        mistakeAt("unasked-expectation", place, `${what} expected of the action \`${value}\`, which is not in the input`, {
          hint: `add \`${value}\` to \`actions\` of the input, or remove it here`,
          ...didYouMean(value, inInput),
        }),
      );
  return [
    ...strange(
      "an effect is",
      effects.map(({ action }) => action),
    ),
    ...strange(
      "outputs are",
      outputs.map(({ action }) => action),
    ),
  ];
}

/** Two entries that contradict each other; reported at the second. */
export const conflictingExpectations = (expected: string, { place }: Placed<string>, before: Placed<string>): Mistake =>
  mistakeAt("conflicting-expectations", place, `two entries expect ${expected}`, {
    hint: "remove one of the two",
    notes: [{ span: before.place.node.span, message: "first given here" }],
  });

const mistakeAt = (code: Code, place: Place, message: string, more: Pick<Mistake, "hint" | "notes">): Mistake => ({
  code,
  span: place.at,
  focus: headOf(place.node),
  path: place.path,
  message,
  ...more,
});
