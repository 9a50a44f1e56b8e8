/** Policies as administrators see and change them, over both transports and on both stores. */
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byUnits } from "../../runtime/order.ts";
import {
  ask,
  check,
  close,
  enabled,
  misdeclared,
  open,
  policy,
  right,
  stores,
  violations,
  type Call,
  type Opened,
} from "./admin-harness.ts";
import type { Answer, Channel } from "./channels.ts";

const derivedRoles = (name: string): JsonObject => ({
  apiVersion: "api.authz.dev/v1",
  derivedRoles: { name, definitions: [{ name: "owner", parentRoles: ["user"] }] },
});
const bodyOf = ({ body }: Answer): JsonObject => body ?? {};
const detailOf = ({ body }: Answer): unknown => (Array.isArray(body?.["details"]) ? body["details"][0] : undefined);

describe.each(stores)("on %s", (store, settings) => {
  let opened: Opened;
  beforeAll(async () => void (opened = await open({ policies: {}, settings: { ...enabled, ...settings() } })), 60_000);
  afterAll(() => close(opened));
  /** What the store calls the policy of a key. */
  const id = (key: string): string => (store === "a folder" ? `${key.replaceAll("/", "_")}.yaml` : key);

  describe.each(["http", "grpc"] as const)("over %s", (transport) => {
    const over = (): Channel => opened[transport];
    const status = (http: number, grpc: number): number => (transport === "http" ? http : grpc);
    const asked = async (call: Call, request: JsonObject): Promise<JsonObject> => bodyOf(await ask(over(), call, request));
    const put = async (...policies: JsonObject[]): Promise<void> =>
      expect(await asked("AddOrUpdatePolicy", { policies })).toEqual({ success: {} });
    const clear = async (): Promise<void> => {
      const { policyIds } = await asked("ListPolicies", { includeDisabled: true });
      const ids = Array.isArray(policyIds) ? policyIds : [];
      if (ids.length > 0) expect(await asked("DeletePolicy", { id: ids })).toEqual({ deletedPolicies: ids.length });
    };

    test("policies are listed, all of them or those that a filter means", async () => {
      expect(await asked("ListPolicies", {})).toEqual({ policyIds: [] });
      await put(policy("memo"), policy("memo", { scope: "acme" }), policy("note", { version: "v2" }), derivedRoles("people"), {
        ...policy("draft"),
        disabled: true,
      });
      const [draft, memo, acme, note, people] = [
        "resource.draft.vdefault",
        "resource.memo.vdefault",
        "resource.memo.vdefault/acme",
        "resource.note.vv2",
        "derived_roles.people",
      ].map(id);
      for (const [filter, wanted] of [
        [{}, [people, memo, acme, note]],
        [{ includeDisabled: true }, [people, draft, memo, acme, note]],
        [{ nameRegexp: "^m" }, [memo, acme]],
        [{ nameRegexp: "o" }, [people, memo, acme, note]],
        [{ nameRegexp: "draft" }, []],
        [{ nameRegexp: "draft", includeDisabled: true }, [draft]],
        [{ scopeRegexp: "." }, [acme]],
        [{ scopeRegexp: "^$" }, [people, memo, note]],
        [{ versionRegexp: "^v\\d$" }, [note]],
        [{ nameRegexp: "memo", scopeRegexp: "acme", versionRegexp: "default" }, [acme]],
        [{ policyId: [memo ?? "", "nosuch", "../a", "a\u0000b", people ?? ""] }, [people, memo]],
        [{ policyId: [...Array.from({ length: 24 }, (_, index) => `p${index}`), "resource.memo.vdefault/acme"] }, [acme]],
        [{ policyId: ["resource.memo.vdefault/acme"] }, [acme]],
        [{ policyId: ["resource.memo.vdefault/acme"], nameRegexp: "note" }, []],
        [{ policyId: ["resource.draft.vdefault"] }, []],
      ] as const) {
        const { policyIds } = await asked("ListPolicies", JSON.parse(JSON.stringify(filter)));
        expect([filter, policyIds]).toEqual([filter, wanted.map(String).toSorted(byUnits)]);
      }
      await clear();
    });

    test("a policy is returned as it was put, with what is known about it; ids that nobody has are left out", async () => {
      const written = {
        ...policy("letter", { scope: "" }),
        description: "letters",
        metadata: { annotations: { team: "post", empty: "" } },
      };
      await put(written, derivedRoles("writers"));
      const { policies } = await asked("GetPolicy", { id: ["nosuch", "resource.letter.vdefault", id("derived_roles.writers")] });
      expect(policies).toMatchObject([
        {
          apiVersion: "api.authz.dev/v1",
          description: "letters",
          resourcePolicy: policy("letter")["resourcePolicy"],
          metadata: {
            ...(store === "a folder" && { sourceFile: id("resource.letter.vdefault") }),
            annotations: { team: "post", empty: "" },
            hash: expect.stringMatching(/^[0-9]{1,20}$/),
            storeIdentifer: id("resource.letter.vdefault"),
            storeIdentifier: id("resource.letter.vdefault"),
            sourceAttributes: { attributes: { driver: store === "a folder" ? "disk" : "sqlite3" } },
          },
        },
        derivedRoles("writers"),
      ]);
      // What was returned can be put again, and is the same then, but for the time of the change.
      await put(...(policies as JsonObject[]));
      const again = await asked("GetPolicy", { id: ["resource.letter.vdefault", "derived_roles.writers"] });
      const timeless = (json: unknown): unknown => JSON.parse(JSON.stringify(json).replaceAll(/"update_ts":"[^"]*"/g, '"update_ts":""'));
      expect(timeless(again["policies"])).toEqual(timeless(policies));
      const none = await ask(over(), "GetPolicy", { id: ["nosuch", "constructor"] });
      expect([none.status, none.body]).toMatchObject([
        status(404, 5),
        { code: 5, message: expect.stringContaining("`nosuch` or `constructor`") },
      ]);
      await clear();
    });

    test("policies are disabled and enabled, and the next check knows", async () => {
      await put(policy("memo"), policy("note"));
      const keys = ["resource.memo.vdefault", id("resource.note.vdefault"), "nosuch"];
      expect([await check(opened, "memo"), await check(opened, "note")]).toEqual(["EFFECT_ALLOW", "EFFECT_ALLOW"]);
      expect(await asked("DisablePolicy", { id: keys })).toEqual({ disabledPolicies: 2 });
      expect([await check(opened, "memo"), await check(opened, "note")]).toEqual(["EFFECT_DENY", "EFFECT_DENY"]);
      expect(await asked("ListPolicies", {})).toEqual({ policyIds: [] });
      expect(await asked("GetPolicy", { id: keys })).toMatchObject({ policies: [{ disabled: true }, { disabled: true }] });
      expect(await asked("DisablePolicy", { id: ["resource.memo.vdefault"] })).toEqual({ disabledPolicies: 1 });
      expect(await asked("EnablePolicy", { id: keys })).toEqual({ enabledPolicies: 2 });
      expect([await check(opened, "memo"), await check(opened, "note")]).toEqual(["EFFECT_ALLOW", "EFFECT_ALLOW"]);
      expect(bodyOf(await ask(over(), "GetPolicy", { id: keys }))["policies"]).not.toMatchObject([{ disabled: true }, {}]);
      expect(await asked("EnablePolicy", { id: ["resource.memo.vdefault"] })).toEqual({ enabledPolicies: 1 });
      for (const [call, field] of [
        ["EnablePolicy", "enabledPolicies"],
        ["DisablePolicy", "disabledPolicies"],
        ["DeletePolicy", "deletedPolicies"],
      ] as const)
        expect(await asked(call, { id: ["nosuch", "..", "a\u0000", "__proto__"] })).toEqual({ [field]: 0 });
      const twice = store === "a folder" ? [id("resource.memo.vdefault")] : [];
      expect(await asked("DeletePolicy", { id: ["resource.memo.vdefault", ...twice] })).toEqual({ deletedPolicies: 1 });
      expect([await check(opened, "memo"), await check(opened, "note")]).toEqual(["EFFECT_DENY", "EFFECT_ALLOW"]);
      await clear();
    });

    test("what others need stays, and it is said who", async () => {
      await put(
        derivedRoles("people"),
        policy("memo", { importDerivedRoles: ["people"] }),
        policy("memo", { scope: "a" }),
        policy("memo", { scope: "a.b" }),
        policy("memo", { scope: "z" }),
      );
      const below = ["a", "a.b", "z"].map((scope) => `resource.memo.vdefault/${scope}`);
      for (const [call, type] of [
        ["DisablePolicy", "Disable"],
        ["DeletePolicy", "Delete"],
      ] as const)
        for (const [ids, errors] of [
          [["derived_roles.people"], { "derived_roles.people": { requiredByOtherPolicies: { dependents: ["resource.memo.vdefault"] } } }],
          [["resource.memo.vdefault"], { "resource.memo.vdefault": { breaksScopeChain: { descendants: below } } }],
          [
            ["resource.memo.vdefault/a", "derived_roles.people", "resource.memo.vdefault/z"],
            {
              "resource.memo.vdefault/a": { breaksScopeChain: { descendants: ["resource.memo.vdefault/a.b"] } },
              "derived_roles.people": { requiredByOtherPolicies: { dependents: ["resource.memo.vdefault"] } },
            },
          ],
        ] as const) {
          const refused = await ask(over(), call, { id: [...ids] });
          expect([refused.status, refused.body?.["code"]]).toEqual([status(400, 3), 3]);
          expect(detailOf(refused)).toEqual({ "@type": `type.googleapis.com/authz.response.v1.${type}PolicyErrorDetails`, errors });
        }
      expect(await asked("DisablePolicy", { id: ["resource.memo.vdefault/a.b"] })).toEqual({ disabledPolicies: 1 });
      // All of a set at once: nothing is left that needed it.
      expect(await asked("DeletePolicy", { id: ["resource.memo.vdefault", "derived_roles.people", ...below] })).toEqual({
        deletedPolicies: 5,
      });
      expect(await asked("ListPolicies", { includeDisabled: true })).toEqual({ policyIds: [] });
    });

    test("a policy whose imports are gone is not enabled", async () => {
      await put(derivedRoles("people"), { ...policy("memo", { importDerivedRoles: ["people"] }), disabled: true }, policy("note"));
      expect(await asked("DeletePolicy", { id: ["derived_roles.people"] })).toEqual({ deletedPolicies: 1 });
      const refused = await ask(over(), "EnablePolicy", { id: ["resource.memo.vdefault", "resource.note.vdefault"] });
      expect([refused.status, refused.body?.["code"]]).toEqual([status(400, 9), 9]);
      expect(detailOf(refused)).toMatchObject({
        violations: [{ ruleId: "unknown-import", message: expect.stringContaining("no derived roles named `people`") }],
      });
      expect(await asked("ListPolicies", {})).toEqual({ policyIds: [id("resource.note.vdefault")] });
      await clear();
    });

    test("inspection tells what policies do, by their keys", async () => {
      await put(policy("memo"), { ...policy("note"), disabled: true });
      const { results } = await asked("InspectPolicies", {});
      expect(results).toMatchObject({ "resource.memo.vdefault": { policyId: id("resource.memo.vdefault"), actions: ["view"] } });
      const keys = async (filter: JsonObject): Promise<readonly string[]> =>
        Object.keys((await asked("InspectPolicies", filter))["results"] ?? {}).sort();
      expect(await keys({})).toEqual(["resource.memo.vdefault"]);
      expect(await keys({ includeDisabled: true })).toEqual(["resource.memo.vdefault", "resource.note.vdefault"]);
      expect(await keys({ nameRegexp: "note" })).toEqual([]);
      expect(await keys({ policyId: [id("resource.memo.vdefault"), "nosuch"] })).toEqual(["resource.memo.vdefault"]);
      await clear();
    });

    test.each<readonly [call: Call, request: JsonObject, wanted: readonly string[]]>([
      ["GetPolicy", {}, ["id"]],
      ["GetPolicy", { id: ["a", "", "a", ""] }, ["id", "id[1]", "id[3]"]],
      ["EnablePolicy", { id: [] }, ["id"]],
      ["DisablePolicy", { id: Array.from({ length: 21 }, (_, index) => `p${index}`) }, ["id"]],
      ["DeletePolicy", { id: [...Array.from({ length: 20 }, (_, index) => `p${index}`), "p0", ""] }, ["id", "id", "id[21]"]],
      ["ListPolicies", { policyId: Array.from({ length: 26 }, (_, index) => `p${index}`) }, ["policyId"]],
      [
        "InspectPolicies",
        { policyId: ["", "a", "a"], nameRegexp: "(", versionRegexp: "a**" },
        ["nameRegexp", "versionRegexp", "policyId[0]"],
      ],
      [
        "ListPolicies",
        { scopeRegexp: "(?=a)", nameRegexp: "a".repeat(5000), versionRegexp: "((a{1000}){1000}){9}" },
        ["nameRegexp", "scopeRegexp", "versionRegexp"],
      ],
    ])("%s %j is refused with everything that is wrong", async (call, request, wanted) => {
      const refused = await ask(over(), call, request);
      expect([refused.status, violations(refused)]).toEqual([status(400, 3), wanted]);
      expect(misdeclared(call, refused)).toEqual([]);
    });

    test.each([
      ["DisablePolicy", { disabledPolicies: 0 }],
      ["DeletePolicy", { deletedPolicies: 0 }],
    ] as const)("%s may have twenty ids", async (call, wanted) => {
      expect(await asked(call, { id: Array.from({ length: 20 }, (_, index) => `p${index}`) })).toEqual(wanted);
    });

    test("a pattern that is none is shown, with its place", async () => {
      const { body } = await ask(over(), "ListPolicies", { nameRegexp: "käse[z-a]" });
      expect(body?.["message"]).toContain(
        "nameRegexp: the pattern is not a regular expression of RE2: invalid character class range at character 6: `z-a`",
      );
    });

    test("ten thousand ids are no trouble", async () => {
      await put(policy("memo"));
      const ids = Array.from({ length: 10_000 }, (_, index) => `nosuch-${index}`);
      if (transport === "grpc")
        expect(await asked("GetPolicy", { id: [...ids, "resource.memo.vdefault"] })).toMatchObject({ policies: [{}] });
      expect(await asked("EnablePolicy", { id: [...ids, "resource.memo.vdefault"] })).toEqual({ enabledPolicies: 1 });
      await clear();
    });

    test("a reload is answered when what the store holds is in force", async () => {
      expect(await asked("ReloadStore", {})).toEqual({});
      expect(await asked("ReloadStore", { wait: true })).toEqual({});
    });

    test("without credentials nothing is told and nothing is done", async () => {
      await put(policy("memo"));
      const of = { id: ["resource.memo.vdefault"] };
      for (const [call, request] of [
        ["ListPolicies", {}],
        ["GetPolicy", of],
        ["InspectPolicies", {}],
        ["EnablePolicy", of],
        ["DisablePolicy", of],
        ["DeletePolicy", of],
        ["DeletePolicy", { id: [] }],
        ["ReloadStore", {}],
        ["PurgeStoreRevisions", {}],
      ] as const)
        expect((await ask(over(), call, JSON.parse(JSON.stringify(request)), "")).status).toBe(status(401, 16));
      expect(await check(opened, "memo")).toBe("EFFECT_ALLOW");
      await clear();
    });
  });

  describe("over HTTP alone", () => {
    const send = async (method: string, path: string, body?: string): Promise<readonly [status: number, body: unknown]> => {
      const { status, json } = await opened.server.get(path, {
        method,
        headers: { authorization: right, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body }),
      });
      return [status, json];
    };
    const memo = JSON.stringify({ id: ["resource.memo.vdefault"] });

    test.each<readonly [method: string, path: string, body: string | undefined, wanted: JsonObject]>([
      ["POST", "/admin/policy/disable?id=resource.memo.vdefault", undefined, { disabledPolicies: 1 }],
      ["POST", "/admin/policy/disable?id=resource.memo.vdefault&pretty", " {} ", { disabledPolicies: 1 }],
      ["POST", "/admin/policy/disable", memo, { disabledPolicies: 1 }],
      ["PUT", "/admin/policy/disable", memo, { disabledPolicies: 1 }],
      ["PUT", "/admin/policy/disable?id=resource.memo.vdefault", undefined, { disabledPolicies: 1 }],
      ["DELETE", "/admin/policy?id=resource.memo.vdefault", undefined, { disabledPolicies: 1 }],
      ["DELETE", "/admin/policy?id=resource.memo.vdefault", "{}", { disabledPolicies: 1 }],
      ["POST", "/admin/policy/enable?id=resource.memo.vdefault", undefined, { enabledPolicies: 1 }],
      ["POST", "/admin/policy/enable", memo, { enabledPolicies: 1 }],
      ["PUT", "/admin/policy/enable", memo, { enabledPolicies: 1 }],
      ["POST", "/admin/policy/delete?id=resource.memo.vdefault", undefined, { deletedPolicies: 1 }],
      ["POST", "/admin/policy/delete", memo, { deletedPolicies: 1 }],
      ["GET", "/admin/policies?policy_id=resource.memo.vdefault&name_regexp=e", undefined, { policyIds: [id("resource.memo.vdefault")] }],
      ["GET", "/admin/policies?name_regexp=nosuch", undefined, { policyIds: [] }],
      ["GET", "/admin/policies?version_regexp=nosuch", undefined, { policyIds: [] }],
      ["GET", "/admin/policies?policy_id=resource.nosuch.vdefault", undefined, { policyIds: [] }],
      ["GET", "/admin/policies?includeDisabled=true&scopeRegexp=x", undefined, { policyIds: [] }],
      ["GET", "/admin/policies?includeDisabled=True&scopeRegexp=x", undefined, { policyIds: [] }],
      ["GET", "/admin/store/reload?wait=true", undefined, {}],
      ["GET", "/admin/store/reload?wait=F", undefined, {}],
    ])("%s %s %s", async (method, path, body, wanted) => {
      await ask(opened.http, "AddOrUpdatePolicy", { policies: [policy("memo")] });
      expect(await send(method, path, body)).toEqual([200, wanted]);
    });

    test.each([
      ["?keepLast=4294967295", 0],
      ["?keepLast=1", 1],
      ["", 2],
    ])("of the revisions of a policy%s are purged: %d", async (query, purged) => {
      const before = await send("DELETE", "/admin/store/revisions");
      if (store === "a folder") return expect(before).toMatchObject([501, { message: expect.stringContaining("keeps no revisions") }]);
      for (const description of ["1", "2"]) await ask(opened.http, "AddOrUpdatePolicy", { policies: [{ ...policy("memo"), description }] });
      expect(await send("DELETE", `/admin/store/revisions${query}`)).toEqual([200, { affectedRows: purged }]);
    });

    test("what is null is not set, and what is wrong is said by its path, all of it and once", async () => {
      const unset = { ...policy("memo", { schemas: null, variables: null, constants: { local: { a: null } } }), principalPolicy: null };
      expect((await ask(opened.http, "AddOrUpdatePolicy", { policies: [unset] })).status).toBe(200);
      const broken = { ...policy("note", { version: 1, import_derived_roles: [], importDerivedRoles: [] }), disabled: "true" };
      const { status, body } = await ask(opened.http, "AddOrUpdatePolicy", { policies: [policy("memo"), broken] });
      expect([status, body]).toMatchObject([
        400,
        {
          message:
            "the policies cannot be read: policies[1].resourcePolicy.version: expected a string, found the number `1` (put it in quotes); " +
            "policies[1].disabled: expected `true` or `false`, found the string `true` (remove the quotes); " +
            "policies[1].resourcePolicy.importDerivedRoles: `importDerivedRoles` is already given as `import_derived_roles` (keep one of the two)",
        },
      ]);
    });

    test.each<readonly [method: string, path: string, body: string | undefined, status: number, says: string]>([
      ["POST", "/admin/policy/disable?id=a", memo, 400, "in its query and in its body"],
      ["PUT", "/admin/policy/enable?id=a", memo, 400, "in its query and in its body"],
      ["POST", "/admin/policy/delete?nothing=a", '{"nothing":[]}', 400, "line 1, column 2: unknown field `nothing`"],
      ["POST", "/admin/policy", '{"policies":[{}],"policy":{}}', 400, "line 1, column 18: unknown field `policy` in the request"],
      ["PUT", "/admin/policy/enable", '{"id":["a"],"ids":[]}', 400, "line 1, column 13: unknown field `ids` in the request"],
      [
        "GET",
        "/admin/policies?includeDisabled=maybe",
        undefined,
        400,
        '"message":"`includeDisabled` must be true or false, but is `maybe`"',
      ],
      [
        "GET",
        "/admin/policies?nameRegexp=a&name_regexp=b",
        undefined,
        400,
        '"message":"`nameRegexp` must be a string, but is there more than once"',
      ],
      ["GET", "/admin/store/reload?wait=maybe", undefined, 400, '"message":"`wait` must be true or false, but is `maybe`"'],
      [
        "DELETE",
        "/admin/store/revisions?keepLast=-1",
        undefined,
        400,
        '"message":"`keepLast` must be a whole number from 0 to 4294967295, but is `-1`"',
      ],
      ["DELETE", "/admin/store/revisions?keeplast=5", undefined, 400, "unknown parameter `keeplast`: did you mean `keepLast`?"],
      ["DELETE", "/admin/store/revisions", '{"keepLast":5}', 400, "asks in its body, which this call does not read"],
      ["DELETE", "/admin/policy?id=a", '{"id":["b"]}', 400, "asks in its body, which this call does not read"],
      ["DELETE", "/admin/store/revisions?keep-last=5", undefined, 400, "did you mean `keepLast`?"],
      ["GET", "/admin/policies?policyId[]=a", undefined, 400, "unknown parameter `policyId[]`: did you mean `policyId`?"],
      ["GET", "/admin/policies?nameRegex=a", undefined, 400, "did you mean `nameRegexp`?"],
      ["GET", "/admin/policy?id[]=a", undefined, 400, "did you mean `id`?"],
      ["POST", "/admin/policy/delete?id=a&ID=b", "", 400, "did you mean `id`?"],
      ["GET", "/admin/policy?id=50%", undefined, 400, "`id=50%` is not UTF-8 text with the escapes of URLs"],
      ["GET", "/admin/policy?id=%ff", undefined, 400, "`id=%ff` is not UTF-8 text with the escapes of URLs"],
      ["GET", "/admin/auditlog/list/KIND_ACCESS?tails=5", undefined, 400, "did you mean `tail`?"],
      ["GET", "/admin/auditlog/list/KIND_ACCESS?between.begin=5&between.End=6", undefined, 400, "did you mean `between.end`?"],
      ["DELETE", "/admin/store/revisions?keepLast=4294967296", undefined, 400, "`keepLast` must be a whole number"],
      ["DELETE", "/admin/store/revisions?keepLast=1.5", undefined, 400, "`keepLast` must be a whole number"],
      ["POST", "/admin/store/reload", "{}", 405, "use GET or HEAD"],
      ["GET", "/admin/policy/delete?id=a", undefined, 405, "POST"],
    ])("%s %s %s is refused", async (method, path, body, status, says) => {
      const [found, json] = await send(method, path, body);
      expect([found, JSON.stringify(json)]).toEqual([status, expect.stringContaining(says)]);
    });
  });
});
