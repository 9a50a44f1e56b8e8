/** A golden case: a request, the options of a server, and the recorded decisions, in one reviewable file. */
import type { Source } from "../../compiler/source.ts";
import { list, mapOf, uniqueStrings } from "../../compiler/yaml/collection.ts";
import type { MapEntry } from "../../compiler/yaml/node.ts";
import { record } from "../../compiler/yaml/record.ts";
import { json, string } from "../../compiler/yaml/scalar.ts";
import { required, type Read, type Shape } from "../../compiler/yaml/shape.ts";
import { notEmpty } from "../../compiler/policy/patterns.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import { readYamlFile, type ReportMistake, type ReadResult } from "../testing/read-yaml-file.ts";
import { texts, toAuxData, toOptions, toPrincipal, toResource } from "../testing/read-values.ts";
import { auxDataShape, optionsShape, principalShape, resourceShape } from "../testing/suite-shape.ts";
import { defaultTestOptions, type TestOptions } from "../testing/suite.ts";

/** A case as parsed. */
export interface GoldenCase {
  readonly description: string;
  readonly options: TestOptions;
  readonly inputs: readonly CheckInput[];
  /** The recorded outcome as JSON, one entry per resource; undefined when nothing was recorded yet. */
  readonly outcome: readonly Value[] | undefined;
  /** The parts as written, to be printed again. */
  readonly written: { readonly description: string | undefined; readonly options: Value | undefined; readonly request: Value };
}

/** As in a body that a server gets, a field of a record that is `null` is not set. */
function withoutNulls<T>(shape: Shape<T>): Shape<T> {
  const names = shape.form.kind === "record" ? Object.keys(shape.form.fields) : [];
  const known = new Set([...names, ...names.map(snakeCase)]);
  return {
    ...shape,
    read: (place, report) => {
      const { node } = place;
      if (node.kind !== "map") return shape.read(place, report);
      const isNull = ({ key, value }: MapEntry): boolean => known.has(key.text) && value.kind === "scalar" && value.type === "null";
      return shape.read({ ...place, node: { ...node, entries: node.entries.filter((entry) => !isNull(entry)) } }, report);
    },
  };
}

const askedShape = record({ actions: required(uniqueStrings(string(notEmpty))), resource: required(withoutNulls(resourceShape)) });
const requestFields = {
  principal: required(withoutNulls(principalShape)),
  resources: required(list(withoutNulls(askedShape))),
  auxData: withoutNulls(auxDataShape),
} as const;
const requestShape = withoutNulls(record(requestFields));
/** The body of a check, with claims instead of tokens. What decides nothing is accepted, and not recorded. */
const sentShape = withoutNulls(record({ requestId: string(), includeMeta: json, requestContext: json, ...requestFields }));

const caseShape = record({
  description: string(),
  options: optionsShape,
  request: required(requestShape),
  outcome: list(mapOf(json)),
});

/** Parses a case. */
export const readCase = (source: Source): ReadResult<GoldenCase> =>
  readYamlFile(source, caseShape, ({ fields, place }, report) => {
    const { description, options, request, outcome } = fields;
    const plain = plainJson(place);
    return {
      description: description?.value ?? "",
      options: options === undefined ? defaultTestOptions : toOptions(options, report),
      inputs: request === undefined ? [] : inputsOf(request, report),
      outcome: outcome?.items.map(({ entries }) => Object.fromEntries(entries.map(({ key, value }) => [key.value, value.value] as const))),
      written: { description: description?.value, options: plain("options"), request: plain("request") ?? null },
    };
  });

/** Parses the body of a check, with claims instead of tokens. */
export const readRequest = (source: Source): ReadResult<{ readonly inputs: readonly CheckInput[]; readonly written: Value }> =>
  readYamlFile(source, sentShape, (read, report) => {
    const plain = plainJson(read.place);
    const written = ["principal", "resources", "auxData"].flatMap((name) => {
      const value = plain(name) ?? plain(snakeCase(name));
      return value === undefined ? [] : [[name, value] as const];
    });
    return { inputs: inputsOf(read, report), written: Object.fromEntries(written) };
  });

function inputsOf(
  { fields: { principal, resources, auxData } }: Pick<Read<typeof requestShape>, "fields">,
  report: ReportMistake,
): readonly CheckInput[] {
  if (principal === undefined) return [];
  const asked = { principal: toPrincipal(principal), ...(auxData !== undefined && { auxData: toAuxData(auxData, report) }) };
  return (resources?.items ?? []).flatMap(({ fields: { actions, resource } }) =>
    resource === undefined ? [] : [{ ...asked, resource: toResource(resource), actions: texts(actions) }],
  );
}

/** Returns a function that reads a field of a record as plain JSON. */
function plainJson(place: Read<typeof requestShape>["place"]): (name: string) => Value | undefined {
  const { node } = place;
  return (name) => {
    const entry = node.kind === "map" ? node.entries.find(({ key }) => key.text === name) : undefined;
    if (entry === undefined) return undefined;
    const ignore = (): void => undefined; // Mistakes have been reported already.
    return json.read({ node: entry.value, path: name, at: entry.key.span }, { parseError: ignore, violation: ignore })?.value;
  };
}

/** Returns the other spelling of a field. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
