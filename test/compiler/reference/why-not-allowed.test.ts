/** Who is denied because nothing allows an action is told what the request names that no policy or rule is about. */
import { describe, expect, test } from "vitest";
import { explain } from "../../../compiler/reference/decide.ts";
import { whyNotAllowed } from "../../../compiler/reference/why-not-allowed.ts";
import type { CheckInput, CheckOptions } from "../../../runtime/decide/input.ts";
import { options } from "../../runtime/decide/policies.ts";
import { linked, resource, role, roles, type Files } from "../link/harness.ts";

const rule = (actions: string, who: string, rest = "effect: EFFECT_ALLOW"): string =>
  `    - {actions: [${actions}], ${who.startsWith("derivedRoles") ? who : `roles: [${who}]`}, ${rest}}\n`;
const rules = (...all: readonly string[]): string => `  rules:\n${all.join("")}`;
const scoped = (scope: string, body: string, more = ""): string => `  scope: ${scope}\n${more}${body}`;
const when = (expression: string, effect = "EFFECT_ALLOW"): string => `effect: ${effect}, condition: {match: {expr: '${expression}'}}`;
const consent = "  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\n";

const shop: Files = {
  "order.yaml": resource(
    rules(
      rule("view, '\"list:*\"'", "user, manager"),
      rule("approve", "manager"),
      rule("edit", "derivedRoles: [owner]"),
      rule("delete", '"*"', "effect: EFFECT_DENY"),
      rule("pay", "user", when("R.attr.open == true")),
      rule("hold", "user", when("R.attr.open == true", "EFFECT_DENY")),
    ).replace("rules:", "importDerivedRoles: [owners]\n  rules:"),
    "order",
  ),
  "owners.yaml": roles("owners", "{name: owner, parentRoles: [user], condition: {match: {expr: 'R.attr.owner == P.id'}}}"),
  "invoice.yaml": resource(rules(rule("view", "user")), "invoice").replace("version: default", "version: v2"),
  "acme.yaml": resource(scoped("acme", rules(rule("view", "user"))), "ticket"),
  "root.yaml": resource(rules(), "ticket").replace("  rules:\n", ""),
};

interface Asked {
  readonly kind?: string;
  readonly version?: string;
  readonly scope?: string;
  readonly roles?: readonly string[];
  readonly attr?: CheckInput["resource"]["attr"];
}

/** The sentences about one action. */
function told(files: Files, action: string, asked: Asked = {}, changed: Partial<CheckOptions> = {}): readonly string[] {
  const { set, problems } = linked(files);
  expect(problems).toEqual([]);
  const { kind = "order", version, scope, roles: held = ["user"], attr = {} } = asked;
  const input: CheckInput = {
    principal: { id: "ann", roles: held, attr: {} },
    resource: {
      kind,
      id: "1",
      attr,
      ...(version !== undefined && { policyVersion: version }),
      ...(scope !== undefined && { scope }),
    },
    actions: [action],
  };
  const all = { ...options, ...changed };
  return whyNotAllowed(set, input, all, action, explain(set, input, all));
}

describe("nothing is about the resource", () => {
  test.each<[string, Asked, string]>([
    ["a kind with a slip", { kind: "ordr" }, "no policy is about the kind `ordr`; did you mean `order`?"],
    ["a kind like none", { kind: "x" }, "no policy is about the kind `x`; there are policies about `ticket`, `invoice`, `order`"],
    ["a version that there is not", { version: "v9" }, "no policy about `order` has the version `v9`; there is `default`"],
    ["a version left out", { kind: "invoice" }, "no policy about `invoice` has the version `default`; there is `v2`"],
    ["a scope with a slip", { scope: "acne" }, "no policy is in scope `acne`; did you mean `acme`?"],
    [
      "a scope below one that there is",
      { scope: "acme.hr" },
      "no policy is in scope `acme.hr`; `engine.lenientScopeSearch` would search scope `acme`, the nearest above",
    ],
  ])("%s", (_sentence, asked, wanted) => {
    expect(told(shop, "view", asked)).toEqual([wanted]);
  });

  test("a scope of another kind, with the version of a third", () => {
    expect(told(shop, "view", { kind: "order", scope: "acme", version: "v2" })).toEqual([
      "no policy about `order` has the version `v2`; there is `default`",
    ]);
  });

  test("no policies at all", () => {
    expect(told({}, "view")).toEqual(["there is no policy about any resource"]);
  });
});

