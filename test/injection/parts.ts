/** What the plants have in common: documents, requests, conditions, outputs. */
import { sanitise } from "../../compiler/policy/names.ts";
import type { Json } from "../../runtime/cel/to-json.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import { said, type Attributes, type Condition } from "./conditions.ts";
import { entries, written, type Part, type Slot } from "./holes.ts";
import { pickStyle } from "./literal.ts";
import { plainName, starless, type Ground } from "./plant.ts";

/** A policy file. */
export const document = (kind: string, content: Part, envelope: { readonly [name: string]: Part } = {}): Part => ({
  apiVersion: "api.authz.dev/v1",
  ...envelope,
  [kind]: content,
});

/** What is asked. */
export interface Asked {
  readonly kind: string;
  readonly action: string;
  readonly roles: readonly string[];
  readonly id?: string;
  readonly version?: string;
  readonly scope?: string;
}

/** A request. */
export const inputOf = ({ kind, action, roles, id = "ann", version, scope }: Asked, attributes?: Attributes): CheckInput => ({
  requestId: "1",
  principal: {
    id,
    roles,
    attr: said(attributes?.principal ?? new Map()),
    // Principals' policies are looked for where the resource's are.
    ...(version !== undefined && { policyVersion: version }),
    ...(scope !== undefined && { scope }),
  },
  resource: {
    kind,
    id: "1",
    attr: said(attributes?.resource ?? new Map()),
    ...(version !== undefined && { policyVersion: version }),
    ...(scope !== undefined && { scope }),
  },
  actions: [action],
  auxData: { jwt: said(attributes?.claims ?? new Map()) },
});

/** A kind that no other policy of the set is about. */
export const kindSlot = ({ slot }: Ground): Slot => slot("a kind", { form: plainName, unique: sanitise });
/** A role that no other rule of the set names. */
export const roleSlot = ({ slot }: Ground): Slot => slot("a role", { form: starless, unique: (text) => text, among: "roles" });
/** Says whether a policy of the one name is not about the other. */
export const isOther =
  (name: string) =>
  (near: string): boolean =>
    sanitise(near) !== sanitise(name);

/** All of some conditions. */
export const match = (conditions: readonly Condition[]): Part => ({
  match: { all: { of: conditions.map(({ expression }) => ({ expr: expression })) } },
});

/** Constants and variables that conditions name, where a policy has any. */
export function namesOf(conditions: readonly Condition[]): { readonly [name: string]: Part } {
  const constants = conditions.flatMap((each) => each.constants);
  const variables = conditions.flatMap((each) => each.variables);
  return {
    ...(constants.length > 0 && { constants: { local: entries(...constants) } }),
    ...(variables.length > 0 && { variables: { local: entries(...variables) } }),
  };
}

/** What a rule tells, and how it comes back. */
export interface Told {
  readonly part: Part;
  readonly outputs: (key: string, name: string) => readonly { readonly src: string; readonly val: Json }[];
}

/** An output that says strings back. */
export function makeOutput({ random, slot }: Ground): Told {
  const pairs = random.several(1, 5, () => ({
    key: slot("a key of an output", { whole: true }),
    value: slot("a value of an output", { whole: true }),
    style: pickStyle(random),
  }));
  const write = (): string => `{${pairs.map(({ key, value, style }) => `${style(key.text)}: ${style(value.text)}`).join(", ")}}`;
  return {
    part: {
      when: {
        ruleActivated: written(
          pairs.flatMap(({ key, value }) => [key, value]),
          () => write(),
        ),
      },
    },
    outputs: (policy, rule) => [
      { src: `${policy}#${rule}`, val: Object.fromEntries(pairs.map(({ key, value }) => [key.text, value.text])) },
    ],
  };
}
