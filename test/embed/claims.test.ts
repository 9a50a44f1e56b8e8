/** Claims that a program has verified: as a library gives them, conditions read of them what they read of the token on a server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert as holds, constantFrom, dictionary, jsonValue, oneof, property, type JsonValue } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { readSingleAction } from "../../runtime/door/read-request.ts";
import { claimsText, readClaims } from "../../src/auxdata/claims.ts";
import { InvalidToken } from "../../src/auxdata/token.ts";
import { load } from "../../src/embed/load.ts";
import { buildForTest, compiledFrom, decisionOf, openBare, textOf } from "./modules.ts";

const ann = { id: "ann", roles: ["user"] };
const doc = { kind: "doc", id: "1" };

const payloads: readonly (readonly [string, { readonly [name: string]: unknown }])[] = [
  ["times as numbers, one audience", { aud: "shop", iat: 1_700_000_000, nbf: 0, exp: 253_402_300_799 }],
  ["parts of a second", { iat: 1_700_000_000.999, exp: 4_102_444_800.5 }],
  ["times as texts", { exp: "1700000000", nbf: "1700000000.5", iat: "2025-06-01T14:00:00.5+02:00" }],
  ["several audiences", { aud: ["shop", "desk"] }],
  ["null", { aud: [], iss: null, sub: null, jti: null, mfa: null, deep: { mfa: null } }],
  ["names of times within others", { deep: { exp: 5, aud: "x" }, list: [{ iat: 5 }] }],
  ["names that prototypes have", JSON.parse('{"__proto__":{"a":1},"constructor":"x","exp":5}') as object as { [name: string]: unknown }],
  ["nothing", {}],
];

describe("are what a server makes of a token", () => {
  test.each(payloads)("%s", (_, payload) => {
    const server: unknown = JSON.parse(claimsText(readClaims(payload)));
    const read = (auxData: object) => readSingleAction(ann, doc, "view", auxData).input.auxData;
    expect(read({ jwt: payload })?.jwt ?? {}).toEqual(server);
    expect(read({ jwts: { user: { claims: payload } } })?.jwts).toEqual({ user: { claims: server } });
    // Read once more, they stay what they are.
    expect(read({ jwt: server })?.jwt ?? {}).toEqual(server);
  });

  test.each([[-1], [253_402_300_800], [null], [[5]], [true]])("a time that is none is refused: %j", (exp) => {
    expect(() => readSingleAction(ann, doc, "view", { jwt: { exp } })).toThrow("`auxData.jwt.exp` must be a string, or seconds since 1970");
    expect(() => readSingleAction(ann, doc, "view", { jwts: { user: { claims: { exp } } } })).toThrow(
      "`auxData.jwts.user.claims.exp` must be",
    );
  });

  test.each<readonly [name: string, claim: unknown, wanted: string]>([
    ["exp", "soon", "must be a time such as 2025-06-01T12:00:00Z, or seconds since 1970"],
    ["nbf", "", "must be a time such as"],
    ["iat", "1960-01-01T00:00:00Z", "must be a time such as"],
    ["aud", null, "must be a string or a list of strings: it is null"],
    ["aud", 5, "must be a string or a list of strings: it is a number"],
    ["aud", ["shop", 5], "must be a string or a list of strings: it is a list"],
    ["aud", { shop: true }, "must be a string or a list of strings: it is an object"],
    ["sub", 5, "must be a string: it is a number"],
    ["iss", ["a"], "must be a string: it is a list"],
    ["jti", false, "must be a string: it is a boolean"],
  ])("what a server refuses in a token is refused: `%s` that is %j", (name, claim, wanted) => {
    expect(() => readClaims({ [name]: claim })).toThrow(`the claim \`${name}\` is not`);
    expect(() => readSingleAction(ann, doc, "view", { jwt: { [name]: claim } })).toThrow(`\`auxData.jwt.${name}\` ${wanted}`);
  });

  test("whatever the claims are, both read the same of them, or refuse them", () => {
    const times = [-1, 0, 1.5, 253_402_300_799, 253_402_300_800, 1e300, "0", "1.5", "-1", " 1", "1e3", "0x1", "2025-06-01T12:00:00z"];
    const odd = constantFrom<JsonValue>(
      null,
      true,
      "",
      "a",
      "a\u0000",
      [],
      ["a"],
      [null],
      {},
      { a: null },
      "9999-12-31T23:59:59.9Z",
      ...times,
    );
    const claim = oneof(odd, odd, jsonValue());
    const names = constantFrom("exp", "nbf", "iat", "aud", "iss", "sub", "jti", "Exp", "roles", "__proto__", "constructor");
    holds(
      property(dictionary(names, claim, { maxKeys: 4 }), (written) => {
        // As a library reads them from a token.
        const payload = JSON.parse(JSON.stringify(written)) as { readonly [name: string]: unknown };
        const read = reading(() => JSON.parse(claimsText(readClaims(payload))) as unknown);
        const taken = reading(() => readSingleAction(ann, doc, "view", { jwt: payload }).input.auxData?.jwt ?? {});
        expect(taken).toEqual(read);
      }),
      { numRuns: 2000 },
    );
  });
});

/** What was read, or that it was refused. */
function reading(read: () => unknown): unknown {
  try {
    return { read: read() };
  } catch (error) {
    if (error instanceof InvalidToken || (error instanceof Error && error.name === "RequestError")) return "refused";
    throw error;
  }
}

