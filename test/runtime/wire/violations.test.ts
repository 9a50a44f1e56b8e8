/** Every constraint that a well-formed request can break, all of them at once, in the shape of decision D6. */
import { describe, expect, test } from "vitest";
import { printRefusal } from "../../../runtime/wire/refusal.ts";
import type { Refusal } from "../../../runtime/wire/refusal.ts";
import { readCheckRequest } from "../../../runtime/wire/request.ts";

const limits = { maxResourcesPerRequest: 50, maxActionsPerResource: 50 };

const refusalOf = (request: unknown): Refusal => {
  const refusal = readCheckRequest(typeof request === "string" ? request : JSON.stringify(request), limits);
  if (refusal.kind === "request") throw new Error("accepted");
  expect(refusal.code).toBe(3);
  return refusal;
};
const broken = (request: unknown): readonly (readonly [string, string, string])[] =>
  refusalOf(request).violations.map(({ fieldPath, ruleId, message }) => [fieldPath, ruleId, message] as const);

const ann = { id: "ann", roles: ["user"] };
const memo = { actions: ["view"], resource: { kind: "memo", id: "1" } };
const asks = (principal: object, ...entries: readonly object[]): object => ({
  principal,
  resources: entries.length > 0 ? entries : [memo],
});

const versionRule = "is not a policy version: only letters, digits and underscores are allowed";
const scopeRule =
  "is not a scope: write names of letters, digits, underscores and hyphens, separated by single dots (the first begins with a letter or a digit, and none with a hyphen)";

