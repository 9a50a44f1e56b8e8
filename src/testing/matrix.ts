/** A test table and fixtures -> one test for each principal and resource, with what is expected of it (docs/testing.md). */
import { didYouMean } from "../../compiler/nearest.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { AuxData, Principal, Resource } from "../../runtime/decide/input.ts";
import { sameJson } from "./same-json.ts";
import type { Expectation, ExpectedEffect, Fixtures, TestTable } from "./suite.ts";

/** One test: a principal, a resource, all actions. */
export interface Test {
  readonly principalName: string;
  readonly resourceName: string;
  readonly principal: Principal;
  readonly resource: Resource;
  readonly actions: readonly string[];
  readonly auxData: AuxData | undefined;
  /** Of every action. */
  readonly effects: ReadonlyMap<string, ExpectedEffect>;
  /** Action -> source -> value; of the actions of which outputs are expected. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}

/** The tests of a table, or everything that is wrong with it: sentences, lower case, no full stop. */
export type Matrix =
  | { readonly kind: "tests"; readonly tests: readonly Test[] }
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

/** Works out the tests. */
export function testsOf(table: TestTable, fixtures: Fixtures): Matrix {
  const problems: string[] = [];
  const groups = { principals: fixtures.principalGroups, resources: fixtures.resourceGroups };

  const found = <T>(map: ReadonlyMap<string, T>, what: string, name: string): T | undefined => {
    if (!map.has(name)) problems.push(`the ${what} \`${name}\` is not among the fixtures${near(name, [...map.keys()])}`);
    return map.get(name);
  };
  const members = (kind: "principals" | "resources", names: readonly string[], groupNames: readonly string[]): readonly string[] => [
    ...new Set([
      ...names,
      ...groupNames.flatMap((group) => found(groups[kind], kind === "principals" ? "principal group" : "resource group", group) ?? []),
    ]),
  ];

  const { input } = table;
  const principals = members("principals", input.principals, input.principalGroups).map(
    (name) => [name, found(fixtures.principals, "principal", name)] as const,
  );
  const resources = members("resources", input.resources, input.resourceGroups).map(
    (name) => [name, found(fixtures.resources, "resource", name)] as const,
  );
  const tokens = input.auxData === undefined ? undefined : found(fixtures.auxData, "auxiliary data", input.auxData);

  // Where the input names what is not there, that something else is expected is mostly a consequence.
  const isWhole = problems.length === 0;
  const wanted = new Map<string, Wanted>();
  const asked = { principals: new Set(principals.map(([name]) => name)), resources: new Set(resources.map(([name]) => name)) };
  for (const expectation of table.expected) {
    refuseActions(expectation, input.actions, problems);
    for (const principal of members("principals", expectation.principals, expectation.principalGroups))
      for (const resource of members("resources", expectation.resources, expectation.resourceGroups)) {
        if (!asked.principals.has(principal) || !asked.resources.has(resource)) {
          if (isWhole) problems.push(notAsked(principal, resource, asked));
        } else expect(wanted, { principal, resource, expectation }, problems);
      }
  }
  if (problems.length > 0) return { kind: "wrong", problems: [...new Set(problems)] };
  return {
    kind: "tests",
    tests: principals.flatMap(([principalName, principal]) =>
      resources.flatMap(([resourceName, resource]) => {
        if (principal === undefined || resource === undefined) return [];
        const { effects, outputs } = wanted.get(pairOf(principalName, resourceName)) ?? nothing();
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

function notAsked(
  principal: string,
  resource: string,
  asked: { readonly principals: ReadonlySet<string>; readonly resources: ReadonlySet<string> },
): string {
  const meant = (name: string, names: ReadonlySet<string>): string => (names.has(name) ? "" : near(name, [...names]));
  const hints = meant(principal, asked.principals) || meant(resource, asked.resources);
  return `something is expected of the principal \`${principal}\` and the resource \`${resource}\`, which are not both in the input${hints}`;
}

/** Puts the fixtures of a suite over those of its folder. */
export const fixturesOver = (suite: Fixtures, folder: Fixtures): Fixtures => ({
  principals: new Map([...folder.principals, ...suite.principals]),
  principalGroups: new Map([...folder.principalGroups, ...suite.principalGroups]),
  resources: new Map([...folder.resources, ...suite.resources]),
  resourceGroups: new Map([...folder.resourceGroups, ...suite.resourceGroups]),
  auxData: new Map([...folder.auxData, ...suite.auxData]),
});

/** Names every member of a group that is no fixture. */
export function wrongGroups(fixtures: Fixtures): readonly string[] {
  const wrong = (what: string, groups: Fixtures["principalGroups"], known: ReadonlyMap<string, unknown>): readonly string[] =>
    [...groups].flatMap(([group, names]) =>
      names
        .filter((name) => !known.has(name))
        .map((name) => `the ${what} group \`${group}\` names \`${name}\`, which is not among the fixtures${near(name, [...known.keys()])}`),
    );
  return [
    ...wrong("principal", fixtures.principalGroups, fixtures.principals),
    ...wrong("resource", fixtures.resourceGroups, fixtures.resources),
  ];
}

interface Wanted {
  readonly effects: Map<string, ExpectedEffect>;
  readonly outputs: Map<string, Map<string, Value>>;
}

const nothing = (): Wanted => ({ effects: new Map(), outputs: new Map() });

// Unique: JSON says where one name ends.
const pairOf = (principal: string, resource: string): string => JSON.stringify([principal, resource]);

function expect(
  all: Map<string, Wanted>,
  { principal, resource, expectation }: { readonly principal: string; readonly resource: string; readonly expectation: Expectation },
  problems: string[],
): void {
  const key = pairOf(principal, resource);
  const wanted = all.get(key) ?? nothing();
  all.set(key, wanted);
  const about = (action: string): string => `of \`${principal}\` doing \`${action}\` to \`${resource}\``;
  for (const [action, effect] of expectation.actions) {
    const before = wanted.effects.get(action);
    if (before !== undefined && before !== effect) problems.push(`two entries expect different effects ${about(action)}`);
    wanted.effects.set(action, effect);
  }
  for (const [action, expected] of lastOutputs(expectation))
    for (const [src, val] of expected) {
      const outputs = wanted.outputs.get(action) ?? new Map<string, Value>();
      wanted.outputs.set(action, outputs);
      const before = outputs.get(src);
      if (before !== undefined && !sameJson(before, val))
        problems.push(`two entries expect different outputs of \`${src}\` ${about(action)}`);
      outputs.set(src, val);
    }
}

/** Within one entry the last word on a source counts, as among the outputs that are given. */
function lastOutputs({ outputs }: Expectation): ReadonlyMap<string, ReadonlyMap<string, Value>> {
  const last = new Map<string, Map<string, Value>>();
  for (const { action, expected } of outputs) {
    const sources = last.get(action) ?? new Map<string, Value>();
    last.set(action, sources);
    for (const { src, val } of expected) sources.set(src, val);
  }
  return last;
}

function refuseActions({ actions, outputs }: Expectation, asked: readonly string[], problems: string[]): void {
  for (const action of actions.keys())
    if (!asked.includes(action))
      problems.push(`an effect is expected of the action \`${action}\`, which is not in the input${near(action, asked)}`);
  for (const { action } of outputs)
    if (!asked.includes(action))
      problems.push(`outputs are expected of the action \`${action}\`, which is not in the input${near(action, asked)}`);
}

function near(name: string, known: readonly string[]): string {
  const { hint } = didYouMean(name, known);
  return hint === undefined ? "" : ` (${hint})`;
}
