/** What one check may cost (D46.1): requests made to be slow are refused as a whole, honest ones are answered. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { compile } from "../../../compiler/index.ts";
import { open } from "./open.ts";

const conditions = {
  in: "R.attr.list.exists(x, x in P.attr.list)",
  contains: "R.attr.text.contains(P.attr.text)",
  lastIndexOf: "R.attr.text.lastIndexOf(P.attr.text) == 0",
  replace: 'R.attr.text.replace(P.attr.text, "") == ""',
  matches: "P.attr.list.exists(x, R.attr.text.matches(x))",
  sameText: "R.attr.list.exists(x, R.attr.text != P.attr.text)",
  doubled: "V.d30 == V.e30",
  flattened: "V.d30.flatten(40).size() == 1",
};

const doubling = (name: string): string =>
  Array.from({ length: 31 }, (_, i) => `      ${name}${i}: "${i === 0 ? "R.attr.list" : `[V.${name}${i - 1}, V.${name}${i - 1}]`}"\n`).join(
    "",
  );

const policy = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  variables:
    local:
${doubling("d")}${doubling("e")}
  rules:
    - { actions: [always], effect: EFFECT_ALLOW, roles: [user] }
${Object.entries(conditions)
  .map(
    ([action, expr]) => `    - { actions: [${action}], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: '${expr}' } } }\n`,
  )
  .join("")}`;

/** What costs is meant to come through: how many values a request may hold is another bound. */
const settingsWith = (more: object): string => JSON.stringify({ maxValuesPerRequest: 1_000_000, ...more });

function openServing(settings = settingsWith({})): (action: string, attr: object, principalAttr: object) => string {
  const { compiled, diagnostics } = compile([{ path: "memo.yaml", text: policy }], {
    digest: (text) => createHash("sha256").update(text).digest("hex"),
  });
  expect(diagnostics).toEqual([]);
  const realm = open();
  realm.configure(settings);
  realm.load(JSON.stringify(compiled?.bundle));
  return (action, attr, principalAttr) =>
    realm.checkResources(
      JSON.stringify({
        principal: { id: "ann", roles: ["user"], attr: principalAttr },
        resources: [{ actions: ["always", action], resource: { kind: "memo", id: "1", attr } }],
      }),
      "CALL",
      0,
    );
}

const many = (length: number, value: unknown): readonly unknown[] => Array.from({ length }, () => value);
const slow: readonly (readonly [keyof typeof conditions, object, object])[] = [
  ["in", { list: many(100_000, 1) }, { list: many(100_000, 2) }],
  ["matches", { text: "a".repeat(10_000) }, { list: Array.from({ length: 5_000 }, (_, i) => `(a?){${100 + (i % 900)}}b${i}`) }],
  ["sameText", { list: many(200_000, 1), text: "a".repeat(1_000_000) }, { text: "a".repeat(1_000_000) }],
  ["doubled", { list: [1] }, {}],
  ["flattened", { list: [1] }, {}],
];
const serving = openServing();

test.each(slow)("%s: a check made to be slow is refused, with nothing allowed", (action, attr, principalAttr) => {
  expect(serving(action, attr, principalAttr)).toMatch(
    /^3\{"code":3,"message":"the check costs too much to evaluate: [^"]*; no setting allows more"/,
  );
});

test("under strict evaluation too", () => {
  const strictly = openServing(settingsWith({ strictEvaluation: true }));
  expect(strictly("in", { list: many(100_000, 1) }, { list: many(100_000, 2) })).toMatch(
    /^3\{"code":3,"message":"the check costs too much/,
  );
});

const half = "a".repeat(100_000);

test.each([
  ["contains", { text: `${half}${half}${half}${half}` }, { text: `${half}b${half}` }],
  ["lastIndexOf", { text: `${half}${half}${half}${half}` }, { text: `${half}${half}b` }],
  ["replace", { text: `${half}${half}${half}${half}` }, { text: `${half}b${half}` }],
  ["in", { list: many(5_000, 1) }, { list: many(5_000, 2) }],
] as const)("%s: big, but not made to be slow, is answered", (action, attr, principalAttr) => {
  expect(serving(action, attr, principalAttr)).toContain(`"actions":{"always":"EFFECT_ALLOW","${action}":"EFFECT_DENY"}`);
});

test("what one check has spent is not missing to the next", () => {
  serving("sameText", { list: many(200_000, 1), text: "a".repeat(1_000_000) }, { text: "a".repeat(1_000_000) });
  expect(serving("in", { list: [1] }, { list: [1] })).toContain('"in":"EFFECT_ALLOW"');
});
