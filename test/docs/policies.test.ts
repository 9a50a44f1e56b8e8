/** Runs the examples of docs/policies.md: the cases below an example say what the service answers. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compile } from "../../compiler/index.ts";
import type { Json } from "../../runtime/cel/to-json.ts";
import type { JsonObject } from "../../runtime/cel/value.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";

interface Case {
  readonly roles: readonly string[];
  readonly id?: string;
  readonly kind?: string;
  /** Of the resource. */
  readonly scope?: string;
  readonly principalAttr?: JsonObject;
  readonly attr?: JsonObject;
  readonly actions: { readonly [action: string]: "ALLOW" | "DENY" };
  readonly effectiveDerivedRoles?: readonly string[];
  /** All of them, by source. */
  readonly outputs?: { readonly [source: string]: Json };
}

interface Example {
  readonly title: string;
  readonly policies: string[];
  readonly cases: Case[];
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

function readExamples(): readonly Example[] {
  const page = readFileSync("docs/policies.md", "utf8");
  return page
    .split(/^## /m)
    .map((section) => {
      const blocks = [...section.matchAll(/^```yaml (policy|cases)\n(.*?)^```$/gms)];
      return {
        title: section.slice(0, section.indexOf("\n")),
        policies: blocks.flatMap(([, kind, text]) => (kind === "policy" && text !== undefined ? [text] : [])),
        cases: blocks.flatMap(([, kind, text]) => (kind === "cases" && text !== undefined ? (parse(text) as Case[]) : [])),
      };
    })
    .filter((example) => example.policies.length > 0);
}

const examples = readExamples();

test("the page has examples, and every example has cases", () => {
  expect(examples.length).toBeGreaterThan(3);
  for (const example of examples) expect(example.cases.length, example.title).toBeGreaterThan(0);
});

describe.each(examples)("$title", ({ policies, cases }) => {
  const { diagnostics, compiled } = compile(
    policies.map((text, index) => ({ path: `${index}.yaml`, text })),
    { digest },
  );
  const resource = policies.map((text) => /^ {2}resource: (\w+)$/m.exec(text)?.[1]).find((name) => name !== undefined);

  test("compiles without a diagnostic", () => {
    expect(diagnostics).toEqual([]);
  });

  test.each(cases)("$id, $roles may do $actions with $attr in $scope", (each) => {
    if (compiled === undefined) throw new Error("the example does not compile");
    const [decision] = load(compiled.bundle, evaluateInThisRealm).check(
      [
        {
          principal: { id: each.id ?? "ann", roles: each.roles, attr: each.principalAttr ?? {} },
          resource: {
            kind: each.kind ?? resource ?? "",
            id: "1",
            attr: each.attr ?? {},
            ...(each.scope !== undefined && { scope: each.scope }),
          },
          actions: Object.keys(each.actions),
        },
      ],
      {
        now: 0,
        globals: {},
        defaultPolicyVersion: "default",
        defaultScope: "",
        lenientScopeSearch: false,
        strictEvaluation: false,
        evaluationErrors: false,
        effectivePolicies: false,
      },
    );
    const effects = Object.fromEntries(
      [...(decision?.actions ?? [])].map(([action, { effect }]) => [action, effect.replace("EFFECT_", "")]),
    );
    expect(effects).toEqual(each.actions);
    if (each.outputs !== undefined)
      expect(Object.fromEntries((decision?.outputs ?? []).map(({ src, val }) => [src, val]))).toEqual(each.outputs);
    if (each.effectiveDerivedRoles !== undefined) expect(decision?.effectiveDerivedRoles).toEqual(each.effectiveDerivedRoles);
  });
});