describe("one broken constraint", () => {
  test.each([
    ["no principal", { resources: [memo] }, "principal", "required", "a principal is required"],
    ["a null principal", { principal: null, resources: [memo] }, "principal", "required", "a principal is required"],
    ["no principal id", asks({ roles: ["user"] }), "principal.id", "required", "a principal id is required"],
    ["an empty principal id", asks({ id: "", roles: ["user"] }), "principal.id", "required", "a principal id is required"],
    ["no roles", asks({ id: "ann" }), "principal.roles", "required", "at least one role is required"],
    ["an empty list of roles", asks({ id: "ann", roles: [] }), "principal.roles", "required", "at least one role is required"],
    ["null for roles", asks({ id: "ann", roles: null }), "principal.roles", "required", "at least one role is required"],
    [
      "an empty role",
      asks({ id: "ann", roles: ["a", ""] }),
      "principal.roles[1]",
      "string.min_len",
      "the name of a role must not be empty",
    ],
    [
      "a role given twice",
      asks({ id: "ann", roles: ["a", "b", "a"] }),
      "principal.roles",
      "repeated.unique",
      "roles must be unique, but `a` is there more than once",
    ],
    [
      "a version with a hyphen",
      asks({ ...ann, policyVersion: "a-b" }),
      "principal.policyVersion",
      "string.pattern",
      `\`a-b\` ${versionRule}`,
    ],
    [
      "a version, in proto spelling",
      asks({ ...ann, policy_version: "é" }),
      "principal.policy_version",
      "string.pattern",
      `\`é\` ${versionRule}`,
    ],
    [
      "a version with a line end",
      asks({ ...ann, policyVersion: "a\n" }),
      "principal.policyVersion",
      "string.pattern",
      `\`a\n\` ${versionRule}`,
    ],
    ["a scope with two dots", asks({ ...ann, scope: "a..b" }), "principal.scope", "string.pattern", `\`a..b\` ${scopeRule}`],
    ["a scope that begins with a dot", asks({ ...ann, scope: ".a" }), "principal.scope", "string.pattern", `\`.a\` ${scopeRule}`],
    ["a scope that ends with a dot", asks({ ...ann, scope: "a." }), "principal.scope", "string.pattern", `\`a.\` ${scopeRule}`],
    ["a scope beyond ASCII", asks({ ...ann, scope: "é" }), "principal.scope", "string.pattern", `\`é\` ${scopeRule}`],
    [
      "an attribute without name",
      asks({ ...ann, attr: { "": 1 } }),
      'principal.attr[""]',
      "string.min_len",
      "the name of an attribute must not be empty",
    ],
    ["no resources", { principal: ann }, "resources", "required", "at least one resource is required"],
    ["an empty list of resources", { principal: ann, resources: [] }, "resources", "required", "at least one resource is required"],
    ["null for resources", { principal: ann, resources: null }, "resources", "required", "at least one resource is required"],
    ["no actions", asks(ann, memo, { resource: memo.resource }), "resources[1].actions", "required", "at least one action is required"],
    [
      "an empty list of actions",
      asks(ann, { ...memo, actions: [] }),
      "resources[0].actions",
      "required",
      "at least one action is required",
    ],
    [
      "an empty action",
      asks(ann, { ...memo, actions: [""] }),
      "resources[0].actions[0]",
      "string.min_len",
      "the name of an action must not be empty",
    ],
    [
      "an action given twice",
      asks(ann, { ...memo, actions: ["a", "a"] }),
      "resources[0].actions",
      "repeated.unique",
      "actions must be unique, but `a` is there more than once",
    ],
    [
      "an action given twice among many",
      asks(ann, { ...memo, actions: "abcdefghijklmnopqrsta".split("") }),
      "resources[0].actions",
      "repeated.unique",
      "actions must be unique, but `a` is there more than once",
    ],
    ["no resource", asks(ann, { actions: ["view"] }), "resources[0].resource", "required", "a resource is required"],
    ["no kind", asks(ann, { ...memo, resource: { id: "1" } }), "resources[0].resource.kind", "required", "a resource kind is required"],
    [
      "no resource id",
      asks(ann, { ...memo, resource: { kind: "k", id: "" } }),
      "resources[0].resource.id",
      "required",
      "a resource id is required",
    ],
    [
      "a resource's version",
      asks(ann, { ...memo, resource: { ...memo.resource, policyVersion: "1.0" } }),
      "resources[0].resource.policyVersion",
      "string.pattern",
      `\`1.0\` ${versionRule}`,
    ],
    [
      "a resource's scope",
      asks(ann, { ...memo, resource: { ...memo.resource, scope: "a b" } }),
      "resources[0].resource.scope",
      "string.pattern",
      `\`a b\` ${scopeRule}`,
    ],
    [
      "a resource's attribute without name",
      asks(ann, { ...memo, resource: { ...memo.resource, attr: { "": 1 } } }),
      'resources[0].resource.attr[""]',
      "string.min_len",
      "the name of an attribute must not be empty",
    ],
    ["no token", { ...asks(ann), auxData: { jwt: {} } }, "auxData.jwt.token", "required", "a token is required"],
    [
      "an empty token, in proto spelling",
      { ...asks(ann), aux_data: { jwt: { token: "" } } },
      "aux_data.jwt.token",
      "required",
      "a token is required",
    ],
    [
      "no token under a name",
      { ...asks(ann), auxData: { jwts: { a: null } } },
      'auxData.jwts["a"].token',
      "required",
      "a token is required",
    ],
    [
      "a token without name",
      { ...asks(ann), auxData: { jwts: { "": { token: "x" } } } },
      'auxData.jwts[""]',
      "string.min_len",
      "the name of a token must not be empty",
    ],
    [
      "one token and named ones",
      { ...asks(ann), auxData: { jwt: { token: "x" }, jwts: { a: { token: "x" } } } },
      "auxData",
      "exclusiveFieldsJwtOrJwts",
      "give either `jwt` or `jwts`, not both",
    ],
    [
      "an annotation without name",
      { ...asks(ann), requestContext: { annotations: { "": 1 } } },
      'requestContext.annotations[""]',
      "string.min_len",
      "the name of an annotation must not be empty",
    ],
  ])("%s", (_what, request, fieldPath, ruleId, message) => {
    expect(broken(request)).toEqual([[fieldPath, ruleId, message]]);
  });
});

test("a lone dot, hyphens, underscores and digits make scopes; word characters make versions", () => {
  for (const scope of ["", ".", "a", "9", "a-b.c_d.9", "A-.b-"]) {
    expect(readCheckRequest(JSON.stringify(asks({ ...ann, scope, policyVersion: "v_1" })), limits).kind).toBe("request");
  }
});

