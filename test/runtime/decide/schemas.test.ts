/** Which schemas attributes must satisfy, and what follows when they do not (semantics 6, 4.8). */
import { describe, expect, it } from "vitest";
import type { SchemaEnforcement } from "../../../runtime/decide/input.ts";
import { ask, evaluatorOf, options, told } from "./policies.ts";
import { derivedRoles, principal, resource, rule } from "./policies-of-all-types.ts";

const schemas = {
  schemas: {
    principalSchema: { ref: "authz:///p.json" },
    resourceSchema: { ref: "authz:///r.json", ignoreWhen: { actions: ["make*", "x?"] } },
  },
};
const evaluator = evaluatorOf(
  derivedRoles("r", ["owner of user"]),
  resource("k", [rule("allow view, make to user", { output: { when: { ruleActivated: "1" } } }), "allow own to derived owner"], {
    ...schemas,
    importDerivedRoles: ["r"],
  }),
  resource("k", [], { scope: "acme" }),
  resource("other", [], {}),
  resource("other", [], { scope: "corp" }),
  principal("ann", ["k: allow all"]),
);
const refs = (kind: string, actions: readonly string[], scope = "") =>
  evaluator
    .schemaChecks([{ principal: { id: "ann", roles: ["user"] }, resource: { kind, id: "1", scope }, actions }], options)
    .map(({ input, source, ref }) => `${input} ${source} ${ref}`);
const both = ["0 SOURCE_PRINCIPAL authz:///p.json", "0 SOURCE_RESOURCE authz:///r.json"];

describe("the schemas that count", () => {
  it.each<[sentence: string, found: readonly string[], expected: readonly string[]]>([
    ["principal's first", refs("k", ["view"]), both],
    ["those of the root for its descendants", refs("k", ["view"], "acme"), both],
    ["none where the nearest scope has no policy of the kind", refs("k", ["view"], "corp"), []],
    ["none in a scope that does not exist", refs("k", ["view"], "nope"), []],
    ["none for kinds without", refs("other", ["view"]), []],
    ["all of them while one action is not ignored", refs("k", ["make", "view"]), both],
    ["not those that every action ignores", refs("k", ["make", "makeshift", "x1"]), both.slice(0, 1)],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe("attributes that are wrong", () => {
  const asked: unknown[] = [];
  const enforce = (enforcement: SchemaEnforcement["enforcement"], wrong: boolean): SchemaEnforcement => ({
    enforcement,
    validate: (input, source, ref, attributes) => {
      asked.push([input, source, ref, attributes]);
      return wrong ? [{ path: "/a", message: "wrong", source }] : [];
    },
  });
  const decide = (enforcement: SchemaEnforcement["enforcement"], wrong: boolean) =>
    ask(evaluator, ["user"], "k", ["view", "all", "own"], {
      options: { schemas: enforce(enforcement, wrong), effectivePolicies: true },
      P: { p: 1 },
      input: { resource: { kind: "k", id: "1", scope: "acme" } },
    });

  it("are only reported where they are warned of", () => {
    const decision = decide("warn", true);
    expect(told(decision)).toEqual([
      "view: ALLOW by resource.k.vdefault/acme",
      "all: ALLOW by principal.ann.vdefault",
      "own: ALLOW by resource.k.vdefault/acme",
    ]);
    expect(decision.validationErrors.map(({ source }) => source)).toEqual(["SOURCE_PRINCIPAL", "SOURCE_RESOURCE"]);
    expect(asked).toEqual([
      [0, "SOURCE_PRINCIPAL", "authz:///p.json", { p: 1 }],
      [0, "SOURCE_RESOURCE", "authz:///r.json", {}],
    ]);
  });

  it("deny everything where they are rejected, what a principal policy allows too; nothing else is said", () => {
    const decision = decide("reject", true);
    expect(told(decision)).toEqual(["view", "all", "own"].map((action) => `${action}: DENY by resource.k.vdefault/acme`));
    expect(decision).toMatchObject({ outputs: [], effectiveDerivedRoles: [], evaluationErrors: [] });
    expect(decision.effectivePolicies.size).toBe(0);
    expect(decision.validationErrors).toHaveLength(2);
  });

  it("change nothing where there are none", () => {
    expect(decide("reject", false)).toMatchObject({ validationErrors: [], effectiveDerivedRoles: ["owner"] });
  });
});
