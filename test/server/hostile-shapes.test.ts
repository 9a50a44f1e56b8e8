/** Requests whose names and values are JavaScript's own: over either transport they are data to every condition, or refused. */
import { createHmac } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { decide } from "../../compiler/reference/decide.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import { digest } from "../../src/texts/digest.ts";
import { askBoth } from "./ask-both.ts";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { objectText, type Asked, type Attributes } from "./request-message.ts";

const names = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
  "then",
  "toJSON",
  "length",
  "0",
  "prototype",
  "size",
  "isPrototypeOf",
  "__lookupSetter__",
] as const;

/** What a condition reads of one name, and whether it holds when the name is there (as "data") and when it is not. */
const conditions: readonly (readonly [expression: (name: string) => string, there: boolean, absent: boolean])[] = [
  [(name) => `"${name}" in R.attr`, true, false],
  [(name) => `"${name}" in P.attr`, true, false],
  [(name) => `!("${name}" in R.attr)`, false, true],
  [(name) => `R.attr["${name}"] == "data"`, true, false],
  [(name) => `P.attr["${name}"] == "data"`, true, false],
  [(name) => `R.attr["${name}"] != "other"`, true, false],
  [(name) => `R.attr["${name}"].size() == 4`, true, false],
  [(name) => `R.attr["${name}"].startsWith("da")`, true, false],
  [(name) => `R.attr["${name}"] in ["data", "more"]`, true, false],
  [(name) => `R.attr["${name}"] == P.attr["${name}"]`, true, false],
  [() => `R.attr.size() == 1`, true, false],
  [() => `R.attr == P.attr`, true, true],
  [(name) => `R.attr == {"${name}": "data"}`, true, false],
  [(name) => `R.attr.exists(k, k == "${name}")`, true, false],
  [(name) => `R.attr.filter(k, k == "${name}").size() == 1`, true, false],
  [(name) => `R.attr.map(k, k) == ["${name}"]`, true, false],
  [(name) => `R.attr.all(k, k != "${name}")`, false, true],
  [() => `R.attr.map(k, R.attr[k]) == ["data"]`, true, false],
  [(name) => `[P.attr].exists(a, "${name}" in a && a["${name}"] == "data")`, true, false],
  [(name) => `"${name}" in P.roles`, true, true],
  [(name) => `P.id == "${name}" && R.id == "${name}"`, true, true],
  [(name) => `type(R.attr["${name}"]) == string`, true, false],
];
/** The same by field, where the name can be one. */
const byField: typeof conditions = [
  [(name) => `has(R.attr.${name})`, true, false],
  [(name) => `has(P.attr.${name})`, true, false],
  [(name) => `!has(R.attr.${name})`, false, true],
  [(name) => `R.attr.${name} == "data"`, true, false],
  [(name) => `P.attr.${name} == R.attr.${name}`, true, false],
  [(name) => `R.attr.${name}.size() == 4`, true, false],
  [(name) => `has(R.attr.${name}.${name})`, false, false],
];
const conditionsOf = (name: string): typeof conditions => (/^[0-9]/.test(name) ? conditions : [...conditions, ...byField]);

/** The kind, the role and the actions are called by the name as well. */
const policyOf = (name: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: "${name}"
  version: default
  rules:
    - {actions: ["${name}"], effect: EFFECT_ALLOW, roles: ["${name}"]}
${conditionsOf(name)
  .map(
    ([expression], at) => `    - actions: [c${at}]
      effect: EFFECT_ALLOW
      roles: ["${name}"]
      condition: {match: {expr: ${JSON.stringify(expression(name))}}}`,
  )
  .join("\n")}
`;

const tokenPolicy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: token
  version: default
  rules:
${names
  .map(
    (name) => `    - actions: ["claim ${name}"]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'request.auxData.jwts["${name}"].claims["${name}"] == "data"'}}
    - actions: ["no claim ${name}"]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: '"${name}" in request.auxData.jwts["other"].claims'}}
    - actions: ["no token ${name}"]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: '"${name}" in request.auxData.jwts'}}`,
  )
  .join("\n")}
`;

const policies: { readonly [file: string]: string } = {
  "expense.yaml": expensePolicy,
  "token.yaml": tokenPolicy,
  ...Object.fromEntries(names.map((name, at) => [`shape-${at}.yaml`, policyOf(name)])),
};
const { compiled } = compile(
  Object.entries(policies).map(([path, text]) => ({ path, text })),
  { digest },
);