const allowed = (action: string) => ({ actions: [action], effect: "EFFECT_ALLOW", roles: ["*"] });
const forbidden = (action: string, expr: string) => ({
  actions: [action],
  effect: "EFFECT_DENY",
  roles: ["*"],
  condition: { match: { expr } },
});
/** What forbids, by how it comes to the claims. */
const rules = {
  audience: '!("shop" in request.auxData.jwt.aud)',
  old: 'timestamp(request.auxData.jwt.iat) < timestamp("2020-01-01T00:00:00Z")',
  named: 'timestamp(request.auxData.jwts["user"].claims.iat) < timestamp("2020-01-01T00:00:00Z")',
  newer: 'timestamp(request.aux_data.jwt["iat"]) < timestamp("2020-01-01T00:00:00Z")',
  whole: 'has(request.auxData.jwts) && request.auxData.jwts.exists(name, !("shop" in request.auxData.jwts[name].claims.aud))',
  absent: "!has(request.auxData.jwt.mfa)",
};
const jwt = { aud: "desk", iat: 1_500_000_000, mfa: null };

describe("a rule that forbids holds, though the claims are as a library gives them", () => {
  const folder = mkdtempSync(join(tmpdir(), "authz-claims-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const asked = (action: string) => ({
    principal: ann,
    resource: doc,
    actions: [action],
    auxData: action === "named" || action === "whole" ? { jwts: { user: { claims: jwt } } } : { jwt },
  });

  // One policy for each: what one asks must not put in what another needs.
  test.each(Object.entries(rules))("%s", async (action, expr) => {
    const policy = { resource: "doc", version: "default", rules: [allowed(action), forbidden(action, expr)] };
    const text = JSON.stringify({ apiVersion: "api.authz.dev/v1", resourcePolicy: policy });
    const { bundle } = compiledFrom([{ path: "doc.yaml", text }]);
    writeFileSync(join(folder, "doc.yaml"), text);
    const doors = [
      ...(await Promise.all(
        (["node", "browser", "worker"] as const).map(async (target) => openBare(textOf(await buildForTest(bundle, { target })))),
      )),
      openBare(textOf(await buildForTest(bundle, { interpreter: true }))),
      await load(folder),
      await load(folder, { sandbox: true }),
    ];
    for (const { check } of doors) expect(decisionOf(check(asked(action))).actions.get(action)?.effect).toBe("EFFECT_DENY");
  });
});

test("a module whose policies read no claims carries nothing for them", async () => {
  const module = async (expr: string): Promise<string> => {
    const policy = { resource: "doc", version: "default", rules: [allowed("view"), forbidden("view", expr)] };
    const text = JSON.stringify({ apiVersion: "api.authz.dev/v1", resourcePolicy: policy });
    return textOf(await buildForTest(compiledFrom([{ path: "doc.yaml", text }]).bundle, { target: "browser" }));
  };
  const seconds = "seconds since 1970";
  expect((await module("R.attr.a == 1.0")).split(`or ${seconds}`)).toHaveLength(1);
  expect((await module(rules.absent)).split(`or ${seconds}`)).toHaveLength(2);
});
