/** Reads a suite or fixtures, and reports everything that is wrong with them. */
import type { Source } from "../../compiler/source.ts";
import type { MapValue } from "../../compiler/yaml/collection.ts";
import { headOf } from "../../compiler/yaml/node.ts";
import type { Mistake, Placed, Read } from "../../compiler/yaml/shape.ts";
import { readYamlFile, type ReportMistake, type ReadResult } from "./read-yaml-file.ts";
import { texts, toAuxData, toOptions, toPrincipal, toResource } from "./read-values.ts";
import { fixturesShape, suiteShape } from "./suite-shape.ts";
import type { ExpectedEffect, Expectation, Fixtures, Skip, Suite, TestTable } from "./suite.ts";

/** Reads a suite. */
export const readSuite = (source: Source): ReadResult<Suite> =>
  readYamlFile(source, suiteShape, (suite, report) => toSuite(source, suite, report));

/** Reads a file of fixtures. */
export const readFixtures = (source: Source): ReadResult<Fixtures> =>
  readYamlFile(source, fixturesShape, ({ fields }, report) => toFixtures(fields, report));

function toSuite(source: Source, { fields }: Read<typeof suiteShape>, report: ReportMistake): Suite {
  return {
    file: source.path,
    name: fields.name?.value ?? "",
    description: fields.description?.value ?? "",
    skip: toSkip(fields),
    tables: (fields.tests?.items ?? []).map((table) => toTable(table, report)),
    fixtures: toFixtures(fields, report),
    options: fields.options && toOptions(fields.options, report),
  };
}

type TableValue = NonNullable<Read<typeof suiteShape>["fields"]["tests"]>["items"][number];
type InputValue = NonNullable<TableValue["fields"]["input"]>;
type ExpectedValue = NonNullable<TableValue["fields"]["expected"]>["items"][number];

function toTable({ fields, place }: TableValue, report: ReportMistake): TestTable {
  const { input } = fields;
  if (input !== undefined) requireNames(input, report);
  return {
    name: fields.name?.value ?? "",
    place: fields.name?.place ?? place,
    description: fields.description?.value ?? "",
    skip: toSkip(fields),
    input: {
      ...namesOf(input?.fields),
      actions: texts(input?.fields.actions),
      auxData: input?.fields.auxData?.value === "" ? undefined : input?.fields.auxData,
    },
    expected: (fields.expected?.items ?? []).map((expected) => toExpectation(expected, report)),
    options: fields.options && toOptions(fields.options, report),
  };
}

function toExpectation(expected: ExpectedValue, report: ReportMistake): Expectation {
  const { fields } = expected;
  for (const [one, many] of [
    ["principal", "principals"],
    ["resource", "resources"],
  ] as const)
    if (isNotEmpty(fields[one]) && isNotEmpty(fields[many])) report(singularAndPlural(expected, one, many));
  requireNames(expected, report);
  const { principals, resources, ...groups } = namesOf(fields);
  return {
    ...groups,
    principals: fields.principal !== undefined && isNotEmpty(fields.principal) ? [fields.principal] : principals,
    resources: fields.resource !== undefined && isNotEmpty(fields.resource) ? [fields.resource] : resources,
    effects: (fields.actions?.entries ?? []).map(({ key, value }) => ({ action: key, effect: effectOf(value.value) })),
    outputs: (fields.outputs?.items ?? []).map(({ fields: output, place }) => ({
      action: output.action ?? { value: "", place },
      expected: (output.expected?.items ?? []).map(({ fields: { src, val }, place: at }) => ({
        src: src ?? { value: "", place: at },
        val: val?.value ?? null,
      })),
    })),
  };
}

/** The third effect, EFFECT_UNSPECIFIED, has been refused before. */
const effectOf = (word: string): ExpectedEffect => (word === "EFFECT_ALLOW" ? "EFFECT_ALLOW" : "EFFECT_DENY");

interface NameFields {
  readonly principals?: TextList;
  readonly principalGroups?: TextList;
  readonly resources?: TextList;
  readonly resourceGroups?: TextList;
}
type TextList = { readonly items: readonly Placed<string>[] };

const namesOf = (fields: NameFields | undefined) => ({
  principals: fields?.principals?.items ?? [],
  principalGroups: fields?.principalGroups?.items ?? [],
  resources: fields?.resources?.items ?? [],
  resourceGroups: fields?.resourceGroups?.items ?? [],
});

const isNotEmpty = (value: Placed<string> | TextList | undefined): boolean =>
  value !== undefined && ("items" in value ? value.items.length > 0 : value.value !== "");

/** Requires at least one principal and one resource. */
function requireNames(value: InputValue | ExpectedValue, report: ReportMistake): void {
  const fields: NameFields & { readonly principal?: Placed<string>; readonly resource?: Placed<string> } = value.fields;
  const named = {
    principal: [fields.principal, fields.principals, fields.principalGroups],
    resource: [fields.resource, fields.resources, fields.resourceGroups],
  };
  for (const [one, given] of Object.entries(named)) {
    if (given.some(isNotEmpty)) continue;
    const { place } = value;
    report({
      code: "missing-value",
      source: place.at.source,
      focus: headOf(place.node),
      message: `\`${one}s\` or \`${one}Groups\` is required at \`${place.path}\``,
      hint: `name at least one ${one}, or a group of them`,
    });
  }
}

const singularAndPlural = ({ place }: ExpectedValue, one: string, many: string): Mistake => ({
  code: "invalid-value",
  span: place.at,
  focus: headOf(place.node),
  path: place.path,
  message: `\`${one}\` and \`${many}\` exclude each other`,
  hint: `keep \`${many}\``,
});

const toSkip = (fields: { readonly skip?: Placed<boolean>; readonly skipReason?: Placed<string> }): Skip | undefined =>
  fields.skip?.value === true ? { reason: fields.skipReason?.value ?? "" } : undefined;

type FixtureFields = Read<typeof fixturesShape>["fields"];

function toFixtures(fields: FixtureFields, report: ReportMistake): Fixtures {
  return {
    principals: mapped(fields.principals, toPrincipal),
    principalGroups: mapped(fields.principalGroups, (group) => group.fields.principals?.items ?? []),
    resources: mapped(fields.resources, toResource),
    resourceGroups: mapped(fields.resourceGroups, (group) => group.fields.resources?.items ?? []),
    auxData: mapped(fields.auxData, (auxData) => toAuxData(auxData, report)),
  };
}

function mapped<T, R>(map: MapValue<T> | undefined, convert: (value: T) => R): ReadonlyMap<string, R> {
  return new Map((map?.entries ?? []).map(({ key, value }) => [key.value, convert(value)] as const));
}