describe("no rule is about the action or the roles", () => {
  test.each<[string, string, Asked, readonly string[]]>([
    ["an action with a slip", "veiw", {}, ["no rule of resource.order.vdefault allows `veiw`; did you mean `view`?"]],
    ["an action that is only denied", "delete", {}, []],
    ["an action that would only be denied", "hold", {}, ["no rule of resource.order.vdefault allows `hold`"]],
    ["an action of others", "approve", {}, ["the rules that allow `approve` are for the role `manager`; the principal has `user`"]],
    [
      "a role with a slip",
      "view",
      { roles: ["guest", "User"] },
      ["the rules that allow `view` are for the roles `user`, `manager`; the principal has `guest`, `User`; did you mean `user`?"],
    ],
    [
      "a derived role whose parent is not held",
      "edit",
      { roles: ["guest"] },
      ["the rules that allow `edit` are for the role `user` (from which `owner` derives); the principal has `guest`"],
    ],
    ["a derived role whose condition fails is among the reasons", "edit", {}, []],
    ["a condition that fails is among the reasons", "pay", {}, []],
    ["what is allowed", "pay", { attr: { open: true } }, []],
    [
      "an action in a scope and above",
      "edit",
      { kind: "ticket", scope: "acme" },
      ["no rule of resource.ticket.vdefault/acme, resource.ticket.vdefault allows `edit`"],
    ],
  ])("%s", (_sentence, action, asked, wanted) => {
    expect(told(shop, action, asked)).toEqual(wanted);
  });

  test("many roles are counted, long names are cut", () => {
    const names = Array.from({ length: 9 }, (_, at) => `r${at}`);
    const files = { "a.yaml": resource(rules(rule("view", names.join(", ")))) };
    expect(told(files, "view", { kind: "a", roles: ["x".repeat(100)] })).toEqual([
      `the rules that allow \`view\` are for the roles \`r0\`, \`r1\`, \`r2\`, \`r3\`, \`r4\` and 4 more; the principal has \`${"x".repeat(60)}...\``,
    ]);
  });
});

describe("something else denies", () => {
  test("a scope that only consents", () => {
    const files = {
      "a.yaml": resource(scoped("acme", rules(rule("view", "user")), consent)),
      "b.yaml": resource("  rules: []\n"),
    };
    expect(told(files, "view", { kind: "a", scope: "acme" })).toEqual([
      "a rule allows it in a scope that requires the consent of its parents, and no scope above allows it",
    ]);
  });

  test.each<[string, "reject" | "warn", string, readonly string[]]>([
    [
      "a schema that rejects the attributes",
      "reject",
      "/amount",
      ["schema validation rejects the attributes of the resource at `/amount`: expected a number"],
    ],
    ["a schema that cannot be loaded", "reject", "", ["schema validation rejects the attributes of the resource: expected a number"]],
    ["not a schema that only warns", "warn", "/amount", ["no rule of resource.a.vdefault allows `nope`; did you mean `note`?"]],
  ])("%s", (_sentence, enforcement, path, wanted) => {
    const files = { "a.yaml": resource(`  schemas: {resourceSchema: {ref: "authz:///a.json"}}\n${rules(rule("note", "user"))}`) };
    const validate = () => [{ path, message: "expected a number", source: "SOURCE_RESOURCE" as const }];
    expect(told(files, "nope", { kind: "a" }, { schemas: { enforcement, validate } })).toEqual(wanted);
  });

  test("a kind that only role policies are about", () => {
    const files = { "a.yaml": role("  rules:\n    - {resource: thing, allowActions: [view]}\n", "clerk") };
    expect(told(files, "view", { kind: "thing", roles: ["clerk"] })).toEqual([
      "only role policies are about the kind `thing`, and these never allow anything",
    ]);
  });

  test("a role policy, which is among the reasons", () => {
    const files = { ...shop, "a.yaml": role("  rules:\n    - {resource: order, allowActions: [edit]}\n", "user") };
    expect(told(files, "view")).toEqual([]);
  });

  test("a parent role allows it", () => {
    const files = {
      ...shop,
      "a.yaml": role("  parentRoles: [manager]\n  rules:\n    - {resource: order, allowActions: [approve]}\n", "chief"),
    };
    expect(told(files, "approve", { roles: ["chief"] })).toEqual([]);
  });
});