describe("several broken constraints", () => {
  const many = {
    principal: { roles: ["", ""], policyVersion: "-" },
    resources: [{ actions: ["a", "a", ""], resource: { kind: "", scope: ".x" } }, {}],
  };

  test("are all reported, in the order in which the contract declares the fields", () => {
    expect(broken(many).map(([path, rule]) => `${path} ${rule}`)).toEqual([
      "principal.id required",
      "principal.policyVersion string.pattern",
      "principal.roles repeated.unique",
      "principal.roles[0] string.min_len",
      "principal.roles[1] string.min_len",
      "resources[0].actions repeated.unique",
      "resources[0].actions[2] string.min_len",
      "resources[0].resource.kind required",
      "resources[0].resource.id required",
      "resources[0].resource.scope string.pattern",
      "resources[1].actions required",
      "resources[1].resource required",
    ]);
  });

  test("are told in the order of the contract whatever the order of the text", () => {
    expect(
      broken(
        '{"requestContext":{"annotations":{"":1}},"auxData":{"jwt":{}},"resources":[],"principal":{"scope":"..","roles":[],"id":""}}',
      ).map(([path]) => path),
    ).toEqual(["principal.id", "principal.roles", "principal.scope", "resources", "auxData.jwt.token", 'requestContext.annotations[""]']);
  });

  test("are named in the message, up to ten of them", () => {
    expect(refusalOf({}).message).toBe("invalid request: principal: a principal is required; resources: at least one resource is required");
    expect(refusalOf(many).message).toMatch(/; resources\[0\]\.resource\.scope: [^;]+; and 2 more$/);
  });

  test("are listed up to a thousand, so that no answer dwarfs its question", () => {
    const { violations, message } = refusalOf({ principal: ann, resources: Array.from({ length: 40_000 }, () => ({})) });
    expect(violations).toHaveLength(1_000);
    expect(message).toMatch(/; and 79990 more$/);
  });
});

test.each([
  ["no body", ""],
  ["white space alone", " \r\n\t"],
  ["an empty object", "{}"],
])("%s is a request in which everything is missing", (_what, text) => {
  expect(broken(text).map(([path]) => path)).toEqual(["principal", "resources"]);
});

test("constraints come before limits", () => {
  expect(broken({ resources: Array.from({ length: 60 }, () => memo) })).toHaveLength(1);
});

describe("a refusal is printed as an error body", () => {
  test("with the contract's numbers and types beside the caller's path", () => {
    const body: unknown = JSON.parse(
      printRefusal(
        refusalOf({ principal: { id: "a", roles: ["b"], attr: { "": 1 } }, resources: [memo, { ...memo, actions: ["a", ""] }] }),
      ),
    );
    expect(body).toEqual({
      code: 3,
      message: expect.any(String),
      details: [
        {
          "@type": "type.googleapis.com/buf.validate.Violations",
          violations: [
            {
              field: {
                elements: [
                  { fieldNumber: 3, fieldName: "principal", fieldType: "TYPE_MESSAGE" },
                  {
                    fieldNumber: 4,
                    fieldName: "attr",
                    fieldType: "TYPE_MESSAGE",
                    keyType: "TYPE_STRING",
                    valueType: "TYPE_MESSAGE",
                    stringKey: "",
                  },
                ],
              },
              fieldPath: 'principal.attr[""]',
              ruleId: "string.min_len",
              message: "the name of an attribute must not be empty",
            },
            {
              field: {
                elements: [
                  { fieldNumber: 4, fieldName: "resources", fieldType: "TYPE_MESSAGE", index: "1" },
                  { fieldNumber: 1, fieldName: "actions", fieldType: "TYPE_STRING", index: "1" },
                ],
              },
              fieldPath: "resources[1].actions[1]",
              ruleId: "string.min_len",
              message: "the name of an action must not be empty",
            },
          ],
        },
      ],
    });
  });

  test("with proto names in the elements and the caller's spelling in the path", () => {
    const [violation] = refusalOf({ ...asks(ann), auxData: { jwt: {} } }).violations;
    expect(violation?.field.elements.map(({ fieldName }) => fieldName)).toEqual(["aux_data", "jwt", "token"]);
    expect(violation?.fieldPath).toBe("auxData.jwt.token");
  });

  test("without details where no constraint is at stake", () => {
    expect(printRefusal(refusalOf("["))).toBe(
      '{"code":3,"message":"line 1, column 2: expected a value, found the end of the text: the text ends too early, as if it were cut off"}',
    );
  });
});