const secret = Buffer.from("a secret of thirty-two bytes, or more");
const jwk = JSON.stringify({ kty: "oct", k: secret.toString("base64url"), kid: "a", alg: "HS256" });
const folder = temporaryFolder({
  "authz.yaml": JSON.stringify({ auxData: { jwt: { keySets: [{ id: "k", local: { data: Buffer.from(jwk).toString("base64") } }] } } }),
});

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ policies, file: join(folder, "authz.yaml") });
});
afterEach(async () => {
  expect((await server.post("/api/check/resources", request)).status).toBe(200); // whatever was asked before
  for (const polluted of [{}, [], () => undefined, "", 0]) for (const name in Object(polluted)) throw new Error(`polluted: ${name}`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

const options: CheckOptions = {
  now: 0,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectivePolicies: false,
};

/** What the interpreter allows. */
function judged({ principal, resources }: Asked): readonly (readonly string[])[] {
  if (compiled === undefined) throw new Error("the policies do not compile");
  const { policySet } = compiled;
  const plain = <T extends { readonly attr?: Attributes }>({ attr, ...rest }: T) => ({
    ...rest,
    ...(attr !== undefined && { attr: JSON.parse(objectText(attr)) }),
  });
  return resources.map(({ resource, actions }) => {
    const input: CheckInput = { principal: plain(principal), resource: plain(resource), actions };
    const decided = decide(policySet, input, options).actions;
    return actions.filter((action) => decided.get(action)?.effect === "EFFECT_ALLOW");
  });
}

describe.each(names)("`%s`, as kind, role, action and id,", (name) => {
  const asked = (attr: Attributes): Asked => ({
    principal: { id: name, roles: [name], attr },
    resources: [{ actions: [name, ...conditionsOf(name).map((_condition, at) => `c${at}`)], resource: { kind: name, id: name, attr } }],
  });

  test.each<readonly [sentence: string, attr: Attributes, holds: (there: boolean, absent: boolean) => boolean]>([
    ["is an attribute where it is sent", [[name, "data"]], (there) => there],
    ["is none where it is not", [], (_there, absent) => absent],
  ])("%s", async (_sentence, attr, holds) => {
    const question = asked(attr);
    const wanted = [name, ...conditionsOf(name).flatMap(([, there, absent], at) => (holds(there, absent) ? [`c${at}`] : []))].toSorted();
    expect(judged(question).map((actions) => [...actions].toSorted())).toEqual([wanted]);
    for (const { code, allowed } of await askBoth(server, question)) {
      expect(code).toBe(0);
      expect(allowed.map((actions) => [...actions].toSorted())).toEqual([wanted]);
    }
  });

  test.each<readonly [sentence: string, attr: Attributes]>([
    ["null", [[name, null]]],
    ["a number", [[name, 4]]],
    ["an object with that name in it", [[name, JSON.parse(`{"${name}":"data"}`)]]],
    ["a list", [[name, ["data"]]]],
    ["a name like it beside", [[`${name} `, "data"]]],
  ])("means the same to the interpreter when it is %s", async (_sentence, attr) => {
    const question = asked(attr);
    const wanted = judged(question).map((actions) => [...actions].toSorted());
    for (const { code, allowed } of await askBoth(server, question)) {
      expect(code).toBe(0);
      expect(allowed.map((actions) => [...actions].toSorted())).toEqual(wanted);
    }
  });
});

test("all of them together, in one request, are as many attributes", async () => {
  const attr: Attributes = names.map((name) => [name, "data"]);
  const question: Asked = {
    principal: { id: "ann", roles: [...names], attr },
    resources: names.map((name) => ({ actions: conditionsOf(name).map((_c, at) => `c${at}`), resource: { kind: name, id: name, attr } })),
  };
  const wanted = judged(question).map((actions) => [...actions].toSorted());
  expect(Math.min(...wanted.map(({ length }) => length))).toBeGreaterThan(8);
  for (const { allowed } of await askBoth(server, question)) expect(allowed.map((actions) => [...actions].toSorted())).toEqual(wanted);
});

test("no policy is found by them where there is none", async () => {
  for (const kind of [...names.map((name) => `${name}_`), "watch", "isEnumerable", "__lookupGetter__"]) {
    const [http, grpc] = await askBoth(server, {
      principal: { id: "a", roles: ["user"] },
      resources: [{ actions: ["view"], resource: { kind, id: "1" } }],
    });
    expect([http.allowed, grpc.allowed]).toEqual([[[]], [[]]]);
  }
});

test("claims and names of tokens are data too", async () => {
  const sign = (claims: string): string => {
    const signed = [`{"alg":"HS256","kid":"a"}`, claims].map((text) => Buffer.from(text).toString("base64url")).join(".");
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  };
  const resources = [
    {
      actions: names.flatMap((name) => [`claim ${name}`, `no claim ${name}`, `no token ${name}`]),
      resource: { kind: "token", id: "1" },
    },
  ];
  const principal = { id: "ann", roles: ["user"] };
  const other = ["other", sign('{"exp":4102444800}')] as const;
  const all = [...names.map((name) => [name, sign(`{"exp":4102444800,"${name}":"data"}`)] as const), other];
  for (const { code, allowed } of await askBoth(server, { principal, resources, jwts: all })) {
    expect(code).toBe(0);
    expect([...(allowed[0] ?? [])].toSorted()).toEqual(names.flatMap((name) => [`claim ${name}`, `no token ${name}`]).toSorted());
  }
  for (const { code, allowed } of await askBoth(server, { principal, resources, jwts: [other] })) {
    expect(code).toBe(0);
    expect(allowed).toEqual([[]]);
  }
});
