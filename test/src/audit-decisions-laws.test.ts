/** What must always hold of a decision entry's text, whatever was asked and decided. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import {
  array,
  assert as holds,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  option,
  property,
  record,
  string,
  uniqueArray,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { DecisionLogEntrySchema } from "../../proto/gen/authz/audit/v1/audit_pb.js";
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { Decision } from "../../runtime/decide/decision.ts";
import { writeDecisions } from "../../runtime/wire/decisions.ts";
import { checkInputs, readCheckRequest } from "../../runtime/wire/request.ts";

const limits = { maxResourcesPerRequest: 500, maxActionsPerResource: 500 };

describe("laws", () => {
  const name = string({ minLength: 1, unit: "grapheme" });
  const attributes = dictionary(name, jsonValue(), { maxKeys: 3 });
  const requests = record({
    requestId: string({ unit: "grapheme" }),
    principal: record({ id: name, roles: uniqueArray(name, { minLength: 1, maxLength: 3 }), attr: attributes }),
    resources: array(
      record({ actions: uniqueArray(name, { minLength: 1, maxLength: 3 }), resource: record({ kind: name, id: name, attr: attributes }) }),
      { minLength: 1, maxLength: 3 },
    ),
    requestContext: record({ annotations: attributes }),
  });
  const decisionOf =
    (effect: "EFFECT_ALLOW" | "EFFECT_DENY", key: string, val: unknown) =>
    ({ resource, actions }: { readonly resource: { readonly id: string }; readonly actions: readonly string[] }): Decision => ({
      requestId: "",
      effectiveDerivedRoles: [],
      validationErrors: [],
      resourceId: resource.id,
      actions: new Map(actions.map((action) => [action, { effect, matchedPolicy: key, matchedScope: "" }])),
      outputs: [{ src: key, action: actions[0] ?? "", val: JSON.parse(JSON.stringify(val)) }],
      evaluationErrors: [{ expression: key, message: key }],
      effectivePolicies: new Map<string, JsonObject>([[key, { source: key }]]),
    });

  test("an entry is one line of exact proto3 JSON, within its bounds", () => {
    holds(
      property(
        requests,
        constantFrom("EFFECT_ALLOW", "EFFECT_DENY"),
        name,
        jsonValue(),
        option(attributes),
        integer({ min: 1000, max: 5000 }),
        (asking, effect, key, val, claims, maxBytes) => {
          const request = readCheckRequest(JSON.stringify(asking), limits);
          if (request.kind === "refusal") return;
          const inputs = checkInputs(request, claims === null ? undefined : { jwt: claims as JsonObject });
          const text = writeDecisions(request, inputs, inputs.map(decisionOf(effect, key, val)), { denialsOnly: false, maxBytes });
          expect(text).not.toMatch(/[\n\r]/);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
          const json: JsonValue = JSON.parse(text);
          const entry = fromJson(DecisionLogEntrySchema, json);
          expect(entry.method.case).toBe("checkResources");
          if (!entry.oversized)
            expect(json).toMatchObject({
              checkResources: {
                inputs: inputs.map((each) =>
                  JSON.parse(JSON.stringify({ ...each, requestId: each.requestId === "" ? undefined : each.requestId })),
                ),
              },
            });
        },
      ),
      { numRuns: 100 },
    );
  });
});
