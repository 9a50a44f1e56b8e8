/** What the record says of one answer, in any order of answers: texts and their pieces are remembered. */
import { assert as holds, array, constantFrom, property, record } from "fast-check";
import { expect, it } from "vitest";
import type { ActionDecision, Decision } from "../../../runtime/decide/decision.ts";
import { answerText } from "../../../runtime/wire/answer-texts.ts";

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
const [owner, boss, bossAndOwner] = [Object.freeze(["owner"]), Object.freeze(["boss"]), Object.freeze(["boss", "owner"])];
const none: readonly never[] = Object.freeze([]);

interface Said {
  readonly actions: readonly (readonly [name: string, decided: ActionDecision])[];
  readonly more?: Partial<Decision>;
}

const decisionOf = ({ actions, more }: Said): Decision => ({
  requestId: "",
  resourceId: "1",
  actions: new Map(actions),
  effectiveDerivedRoles: none,
  outputs: [],
  validationErrors: [],
  evaluationErrors: none,
  effectivePolicies: new Map(),
  ...more,
});

const namesOf = ({ actions }: Said): readonly string[] => actions.map(([name]) => name);

const said = (what: Said): unknown => JSON.parse(`{"resourceId":"1${answerText(decisionOf(what), namesOf(what), parts)}`);

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
  ["a derived role", { ...first, more: { effectiveDerivedRoles: owner } }],
  ["another derived role", { ...first, more: { effectiveDerivedRoles: boss } }],
  ["one more derived role", { ...first, more: { effectiveDerivedRoles: bossAndOwner } }],
  ["an error", { ...first, more: { evaluationErrors: Object.freeze([error]) } }],
  ["another message", { ...first, more: { evaluationErrors: Object.freeze([{ ...error, message: "no such overload" }]) } }],
  ["another expression", { ...first, more: { evaluationErrors: Object.freeze([{ ...error, expression: "R.attr.y" }]) } }],
  ["one more error", { ...first, more: { evaluationErrors: Object.freeze([error, { ...error, expression: "R.attr.y" }]) } }],
  ["a validation error", { ...first, more: { validationErrors: [{ path: "/x", message: "must be text", source: "SOURCE_RESOURCE" }] } }],
  ["an output", { ...first, more: { outputs: [{ src: "resource.k.vdefault#one", action: "view", val: 1 }] } }],
  ["another output", { ...first, more: { outputs: [{ src: "resource.k.vdefault#one", action: "view", val: 2 }] } }],
])("%s", (_, other) => {
  // Both twice, so that each is written beside the other when both are remembered.
  for (const each of [first, other, first, other]) expect(said(each)).toEqual(inWords(each));
});

const secondError = { ...error, expression: "R.attr.y" };

it.each<[which: string, errors: Decision["evaluationErrors"]]>([
  ["the first", [{ ...error, message: "no such overload" }, secondError]],
  ["the last", [error, { ...secondError, message: "no such overload" }]],
  ["the order", [secondError, error]],
])("decisions that differ in %s of their errors", (_, errors) => {
  const left: Said = { ...first, more: { evaluationErrors: Object.freeze([error, secondError]) } };
  const right: Said = { ...first, more: { evaluationErrors: Object.freeze(errors) } };
  for (const each of [left, right, left, right]) expect(said(each)).toEqual(inWords(each));
});

it("decisions that differ in the middle of three actions only", () => {
  const about = (middle: ActionDecision): Said => ({
    actions: [
      ["view", allow],
      ["edit", middle],
      ["delete", allow],
    ],
  });
  for (const each of [allow, deny, allow, deny]) expect(said(about(each))).toEqual(inWords(about(each)));
});

it("a list that is frozen is written once, one that may still change each time", () => {
  const roles = ["owner"];
  const errors = [error];
  const changing: readonly Said[] = [
    { ...first, more: { effectiveDerivedRoles: roles } },
    { ...first, more: { evaluationErrors: errors } },
    { ...first, more: { effectiveDerivedRoles: roles, evaluationErrors: errors } },
  ];
  const frozen: Said = { ...first, more: { effectiveDerivedRoles: owner, evaluationErrors: Object.freeze([error]) } };
  const all = [...changing, frozen];
  for (const each of [...all, ...all]) expect(said(each)).toEqual(inWords(each));
  roles.push("boss");
  errors.push({ ...error, message: "no such overload" });
  for (const each of all) expect(said(each)).toEqual(inWords(each));
});

it("an answer in which no action was decided says so", () => {
  expect(said({ actions: [] })).toEqual({ resourceId: "1", actions: {} });
});

it("answers that are remembered are told apart, however many there are and in whatever order they come", () => {
  const actions = array(record({ name: constantFrom("view", "edit", "delete"), decided: constantFrom(allow, deny) }), { maxLength: 3 });
  const errors = [none, Object.freeze([error]), Object.freeze([secondError]), Object.freeze([error, secondError])];
  const answers = record({
    actions: actions.map((some) => some.map(({ name, decided }, at) => [`${name}${at}`, decided] as const)),
    more: record({
      effectiveDerivedRoles: constantFrom(none, owner, boss, bossAndOwner),
      evaluationErrors: constantFrom(...errors),
    }),
  });
  holds(
    property(array(answers, { maxLength: 20 }), (all) => {
      for (const each of [...all, ...all]) expect(said(each)).toEqual(inWords(each));
    }),
  );
});

it("what is remembered is bounded, and what was forgotten is written again", () => {
  const answer = (index: number): Said => ({
    actions: [
      ["view", Object.freeze({ ...allow, matchedScope: `s${index}` })],
      [`${"long".repeat(400)}${index}`, deny],
    ],
  });
  const some = Array.from({ length: 3000 }, (_, index) => answer(index));
  for (const each of [...some, ...some.slice(0, 10)]) expect(said(each)).toEqual(inWords(each));
});
