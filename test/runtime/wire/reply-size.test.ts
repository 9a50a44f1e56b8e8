/** How large a reply may become, and what ends it. */
import { expect, test } from "vitest";
import { bound, largestReply, tooLargeReply } from "../../../runtime/wire/reply-size.ts";
import { forms } from "../../../runtime/wire/forms.ts";
import type { Decision } from "../../../runtime/decide/decision.ts";

const limits = { maxResourcesPerRequest: 50, maxActionsPerResource: 50 };
const settings = { ...limits, defaultPolicyVersion: "default", defaultScope: "" };

test.each([
  ["16 Mi where little can be asked", limits, 2 ** 24],
  ["more where more can be asked", { maxResourcesPerRequest: 500, maxActionsPerResource: 500 }, 32_000_000],
  ["16 Mi where nobody says what can be asked", {}, 2 ** 24],
])("a reply has at most so many characters: %s", (_sentence, given, most) => {
  expect(largestReply(given)).toBe(most);
});

test("one more ends it", () => {
  expect(() => bound("abc", 3)).not.toThrow();
  let thrown: unknown;
  try {
    bound("abcd", 3);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBe(tooLargeReply);
});

test("names that stand once in the question cannot stand in the reply a hundred times", () => {
  const actions = Array.from({ length: 50 }, (_, at) => `${"a".repeat(40_000)}${at}`);
  const instances = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`i${at}`, {}]));
  const text = JSON.stringify({ includeMeta: true, actions, principal: { id: "a", roles: ["r"] }, resource: { kind: "k", instances } });
  const request = forms.CheckResourceSet.read(text, limits);
  if (request.kind === "refusal") throw new Error(request.message);
  const decision: Decision = {
    requestId: "",
    resourceId: "i",
    actions: new Map(actions.map((action) => [action, { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" }])),
    effectiveDerivedRoles: [],
    validationErrors: [],
    outputs: [],
    evaluationErrors: [],
    effectivePolicies: new Map(),
  };
  const decisions = request.entries.map(() => decision);
  let thrown: unknown;
  try {
    forms.CheckResourceSet.write(request, decisions, settings, "id");
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBe(tooLargeReply);
});
