/** Converts what suites and golden cases have in common to the inputs of a check. */
import type { MapValue } from "../../compiler/yaml/collection.ts";
import type { Placed, Read } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { AuxData, Principal, Resource } from "../../runtime/decide/input.ts";
import { headOf } from "../../compiler/yaml/node.ts";
import { instant, readInstant } from "./instant.ts";
import type { ReportMistake } from "./read-yaml-file.ts";
import type { auxDataShape, optionsShape, principalShape, resourceShape } from "./suite-shape.ts";
import { defaultTestOptions, type TestOptions } from "./suite.ts";

/** Returns the strings of a list; none when it is absent. */
export const texts = (list: { readonly items: readonly Placed<string>[] } | undefined): readonly string[] =>
  (list?.items ?? []).map(({ value }) => value);

/** Reads options, with defaults. */
export function toOptions({ fields }: Read<typeof optionsShape>, report: ReportMistake): TestOptions {
  return {
    now: fields.now && toInstant(fields.now, report),
    globals: jsonMap(fields.globals),
    defaultPolicyVersion: fields.defaultPolicyVersion?.value || defaultTestOptions.defaultPolicyVersion,
    defaultScope: fields.defaultScope?.value ?? "",
    lenientScopeSearch: fields.lenientScopeSearch?.value ?? false,
    strictEvaluation: fields.strictEvaluation?.value ?? false,
  };
}

function toInstant({ value, place }: Placed<string>, report: ReportMistake): number | undefined {
  const milliseconds = readInstant(value);
  // A malformed value has been reported.
  if (milliseconds === undefined && instant.expression.test(value))
    report({
      code: "invalid-value",
      span: place.at,
      focus: headOf(place.node),
      path: place.path,
      message: `\`${value}\` is not an instant of the calendar`,
      hint: `use ${instant.description}`,
    });
  return milliseconds;
}

/** Reads a principal. */
export const toPrincipal = ({ fields }: Read<typeof principalShape>): Principal => ({
  id: fields.id?.value ?? "",
  roles: texts(fields.roles),
  attr: jsonMap(fields.attr),
  ...versionAndScope(fields),
});

/** Reads a resource. */
export const toResource = ({ fields }: Read<typeof resourceShape>): Resource => ({
  kind: fields.kind?.value ?? "",
  id: fields.id?.value ?? "",
  attr: jsonMap(fields.attr),
  ...versionAndScope(fields),
});

const versionAndScope = ({ policyVersion, scope }: { readonly policyVersion?: Placed<string>; readonly scope?: Placed<string> }) => ({
  ...(policyVersion !== undefined && policyVersion.value !== "" && { policyVersion: policyVersion.value }),
  ...(scope !== undefined && scope.value !== "" && { scope: scope.value }),
});

/** Reads auxiliary data. */
export function toAuxData({ fields: { jwt, jwts }, place }: Read<typeof auxDataShape>, report: ReportMistake): AuxData {
  if (jwt !== undefined && jwts !== undefined)
    report({
      code: "invalid-value",
      span: place.at,
      focus: headOf(place.node),
      path: place.path,
      message: "`jwt` and `jwts` exclude each other",
      hint: "keep `jwts`",
    });
  const named = jwts?.entries.map(({ key, value }) => [key.value, { claims: jsonMap(value.fields.claims) }] as const);
  return { ...(jwt !== undefined && { jwt: jsonMap(jwt) }), ...(named !== undefined && { jwts: Object.fromEntries(named) }) };
}

// `fromEntries` defines own properties, so that a key `__proto__` is ordinary data.
const jsonMap = (map: MapValue<Placed<Value>> | undefined): { readonly [name: string]: Value } =>
  Object.fromEntries((map?.entries ?? []).map(({ key, value }) => [key.value, value.value] as const));
