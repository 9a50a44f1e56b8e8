/** Outlines a bundle for reviewers: its policies with their rules, conditions, names and positions, as strings. */
import type { Legend, Place, PolicyLegend, RuleLegend, Words } from "../../compiler/legend/legend.ts";
import { patternsAt, printCondition, printMatches } from "../../compiler/table/print.ts";
import type { BundledScope, BundledSchemaReference, BundledUnit } from "../../runtime/bundle.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import { type Names, readTrees } from "../../runtime/decide/trees.ts";
import type { BundleContent } from "./file.ts";

/** A named part of a policy, such as a rule, with its contents. */
export interface Part {
  readonly name: string;
  /** Its position: `expense.yaml:12:7`; absent where a bundle has no legend. */
  readonly at?: string;
  readonly says: Says;
}

/** The contents of a part as pairs: `when` -> `R.attr.amount < 100`. What a part lacks is left out. */
export type Says = readonly (readonly [what: string, says: string])[];

/** One policy. */
export interface PolicyOutline {
  readonly key: string;
  readonly type: BundledUnit["type"];
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  /** The digest of its unit: units with equal digests decide the same. */
  readonly unit: string;
  readonly at?: string;
  /** The contents of the policy as a whole: schemas, parent roles. */
  readonly says: Says;
  readonly rules: readonly Part[];
  readonly derivedRoles: readonly Part[];
  readonly variables: readonly Part[];
  readonly constants: readonly Part[];
}

/** Outlines every policy of a bundle, in the order of its units. */
export const outline = ({ bundle, legend }: BundleContent): readonly PolicyOutline[] =>
  bundle.units.flatMap((unit, at) => outlineUnit(unit, legend?.units[at] ?? [], legend?.sources ?? []));

function outlineUnit(unit: BundledUnit, legends: Legend["units"][number], sources: Legend["sources"]): readonly PolicyOutline[] {
  const { type, writtenName, version, digest, scopes, trees } = unit;
  const { policies } = readTrees(trees);
  const placed = (place: Place | undefined): { readonly at?: string } =>
    place === undefined ? {} : { at: `${sources[place[0]] ?? "?"}:${place[1]}:${place[2]}` };
  return scopes.map((scope, which) => {
    const legend = legends[which];
    const names = policies[which];
    return {
      key: scope.key,
      type,
      name: writtenName,
      version,
      scope: scope.scope,
      unit: digest,
      ...placed(legend?.at),
      says: policySays(scope, legend),
      rules: rulesOf(scope, legend, names?.derivedRoles.map(({ name }) => name) ?? [], type, placed),
      derivedRoles: (names?.derivedRoles ?? []).map((role, index) => {
        const { parents = [], at, when } = legend?.roles[index] ?? {};
        const condition = when?.says ?? (role.condition === undefined ? undefined : printCondition(role.condition));
        return {
          name: role.name,
          ...placed(at),
          says: present([
            ["is", patternsAt(parents, scope.patterns).join(", ")],
            ["when", condition],
            ...namesOf(role, undefined, placed).variables.map(({ name, says }) => [`variable ${name}`, says[0]?.[1]] as const),
            ...namesOf(role, undefined, placed).constants.map(({ name, says }) => [`constant ${name}`, says[0]?.[1]] as const),
          ]),
        };
      }),
      ...(names === undefined ? { variables: [], constants: [] } : namesOf(names, legend, placed)),
    };
  });
}

type Placed = (place: Place | undefined) => { readonly at?: string };

function namesOf({ variables, constants }: Names, legend: PolicyLegend | undefined, placed: Placed) {
  return {
    variables: variables.map(({ name, expression }, at): Part => ({
      name,
      ...placed(legend?.variables[at]),
      says: [["says", printCondition({ kind: "expression", expression })]],
    })),
    constants: [...constants].map(([name, value], at): Part => ({
      name,
      ...placed(legend?.constants[at]),
      says: [["says", printValue(value)]],
    })),
  };
}

function policySays({ parentRoles, schemas, sourceAttributes }: BundledScope, legend: PolicyLegend | undefined): Says {
  const attributes = Object.entries(sourceAttributes).filter(([name]) => name !== "driver" && name !== "source");
  return present([
    ["parent roles", parentRoles?.join(", ")],
    ["schema of the principal", schemaSays(schemas?.principal)],
    ["schema of the resource", schemaSays(schemas?.resource)],
    ["scope permissions", legend?.consent === true ? "an allow needs consent of the parent scopes" : undefined],
    ...attributes.map(([name, value]) => [`source attribute ${name}`, JSON.stringify(value)] as const),
  ]);
}

const schemaSays = (reference: BundledSchemaReference | undefined): string | undefined =>
  reference === undefined
    ? undefined
    : `${reference.ref}${reference.ignoreWhen.length === 0 ? "" : ` unless every action is ${reference.ignoreWhen.join(", ")}`}`;

function rulesOf(
  { rows, patterns }: BundledScope,
  legend: PolicyLegend | undefined,
  derivedRoles: readonly string[],
  type: BundledUnit["type"],
  placed: Placed,
): readonly Part[] {
  const who = type === "resource" ? "roles" : "resources";
  return rows.map((row, at) => {
    const rule: RuleLegend | undefined = legend?.rules[at];
    const words = (said: Words | undefined): string | undefined => said?.says;
    return {
      name: rule?.name ?? "",
      ...placed(rule?.at),
      says: present([
        ["effect", type === "role" ? undefined : rule?.effect],
        [type === "role" ? "may" : "actions", printMatches(row.actions)],
        [who, patternsAt(rule?.patterns ?? row.patterns, patterns).join(", ")],
        ["derived roles", rule?.roles.map((index) => derivedRoles[index] ?? "").join(", ")],
        ["when", words(rule?.when)],
        ["output", words(rule?.met)],
        ["output when its condition is not met", words(rule?.notMet)],
      ]),
    };
  });
}

const present = (said: readonly (readonly [what: string, says: string | undefined])[]): Says =>
  said.flatMap(([what, says]) => (says === undefined || says === "" ? [] : [[what, says] as const]));
