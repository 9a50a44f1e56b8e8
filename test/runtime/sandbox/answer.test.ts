/** One check from text to text, with an evaluator made by hand. */
import { expect, test } from "vitest";
import type { Evaluator } from "../../../runtime/decide/decision.ts";
import { answerCheck, answerFailure } from "../../../runtime/sandbox/answer.ts";
import { openPendingChecks } from "../../../runtime/sandbox/pending.ts";
import { defaultSettings } from "../../../runtime/sandbox/settings.ts";

/** Allows everything to administrators. */
const evaluator: Evaluator = {
  check: (inputs) =>
    inputs.map(({ principal, resource, actions }) => ({
      requestId: "",
      resourceId: resource.id,
      actions: new Map(
        actions.map((action) => [
          action,
          {
            effect: principal.roles.includes("admin") ? ("EFFECT_ALLOW" as const) : ("EFFECT_DENY" as const),
            matchedPolicy: `resource.${resource.kind}.vdefault`,
            matchedScope: "",
          },
        ]),
      ),
      effectiveDerivedRoles: [],
      outputs: [],
      validationErrors: [],
      evaluationErrors: [],
      effectivePolicies: new Map(),
    })),
  allows: () => false,
  schemaChecks: () => [],
};

const body = (role: string, more = ""): string =>
  `{"principal":{"id":"ann","roles":["${role}"]},"resources":[{"actions":["view"],"resource":{"kind":"memo","id":"1"}}]${more}}`;

const answer = (text: string, settings = defaultSettings): string => answerCheck(evaluator, settings, openPendingChecks(), text, "CALL", 0);

test.each([
  [
    "a decision",
    body("admin"),
    '0{"results":[{"resource":{"id":"1","kind":"memo","policyVersion":"default"},"actions":{"view":"EFFECT_ALLOW"}}],"authzCallId":"CALL"}',
  ],
  [
    "another one",
    body("user"),
    '0{"results":[{"resource":{"id":"1","kind":"memo","policyVersion":"default"},"actions":{"view":"EFFECT_DENY"}}],"authzCallId":"CALL"}',
  ],
  [
    "text that is no JSON",
    "{",
    '3{"code":3,"message":"line 1, column 2: expected a field name in double quotes or \\"}\\", found the end of the text: the text ends too early, as if it were cut off"}',
  ],
])("%s", (_what, text, wanted) => {
  expect(answer(text)).toBe(wanted);
});

test("before policies are loaded every check is put off", () => {
  expect(answerCheck(undefined, defaultSettings, openPendingChecks(), body("admin"), "CALL", 0)).toBe(
    'e{"code":14,"message":"no policies are loaded yet"}',
  );
});

test("limits and defaults are those of the settings", () => {
  expect(answer(body("admin"), { ...defaultSettings, maxResourcesPerRequest: 0 })).toBe(
    '3{"code":3,"message":"the request asks about 1 resources, but at most 0 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)"}',
  );
  expect(answer(body("admin"), { ...defaultSettings, defaultPolicyVersion: "v9", defaultScope: "acme" })).toContain(
    '"policyVersion":"v9","scope":"acme"',
  );
});

test("the evaluator is asked with the settings and the one instant of the call", () => {
  const seen: unknown[] = [];
  const settings = {
    ...defaultSettings,
    defaultPolicyVersion: "v9",
    defaultScope: "acme",
    globals: { g: 1n },
    lenientScopeSearch: true,
    strictEvaluation: true,
    nowOffset: "local" as const,
  };
  answerCheck(
    {
      check: (inputs, options) => {
        seen.push(options);
        return evaluator.check(inputs, options);
      },
      allows: () => false,
      schemaChecks: () => [],
    },
    settings,
    openPendingChecks(),
    body("admin"),
    "CALL",
    1234.5,
  );
  expect(seen).toEqual([
    {
      now: 1234.5,
      nowOffset: "local",
      globals: { g: 1n },
      defaultPolicyVersion: "v9",
      defaultScope: "acme",
      lenientScopeSearch: true,
      strictEvaluation: true,
      evaluationErrors: false,
      effectivePolicies: false,
      effectiveDerivedRoles: false,
    },
  ]);
});

test("what went wrong inside is told with the code of an internal error", () => {
  expect(answerFailure("RangeError: too deep")).toBe('d{"code":13,"message":"the check failed: RangeError: too deep"}');
});
