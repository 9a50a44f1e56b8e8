/** The policy that `bench/decide.ts` asks about: leave requests, with the rules of the classic workload; and the questions. */
import type { Source } from "../../compiler/source.ts";
import type { CheckInput, Principal } from "../../runtime/decide/input.ts";

/** One action on one resource, and what is right. */
export interface Question {
  readonly name: string;
  readonly input: CheckInput;
  readonly action: string;
  readonly isAllowed: boolean;
}

export const version = "20210210";

/** The kinds of so many policies. */
export const kindsOf = (policies: number): readonly string[] =>
  Array.from({ length: policies }, (_, number) => `leave_request_${String(number).padStart(5, "0")}`);

/** A policy for each kind. */
export const policiesFor = (kinds: readonly string[]): readonly Source[] => [
  { path: "derived_roles.yaml", text: derivedRoles },
  ...kinds.map((kind) => ({ path: `${kind}.yaml`, text: policyFor(kind) })),
];

const derivedRoles = `apiVersion: api.authz.dev/v1
variables:
  same_geography: R.attr.geography == P.attr.geography
derivedRoles:
  name: staff
  definitions:
    - name: owner
      parentRoles: [employee]
      condition:
        match:
          expr: R.attr.owner == P.id
    - name: any_employee
      parentRoles: [employee]
    - name: direct_manager
      parentRoles: [manager]
      condition:
        match:
          all:
            of:
              - expr: V.same_geography
              - expr: R.attr.geography == P.attr.managed_geographies
`;

const policyFor = (kind: string): string => `apiVersion: api.authz.dev/v1
variables:
  pending_approval: ("PENDING_APPROVAL")
  principal_location: |-
    (P.attr.ip_address.inIPAddrRange("10.20.0.0/16") ? "GB" : "")
resourcePolicy:
  resource: ${kind}
  version: "${version}"
  importDerivedRoles: [staff]
  rules:
    - actions: ["*"]
      effect: EFFECT_ALLOW
      roles: [admin]
    - actions: [create]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
    - actions: ["view:*"]
      effect: EFFECT_ALLOW
      derivedRoles: [owner, direct_manager]
    - actions: ["view:public"]
      effect: EFFECT_ALLOW
      derivedRoles: [any_employee]
    - actions: [approve]
      effect: EFFECT_ALLOW
      derivedRoles: [direct_manager]
      condition:
        match:
          expr: R.attr.status == V.pending_approval
    - actions: [delete]
      effect: EFFECT_ALLOW
      derivedRoles: [direct_manager]
      condition:
        match:
          expr: R.attr.geography == V.principal_location
`;

const john = { id: "john", roles: ["employee"], attr: { department: "marketing", geography: "GB", team: "design" } };
const mary = { ...john, id: "mary", roles: ["manager"], attr: { ...john.attr, managed_geographies: "GB", ip_address: "10.20.5.5" } };
const root = { ...john, id: "root", roles: ["admin"] };
const pending = { status: "PENDING_APPROVAL" };

const asked: readonly (readonly [
  name: string,
  who: Principal,
  attributes: { readonly [name: string]: string },
  action: string,
  isAllowed: boolean,
])[] = [
  ["an employee views what is public", john, {}, "view:public", true],
  ["an employee approves", john, {}, "approve", false],
  ["a manager approves what is pending", mary, pending, "approve", true],
  ["a manager approves what is not pending", mary, {}, "approve", false],
  ["an owner views what is private", john, { owner: "john" }, "view:private", true],
  ["an administrator deletes", root, {}, "delete", true],
];

const attributes = { department: "engineering", geography: "GB", id: "YY125", owner: "jenny", team: "backend", status: "" };

/** The questions about one kind; the inputs are as a request leaves them: parsed from JSON. */
export const questionsAbout = (kind: string): readonly Question[] =>
  asked.map(([name, principal, more, action, isAllowed]) => ({
    name,
    action,
    isAllowed,
    input: inputOf(principal, kind, { ...attributes, ...more }, [action]),
  }));

/** What a manager may do to one resource of a kind, with so many actions in one input. */
export const managerAsks = (kind: string, actions: readonly string[]): CheckInput => inputOf(mary, kind, attributes, actions);

/** Actions that the policy knows by name and by pattern, and one that it does not know. */
export const actions = ["view:public", "approve", "create", "view:private", "view:team", "print"] as const;

function inputOf(
  principal: Principal,
  kind: string,
  attr: { readonly [name: string]: string },
  actionsAsked: readonly string[],
): CheckInput {
  const resource = { kind, id: "YY125", policyVersion: version, attr };
  const input: CheckInput = JSON.parse(
    JSON.stringify({ principal: { ...principal, policyVersion: version }, resource, actions: actionsAsked }),
  );
  return input;
}
