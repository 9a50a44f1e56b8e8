/** Checks in two steps: what a realm asks of its host, how it goes on with the answer, and what becomes of those that wait too long. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Evaluator } from "../../../runtime/decide/decision.ts";
import { longestTextIn, readFound } from "../../../runtime/sandbox/found.ts";
import { openPendingChecks, type PendingCheck } from "../../../runtime/sandbox/pending.ts";
import { defaultSettings } from "../../../runtime/sandbox/settings.ts";
import { readCheckRequest } from "../../../runtime/wire/request.ts";
import { bundleOf } from "../decide/policies.ts";
import { resource } from "../decide/policies-of-all-types.ts";
import { open } from "./open.ts";

const schemas = { schemas: { principalSchema: { ref: "authz:///p.json" }, resourceSchema: { ref: "authz:///r.json" } } };
const bundle = bundleOf(
  resource("memo", [
    "allow view to user",
    'allow claim to user if request.auxData.jwt.team == "x"',
    'allow named to user if request.auxData.jwts.a.claims.sub == "s"',
  ]),
  resource("strict", ["allow view to user"], schemas),
);
const opened = (schemaEnforcement = "none") => {
  const realm = open();
  realm.configure(JSON.stringify({ schemaEnforcement }));
  realm.load(JSON.stringify(bundle));
  return realm;
};
const body = (kinds: readonly string[], more: object = {}, actions = ["view"]): string =>
  JSON.stringify({
    principal: { id: "ann", roles: ["user"], attr: { p: 1 } },
    resources: kinds.map((kind, at) => ({ actions, resource: { kind, id: String(at), attr: { r: at } } })),
    ...more,
  });
const question = (answer: string) => {
  expect(answer.charAt(0)).toBe("?");
  return JSON.parse(answer.slice(1));
};
const effects = (answer: string) => {
  expect(answer.charAt(0)).toBe("0");
  return JSON.parse(answer.slice(1)).results.map((result: { readonly actions: object }) => result.actions);
};

describe("tokens", () => {
  const realm = opened();

  it("are handed to the host, and their claims decide", () => {
    const asked = question(realm.checkResources(body(["memo"], { auxData: { jwt: { token: "t", keySetId: "k" } } }, ["claim"]), "CALL", 0));
    expect(asked).toEqual({ handle: asked.handle, tokens: { jwt: { token: "t", keySetId: "k" } }, schemas: [] });
    const found = JSON.stringify({ auxData: { jwt: { team: "x" } }, invalid: null, validation: [] });
    expect(effects(realm.resume(asked.handle, found, "CALL", 0))).toEqual([{ claim: "EFFECT_ALLOW" }]);
  });

  it("may have names, whatever they are", () => {
    const auxData = JSON.parse('{"jwts":{"a":{"token":"t"},"__proto__":{"token":"u"}}}');
    const asked = question(realm.checkResources(body(["memo"], { auxData }, ["named"]), "CALL", 0));
    expect(JSON.stringify(asked.tokens)).toBe('{"jwts":{"a":{"token":"t","keySetId":""},"__proto__":{"token":"u","keySetId":""}}}');
    const found = '{"auxData":{"jwts":{"a":{"claims":{"sub":"s"}},"__proto__":{"claims":{}}}},"invalid":null,"validation":[]}';
    expect(effects(realm.resume(asked.handle, found, "CALL", 0))).toEqual([{ named: "EFFECT_ALLOW" }]);
  });

  it("that are invalid refuse the check", () => {
    const { handle } = question(realm.checkResources(body(["memo"], { auxData: { jwt: { token: "t" } } }), "CALL", 0));
    expect(realm.resume(handle, '{"auxData":null,"invalid":"it has expired","validation":[]}', "CALL", 0)).toBe(
      '3{"code":3,"message":"invalid auxData: it has expired"}',
    );
  });

  it("are waited for once: a check that went on, or was given up, is gone", () => {
    const found = '{"auxData":null,"invalid":null,"validation":[]}';
    const first = question(realm.checkResources(body(["memo"], { auxData: { jwt: { token: "t" } } }), "CALL", 0)).handle;
    const second = question(realm.checkResources(body(["memo"], { auxData: { jwt: { token: "t" } } }), "CALL", 0)).handle;
    expect(realm.resume(first, found, "CALL", 0).charAt(0)).toBe("0");
    realm.forget(second);
    for (const handle of [first, second, -1, 1e9, Number.NaN]) expect(realm.resume(handle, found, "CALL", 0)).toMatch(/^e\{"code":14,/);
  });

  it("and an answer that cannot be read fails its check alone", () => {
    for (const found of ["", "fine", "{", "null", '{"validation":[[]]}', '{"jwt":', '{"jwt":{}}, ']) {
      const { handle } = question(realm.checkResources(body(["memo"], { auxData: { jwt: { token: "t" } } }), "CALL", 0));
      expect(realm.resume(handle, found, "CALL", 0)).toMatch(/^d\{"code":13,"message":"the check failed: /);
    }
    expect(effects(realm.checkResources(body(["memo"]), "CALL", 0))).toEqual([{ view: "EFFECT_ALLOW" }]);
  });
});

describe("schemas", () => {
  it("are not asked where they do not count", () => {
    expect(effects(opened("none").checkResources(body(["strict"]), "CALL", 0))).toEqual([{ view: "EFFECT_ALLOW" }]);
    expect(effects(opened("reject").checkResources(body(["memo"]), "CALL", 0))).toEqual([{ view: "EFFECT_ALLOW" }]);
  });

  it.each([
    ["warn", "EFFECT_ALLOW"],
    ["reject", "EFFECT_DENY"],
  ])("are asked about each attributes once, and the answers count (%s)", (enforcement, effect) => {
    const realm = opened(enforcement);
    const asked = question(realm.checkResources(body(["strict", "memo", "strict"]), "CALL", 0));
    expect(asked.schemas).toEqual([
      { input: 0, source: "SOURCE_PRINCIPAL", ref: "authz:///p.json", attributes: { p: 1 } },
      { input: 0, source: "SOURCE_RESOURCE", ref: "authz:///r.json", attributes: { r: 0 } },
      { input: 2, source: "SOURCE_RESOURCE", ref: "authz:///r.json", attributes: { r: 2 } },
    ]);
    const wrong = [{ path: "/r", message: "is wrong" }];
    const answer = realm.resume(asked.handle, JSON.stringify({ auxData: null, invalid: null, validation: [[], [], wrong] }), "CALL", 0);
    expect(effects(answer)).toEqual([{ view: "EFFECT_ALLOW" }, { view: "EFFECT_ALLOW" }, { view: effect }]);
    expect(JSON.parse(answer.slice(1)).results.map((result: { readonly validationErrors?: unknown }) => result.validationErrors)).toEqual([
      undefined,
      undefined,
      [{ path: "/r", message: "is wrong", source: "SOURCE_RESOURCE" }],
    ]);
  });

  it.each(["warn", "reject"])("that all find nothing wrong may say so in a word (%s)", (enforcement) => {
    const realm = opened(enforcement);
    const kinds = ["strict", "memo", "strict"];
    const [short, long] = ["fine", '{"auxData":null,"invalid":null,"validation":[[],[],[]]}'].map((found) =>
      realm.resume(question(realm.checkResources(body(kinds), "CALL", 0)).handle, found, "CALL", 0),
    );
    expect(effects(short ?? "")).toEqual([{ view: "EFFECT_ALLOW" }, { view: "EFFECT_ALLOW" }, { view: "EFFECT_ALLOW" }]);
    expect(short).toBe(long);
  });

  it("that do not all answer fail the check, so that nothing is allowed unseen", () => {
    const realm = opened("reject");
    const { handle } = question(realm.checkResources(body(["strict"]), "CALL", 0));
    expect(realm.resume(handle, '{"auxData":null,"invalid":null,"validation":[[]]}', "CALL", 0)).toMatch(/^d/);
  });

  it("are those of the policies under which the check began", () => {
    const realm = opened("reject");
    const { handle } = question(realm.checkResources(body(["strict"]), "CALL", 0));
    realm.load(JSON.stringify({ ...bundle, units: [] }));
    realm.configure("{}");
    expect(effects(realm.resume(handle, '{"auxData":null,"invalid":null,"validation":[[],[]]}', "CALL", 0))).toEqual([
      { view: "EFFECT_ALLOW" },
    ]);
    expect(effects(realm.checkResources(body(["strict"]), "CALL", 0))).toEqual([{ view: "EFFECT_DENY" }]);
  });
});

describe("a change", () => {
  const memo = bundle.units.filter(({ name }) => name === "memo");
  const manifest = { ...bundle.manifest, digest: "next" };

  it("builds on the set in force, and is refused on any other", () => {
    const realm = opened();
    const change = { from: bundle.manifest.digest, manifest, shapes: {}, units: [], removed: memo.map(({ id }) => id) };
    realm.change(JSON.stringify(change));
    expect(effects(realm.checkResources(body(["memo", "strict"]), "CALL", 0))).toEqual([{ view: "EFFECT_DENY" }, { view: "EFFECT_ALLOW" }]);
    expect(() => realm.change(JSON.stringify(change))).toThrow(/cannot change the policies: .*builds on/);
    realm.change(JSON.stringify({ ...change, from: "next", shapes: bundle.shapes, units: memo, removed: [] }));
    expect(effects(realm.checkResources(body(["memo"]), "CALL", 0))).toEqual([{ view: "EFFECT_ALLOW" }]);
  });

  it.each([
    "",
    "{}",
    "null",
    JSON.stringify({
      from: bundle.manifest.digest,
      manifest,
      shapes: {},
      removed: [],
      units: [{ ...memo[0], digest: "x", shape: "none" }],
    }),
  ])("that cannot be read keeps what was: %s", (text) => {
    const realm = opened();
    expect(() => realm.change(text)).toThrow(/cannot change the policies/);
    expect(effects(realm.checkResources(body(["memo"]), "CALL", 0))).toEqual([{ view: "EFFECT_ALLOW" }]);
  });

  it("needs a set to build on", () => {
    expect(() => open().change("{}")).toThrow(/cannot change the policies/);
  });
});

describe("the waiting room", () => {
  const evaluator: Evaluator = { check: () => [], allows: () => false, schemaChecks: () => [] };
  const request = readCheckRequest(body(["memo"]), defaultSettings);
  if (request.kind === "refusal") throw new Error(request.message);
  const check: PendingCheck = {
    evaluator,
    settings: defaultSettings,
    request,
    inputs: undefined,
    schemas: { questions: [], enforce: () => undefined },
    form: "CheckResources",
    naming: false,
  };

  it("gives up the oldest when there are too many", () => {
    const pending = openPendingChecks(3);
    const handles = Array.from({ length: 5 }, () => pending.keep(check, 1));
    expect(handles.map((handle) => pending.take(handle) === check)).toEqual([false, false, true, true, true]);
  });

  it("and when they are too large together; never the newest", () => {
    const pending = openPendingChecks(100, 100);
    const [small, large, huge] = [10, 60, 500].map((size) => pending.keep(check, size));
    expect([small, large, huge].map((handle) => pending.take(handle ?? 0) === check)).toEqual([false, false, true]);
    const again = [50, 50].map((size) => pending.keep(check, size));
    expect(again.map((handle) => pending.take(handle) === check)).toEqual([true, true]);
  });
});

describe("what was found", () => {
  it("is read as it is written", () => {
    expect(readFound('{"auxData":{"jwt":{"a":1}},"invalid":null,"validation":[[{"path":"/","message":"m"}]]}', 1)).toEqual({
      auxData: { jwt: { a: 1 } },
      invalid: undefined,
      validation: [[{ path: "/", message: "m" }]],
      longestText: 0,
    });
    expect(readFound('{"invalid":"no","validation":[]}', 3).invalid).toBe("no");
  });

  it("may be claims alone, of which nothing is wrong, whatever was read before", () => {
    const claims = fc.record({ sub: fc.constantFrom("ann", "bob", "x".repeat(300_000)), n: fc.nat(2_000), ["__proto__"]: fc.constant({}) });
    const auxData = fc.oneof(fc.record({ jwt: claims }), fc.record({ jwts: fc.dictionary(fc.constantFrom("a", "b"), claims) }));
    fc.assert(
      fc.property(auxData, (found) => {
        const text = JSON.stringify(found);
        const expected = readFound(`{"auxData":${text},"invalid":null,"validation":[]}`, 0);
        expect(readFound(text, 0)).toStrictEqual(expected);
        expect(readFound(text, 2)).toStrictEqual(expected);
        expect(JSON.stringify(readFound(text, 0).auxData)).toBe(text);
      }),
      { numRuns: 3_000 },
    );
  });

  it("is remembered within bounds", () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    if (typeof collect !== "function") throw new Error("the collector cannot be called");
    const growth = (count: number, length: number): number => {
      collect();
      const before = process.memoryUsage().heapUsed;
      for (let number = 0; number < count; number++) readFound(JSON.stringify({ jwt: { sub: `${number}`.padStart(length, "x") } }), 0);
      collect();
      return process.memoryUsage().heapUsed - before;
    };
    expect(growth(50_000, 20)).toBeLessThan(2 ** 21);
    expect(growth(400, 100_000)).toBeLessThan(2 ** 23);
  });

  it("has a longest text, however deep it lies", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(20_000)}"four"${"]}".repeat(20_000)}`);
    expect([longestTextIn(undefined), longestTextIn({ jwt: { a: "abc", b: ["abcde"] } }), longestTextIn({ jwt: deep })]).toEqual([0, 5, 4]);
  });
});
