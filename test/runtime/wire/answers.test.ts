/** What the record says of one answer, in any order of answers: its pieces are remembered. */
import { expect, it } from "vitest";
import type { ActionDecision, Decision } from "../../../runtime/decide/decision.ts";
import { areAnsweredAlike, writeAnswer } from "../../../runtime/wire/answers.ts";

const allow: ActionDecision = { effect: "EFFECT_ALLOW", matchedPolicy: "resource.k.vdefault", matchedScope: "" };
const deny: ActionDecision = { effect: "EFFECT_DENY", matchedPolicy: "resource.k.vdefault/acme", matchedScope: "acme" };
const parts = {
  inner: (text: string) => JSON.stringify(text).slice(1, -1),
  ofPrincipal: () => "{}",
  ofResource: () => "{}",
  attributes: true,
  maxBytes: 2 ** 20,
};
const error = { expression: "R.attr.x > 1", message: "no such key: x" };

const noRoles: readonly string[] = [];

interface Said {
  readonly actions: readonly (readonly [name: string, decided: ActionDecision])[];
  readonly more?: Partial<Decision>;
}

const decisionOf = ({ actions, more }: Said): Decision => ({
  requestId: "",
  resourceId: "1",
  actions: new Map(actions),
  effectiveDerivedRoles: noRoles,
  outputs: [],
  validationErrors: [],
  evaluationErrors: [],
  effectivePolicies: new Map(),
  ...more,
});

const namesOf = ({ actions }: Said): readonly string[] => actions.map(([name]) => name);

const said = (what: Said): unknown => JSON.parse(`{"resourceId":"1${writeAnswer(decisionOf(what), namesOf(what), parts)}`);

const inWords = ({
  actions,
  more: { effectiveDerivedRoles = [], evaluationErrors = [], validationErrors = [], outputs = [] } = {},
}: Said) => ({
  resourceId: "1",
  actions: Object.fromEntries(
    actions.map(([name, { effect, matchedPolicy: policy, matchedScope: scope }]) => [
      name,
      { effect, policy, ...(scope !== "" && { scope }) },
    ]),
  ),
  ...(effectiveDerivedRoles.length > 0 && { effectiveDerivedRoles }),
  ...(validationErrors.length > 0 && { validationErrors }),
  ...(outputs.length > 0 && { outputs }),
  ...(evaluationErrors.length > 0 && {
    evaluationErrors: evaluationErrors.map(({ expression, message }) => ({ celError: { expression, message } })),
  }),
});

const first: Said = { actions: [["view", allow]] };

it.each<[what: string, other: Said]>([
  ["another action", { actions: [["edit", allow]] }],
  [
    "one more action",
    {
      actions: [
        ["view", allow],
        ["edit", allow],
      ],
    },
  ],
  [
    "another decision of the second action",
    {
      actions: [
        ["view", allow],
        ["edit", deny],
      ],
    },
  ],
  ["another decision", { actions: [["view", deny]] }],
  ["a derived role", { ...first, more: { effectiveDerivedRoles: ["owner"] } }],
  ["another derived role", { ...first, more: { effectiveDerivedRoles: ["boss"] } }],
  ["one more derived role", { ...first, more: { effectiveDerivedRoles: ["boss", "owner"] } }],
  ["an error", { ...first, more: { evaluationErrors: [error] } }],
  ["another message", { ...first, more: { evaluationErrors: [{ ...error, message: "no such overload" }] } }],
  ["another expression", { ...first, more: { evaluationErrors: [{ ...error, expression: "R.attr.y" }] } }],
  ["one more error", { ...first, more: { evaluationErrors: [error, { ...error, expression: "R.attr.y" }] } }],
  ["a validation error", { ...first, more: { validationErrors: [{ path: "/x", message: "must be text", source: "SOURCE_RESOURCE" }] } }],
  ["an output", { ...first, more: { outputs: [{ src: "resource.k.vdefault#one", action: "view", val: 1 }] } }],
  ["another output", { ...first, more: { outputs: [{ src: "resource.k.vdefault#one", action: "view", val: 2 }] } }],
])("%s", (_, other) => {
  // Both twice, so that each is written beside the other when its pieces are known.
  for (const each of [first, other, first, other]) expect(said(each)).toEqual(inWords(each));
  expect(areAnsweredAlike(decisionOf(first), decisionOf(other), namesOf(other))).toBe(false);
});

const withError: Said = { ...first, more: { evaluationErrors: [error] } };

it.each<[what: string, left: Said, right: Said]>([
  ["the same decision", first, { actions: [["view", allow]] }],
  ["the same errors", withError, { ...first, more: { evaluationErrors: [error] } }],
])("%s is answered alike", (_, left, right) => {
  expect(areAnsweredAlike(decisionOf(left), decisionOf(right), namesOf(left))).toBe(true);
});

const secondError = { ...error, expression: "R.attr.y" };

it.each<[which: string, errors: Decision["evaluationErrors"]]>([
  ["the first", [{ ...error, message: "no such overload" }, secondError]],
  ["the last", [error, { ...secondError, message: "no such overload" }]],
  ["the order", [secondError, error]],
])("decisions that differ in %s of their errors are not answered alike", (_, errors) => {
  const left: Said = { ...first, more: { evaluationErrors: [error, secondError] } };
  const right: Said = { ...first, more: { evaluationErrors: errors } };
  for (const each of [left, right, left]) expect(said(each)).toEqual(inWords(each));
  expect(areAnsweredAlike(decisionOf(left), decisionOf(right), namesOf(left))).toBe(false);
  expect(areAnsweredAlike(decisionOf(left), decisionOf({ ...left }), namesOf(left))).toBe(true);
});

it("a list that is frozen is written once, one that may still change each time", () => {
  const roles = ["owner"];
  const errors = [error];
  const changing: Said = { ...first, more: { effectiveDerivedRoles: roles, evaluationErrors: errors } };
  const frozen: Said = {
    ...first,
    more: { effectiveDerivedRoles: Object.freeze(["owner"]), evaluationErrors: Object.freeze([error]) },
  };
  for (const each of [changing, frozen, changing, frozen]) expect(said(each)).toEqual(inWords(each));
  roles.push("boss");
  errors.push({ ...error, message: "no such overload" });
  for (const each of [changing, frozen]) expect(said(each)).toEqual(inWords(each));
});

it("an answer in which no action was decided says so", () => {
  expect(said({ actions: [] })).toEqual({ resourceId: "1", actions: {} });
});
