/** Expands a test table and fixtures to one test for each principal and resource, with its expectations (docs/testing.md). */
import type { Mistake, Placed } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { AuxData, Principal, Resource } from "../../runtime/decide/input.ts";
import { unknownFixture, namesNotInInput, actionsNotInInput } from "./suite-mistakes.ts";
import type { ExpectedEffect, Fixtures, Names, TestTable } from "./suite.ts";
import { openExpectations } from "./expectations.ts";

/** One test: a principal, a resource and all actions. */
export interface Test {
  readonly principalName: string;
  readonly resourceName: string;
  readonly principal: Principal;
  readonly resource: Resource;
  readonly actions: readonly string[];
  readonly auxData: AuxData | undefined;
  /** The expected effect of every action. */
  readonly effects: ReadonlyMap<string, ExpectedEffect>;
  /** The expected outputs by action and source; only for actions with expected outputs. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}

/** The tests of a table, or everything that is wrong with it. */
export type Matrix =
  | { readonly kind: "tests"; readonly tests: readonly Test[] }
  | { readonly kind: "wrong"; readonly problems: readonly Mistake[] };

/** Expands a table. */
export function expandTable(table: TestTable, fixtures: Fixtures): Matrix {
  const problems: Mistake[] = [];

  const found = <T>(field: keyof Fixtures, map: ReadonlyMap<string, T>, name: Placed<string>): T | undefined => {
    if (!map.has(name.value)) problems.push(unknownFixture(field, name, map));
    return map.get(name.value);
  };
  /** Returns names and the members of groups, each once. A member of a group has the position of the group's name. */
  const members = (field: "principals" | "resources", names: Names, groupNames: Names): Names => {
    const groupField = field === "principals" ? "principalGroups" : "resourceGroups";
    const grouped = groupNames.flatMap((group) =>
      (found(groupField, fixtures[groupField], group) ?? []).map(({ value }) => ({ value, place: group.place })),
    );
    const all = new Map<string, Placed<string>>();
    for (const name of [...names, ...grouped]) if (!all.has(name.value)) all.set(name.value, name);
    return [...all.values()];
  };

  const { input } = table;
  const principals = members("principals", input.principals, input.principalGroups).map(
    (name) => [name.value, found("principals", fixtures.principals, name)] as const,
  );
  const resources = members("resources", input.resources, input.resourceGroups).map(
    (name) => [name.value, found("resources", fixtures.resources, name)] as const,
  );
  const tokens = input.auxData === undefined ? undefined : found("auxData", fixtures.auxData, input.auxData);

  // Unknown names in the input cause further mistakes in the expectations, which are then not reported.
  const isWhole = problems.length === 0;
  const expectations = openExpectations();
  const inInput = { principals: new Set(principals.map(([name]) => name)), resources: new Set(resources.map(([name]) => name)) };
  for (const expectation of table.expected) {
    problems.push(...actionsNotInInput(expectation, input.actions));
    const of = {
      principals: members("principals", expectation.principals, expectation.principalGroups),
      resources: members("resources", expectation.resources, expectation.resourceGroups),
    };
    if (isWhole) problems.push(...namesNotInInput(of, inInput));
    for (const { value: principal } of of.principals)
      for (const { value: resource } of of.resources)
        if (inInput.principals.has(principal) && inInput.resources.has(resource))
          problems.push(...expectations.add(principal, resource, expectation));
  }
  if (problems.length > 0) return { kind: "wrong", problems };
  return {
    kind: "tests",
    tests: principals.flatMap(([principalName, principal]) =>
      resources.flatMap(([resourceName, resource]) => {
        if (principal === undefined || resource === undefined) return [];
        const { effects, outputs } = expectations.get(principalName, resourceName);
        return {
          principalName,
          resourceName,
          principal,
          resource,
          actions: input.actions,
          auxData: tokens,
          effects: new Map(input.actions.map((action) => [action, effects.get(action) ?? "EFFECT_DENY"] as const)),
          outputs,
        };
      }),
    ),
  };
}

/** Merges the fixtures of a suite over those of its directory. */
export const mergeFixtures = (suite: Fixtures, folder: Fixtures): Fixtures => ({
  principals: new Map([...folder.principals, ...suite.principals]),
  principalGroups: new Map([...folder.principalGroups, ...suite.principalGroups]),
  resources: new Map([...folder.resources, ...suite.resources]),
  resourceGroups: new Map([...folder.resourceGroups, ...suite.resourceGroups]),
  auxData: new Map([...folder.auxData, ...suite.auxData]),
});
