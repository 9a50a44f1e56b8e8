/** The administration API over both transports and on both stores: one table of meaning, and what is special to each. */
import type { JsonObject } from "@bufbuild/protobuf";
import Libsql from "libsql";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  basic,
  bytes,
  check,
  close,
  enabled,
  hash,
  open,
  password,
  policy,
  right,
  stores,
  misdeclared,
  violations,
  type Call,
  type Opened,
} from "./admin-harness.ts";
import type { Answer, Channel } from "./channels.ts";
import { startServer, temporaryFolder } from "./harness.ts";
import { request as checkRequest } from "./policies.ts";
import { exchange, statuses } from "./raw.ts";

describe.each(stores)("on %s", (store, settings) => {
  let opened: Opened;
  beforeAll(async () => void (opened = await open({ policies: {}, settings: { ...enabled, ...settings() } })), 60_000);
  afterAll(() => close(opened));

  describe.each(["http", "grpc"] as const)("over %s", (transport) => {
    const over = (): Channel => opened[transport];
    const status = (http: number, grpc: number): number => (transport === "http" ? http : grpc);

    test("schemas are put, listed, found and deleted", async () => {
      const put = await ask(over(), "AddOrUpdateSchema", {
        schemas: [
          { id: "z/a.json", definition: bytes({ type: "object" }) },
          { id: "b.json", definition: bytes({}) },
          { id: "b.json", definition: bytes({ type: "string" }) },
        ],
      });
      expect([put.status, put.body]).toEqual([status(200, 0), {}]);
      expect((await ask(over(), "ListSchemas", {})).body).toEqual({ schemaIds: ["b.json", "z/a.json"] });
      const definition = (value: object): unknown => (transport === "http" ? value : bytes(value));
      expect((await ask(over(), "GetSchema", { id: ["z/a.json", "nosuch.json", "b.json"] })).body).toEqual({
        schemas: [
          { id: "z/a.json", definition: definition({ type: "object" }) },
          { id: "b.json", definition: definition({ type: "string" }) },
        ],
      });
      expect((await ask(over(), "DeleteSchema", { id: ["z/a.json", "b.json", "nosuch.json"] })).body).toEqual({ deletedSchemas: 2 });
      expect((await ask(over(), "DeleteSchema", { id: ["b.json"] })).body).toEqual({ deletedSchemas: 0 });
      expect((await ask(over(), "ListSchemas", {})).body).toEqual({ schemaIds: [] });
      const none = await ask(over(), "GetSchema", { id: ["b.json", "nosuch.json"] });
      expect([none.status, none.body]).toEqual([status(404, 5), { code: 5, message: "no schema has the id `b.json` or `nosuch.json`" }]);
    });

    test("a definition that is not UTF-8 is said to be none", async () => {
      const request = { schemas: [{ id: "a.json", definition: Buffer.from([0x22, 0xff, 0x22]).toString("base64") }] };
      const { status: found, body } = await ask(over(), "AddOrUpdateSchema", request);
      expect([found, body]).toEqual([
        status(400, 3),
        { code: 3, message: expect.stringMatching(/(?:^|: )`schemas\[0\]\.definition` is not UTF-8 text$/) },
      ]);
    });

    test.each<[sentence: string, call: Call, request: JsonObject, paths: readonly string[]]>([
      ["no schemas", "AddOrUpdateSchema", {}, ["schemas"]],
      ["an empty list", "AddOrUpdateSchema", { schemas: [] }, ["schemas"]],
      [
        "101 schemas",
        "AddOrUpdateSchema",
        { schemas: Array.from({ length: 101 }, (_, index) => ({ id: `${index}.json`, definition: bytes({}) })) },
        ["schemas"],
      ],
      [
        "nothing in a schema, and no id in the next",
        "AddOrUpdateSchema",
        { schemas: [{}, { definition: bytes({}) }] },
        ["schemas[0].id", "schemas[0].definition", "schemas[1].id"],
      ],
      ["256 characters", "AddOrUpdateSchema", { schemas: [{ id: `${"a".repeat(251)}.json`, definition: bytes({}) }] }, ["schemas[0].id"]],
      [
        "ids that lead elsewhere",
        "AddOrUpdateSchema",
        {
          schemas: ["../a.json", "/a.json", "a//b.json", "a\\b.json", "a\u0000.json", "a/..", "."].map((id) => ({
            id,
            definition: bytes({}),
          })),
        },
        ["0", "1", "2", "3", "4", "5", "6"].map((index) => `schemas[${index}].id`),
      ],
      [
        "what is no schema",
        "AddOrUpdateSchema",
        {
          schemas: [
            { id: "a.json", definition: bytes({}) },
            { id: "b.json", definition: bytes({ type: "objekt" }) },
            { id: "c.json", definition: bytes([]) },
          ],
        },
        ["schemas[1].definition", "schemas[2].definition"],
      ],
      ["no id", "GetSchema", {}, ["id"]],
      ["an empty id, one that is too long, and two alike", "GetSchema", { id: ["", "a".repeat(256), "b", "b"] }, ["id", "id[0]", "id[1]"]],
      ["no id to delete", "DeleteSchema", {}, ["id"]],
      ["two alike to delete", "DeleteSchema", { id: ["b", "b"] }, ["id"]],
      ["no policies", "AddOrUpdatePolicy", { policies: [] }, ["policies"]],
      ["101 policies", "AddOrUpdatePolicy", { policies: Array.from({ length: 101 }, () => policy("x")) }, ["policies"]],
      [
        "a policy without a type, and one without rules' effects",
        "AddOrUpdatePolicy",
        { policies: [{ apiVersion: "api.authz.dev/v1" }, policy("x", { rules: [{ actions: ["a"], roles: ["b"] }] })] },
        ["policies[0]", "policies[1]"],
      ],
      [
        "a policy that does not compile",
        "AddOrUpdatePolicy",
        { policies: [policy("x"), policy("y", { importDerivedRoles: ["nosuch"] })] },
        ["policies[1].resourcePolicy.importDerivedRoles[0]"],
      ],
    ])("a request with %s is refused, with every violation", async (_sentence, call, request, paths) => {
      const answer = await ask(over(), call, request);
      expect(answer.status).toBe(status(400, 3));
      expect(answer.body).toMatchObject({ code: 3, details: [{ "@type": "type.googleapis.com/buf.validate.Violations" }] });
      expect(violations(answer)).toEqual(paths);
      expect(misdeclared(call, answer)).toEqual([]);
    });

    test("a hundred schemas are not too many", async () => {
      const schemas = Array.from({ length: 100 }, (_, index) => ({ id: `many/${index}.json`, definition: bytes({}) }));
      expect((await ask(over(), "AddOrUpdateSchema", { schemas })).status).toBe(status(200, 0));
      expect((await ask(over(), "DeleteSchema", { id: schemas.map(({ id }) => id) })).body).toEqual({ deletedSchemas: 100 });
    });

    test("ids may have 255 characters, whatever they are", async () => {
      const id = `${"\u{1f600}".repeat(50)}${"a".repeat(200)}.json`.replace(/a{2}/g, "a/").slice(0, 305);
      const whole = `${id.replace(/\/?(\.json)?$/, "")}.json`;
      expect([...whole].length).toBeLessThanOrEqual(255);
      expect((await ask(over(), "AddOrUpdateSchema", { schemas: [{ id: whole, definition: bytes({}) }] })).status).toBe(status(200, 0));
      expect((await ask(over(), "DeleteSchema", { id: [whole] })).body).toEqual({ deletedSchemas: 1 });
    });

    test.each<[sentence: string, authorization: string]>([
      ["none", ""],
      ["a wrong password", basic("authz", "other")],
      ["a wrong name", basic("other", password)],
      ["a token", "Bearer abc"],
    ])("credentials come before the request, and are refused alike: %s", async (_sentence, authorization) => {
      for (const call of ["GetSchema", "AddOrUpdateSchema", "AddOrUpdatePolicy"] as const) {
        const { status: found, body, headers } = await ask(over(), call, {}, authorization);
        expect(found).toBe(status(401, 16));
        expect(body).toMatchObject({ code: 16 });
        if (headers !== undefined) expect(headers["www-authenticate"]).toBe('Basic realm="authz admin"');
      }
      expect((await ask(over(), "ListSchemas", {})).status).toBe(status(200, 0)); // and a good login forgives
    });

    test("the very next check goes by a policy and a schema that were just put", async () => {
      const kind = `live_${transport}`;
      const put = (definition: object): Promise<Answer> =>
        ask(over(), "AddOrUpdateSchema", { schemas: [{ id: `${kind}.json`, definition: bytes(definition) }] });
      expect(await check(opened, kind)).toBe("EFFECT_DENY");
      await put({ type: "object" });
      const answer = await ask(over(), "AddOrUpdatePolicy", {
        policies: [policy(kind, { schemas: { resourceSchema: { ref: `authz:///${kind}.json` } } })],
      });
      expect([answer.status, answer.body]).toEqual([status(200, 0), { success: {} }]);
      expect(await check(opened, kind)).toBe("EFFECT_ALLOW");
      await put({ required: ["x"] });
      expect(await check(opened, kind)).toBe("EFFECT_DENY");
      expect(await check(opened, kind, { x: 1 })).toBe("EFFECT_ALLOW");
      await put({ required: ["y"] });
      expect(await check(opened, kind, { x: 1 })).toBe("EFFECT_DENY");

      const needed = await ask(over(), "DeleteSchema", { id: [`${kind}.json`] });
      expect([needed.status, needed.body]).toMatchObject([
        status(400, 9),
        {
          code: 9,
          message: `policies refer to what would be deleted: the policy \`resource.${kind}.vdefault\` refers to \`authz:///${kind}.json\``,
        },
      ]);
      await ask(over(), "AddOrUpdatePolicy", { policies: [policy(kind)] });
      expect((await ask(over(), "DeleteSchema", { id: [`${kind}.json`] })).body).toEqual({ deletedSchemas: 1 });
      expect(await check(opened, kind)).toBe("EFFECT_ALLOW");
      await ask(over(), "AddOrUpdatePolicy", { policies: [{ ...policy(kind), disabled: true }] });
      expect(await check(opened, kind)).toBe("EFFECT_DENY");
    });

    // A folder has files, of which only some are schemas.
    test.each(store === "a folder" ? ["named.json", "named.JSON"] : ["named.json", "named", "s.json/x", "a schema's"])(
      "a schema that is called %s is found by that name, and kept while it is needed",
      async (id) => {
        const kind = `named_${transport}`;
        const named = { id, definition: bytes({ required: ["x"] }) };
        expect((await ask(over(), "AddOrUpdateSchema", { schemas: [named] })).status).toBe(status(200, 0));
        const ref = `authz:///${encodeURI(id)}`;
        await ask(over(), "AddOrUpdatePolicy", { policies: [policy(kind, { schemas: { resourceSchema: { ref } } })] });
        expect([await check(opened, kind, { x: 1 }), await check(opened, kind)]).toEqual(["EFFECT_ALLOW", "EFFECT_DENY"]);
        expect((await ask(over(), "DeleteSchema", { id: [id] })).status).toBe(status(400, 9));
        await ask(over(), "AddOrUpdatePolicy", { policies: [policy(kind)] });
        expect((await ask(over(), "DeleteSchema", { id: [id] })).body).toEqual({ deletedSchemas: 1 });
      },
    );

    test("writes that come at once all count", async () => {
      const kinds = Array.from({ length: 12 }, (_, index) => `many_${transport}_${index}`);
      const answers = await Promise.all(kinds.map((kind) => ask(over(), "AddOrUpdatePolicy", { policies: [policy(kind)] })));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status(200, 0)]));
      for (const kind of kinds) expect(await check(opened, kind)).toBe("EFFECT_ALLOW");
    });
  });

  describe("over HTTP alone", () => {
    const put = (definition: string): Promise<Answer["status"]> =>
      opened.server
        .post("/admin/schema", `{"schemas":[{"id":"http.json","definition":${definition}}]}`, {
          authorization: right,
          "content-type": "application/json",
        })
        .then(({ status }) => status);

    test.each([
      ["an object", '{"type":"object"}', 200],
      ["an empty object", "{}", 200],
      ["base64", '"e30="', 200],
      ["base64 of URLs, without padding", `"${Buffer.from('{"title":"???>>>"}').toString("base64url")}"`, 200],
      ["a list", "[]", 400],
      ["a word", "true", 400],
      ["text that is no base64", '"{}"', 400],
      ["base64 with a letter that is none", '"e3.0="', 400],
      ["base64 that breaks off", '"e30gI"', 400],
      ["base64 of what is no JSON", '"bm90IGpzb24gYXQgYWxs"', 400],
      ["base64 of what is no UTF-8", '"/w=="', 400],
      ["an object with a name given twice", '{"type":"object","type":"string"}', 400],
      ["an object that names a prototype", '{"properties":{"__proto__":{}}}', 400],
    ])("a definition may be %s or not: %s", async (_sentence, definition, wanted) => expect(await put(definition)).toBe(wanted));

    test.each([
      ["an unknown field", '{"schemas":[],"x":1}', "line 1, column 15: unknown field `x` in the request (it may have schemas)"],
      [
        "an unknown field of a schema",
        '{"schemas":[{"id":"a","name":1}]}',
        "unknown field `name` in `schemas[0]` (it may have id, definition)",
      ],
      ["a name given twice", '{"schemas":[],"schemas":[]}', "duplicate field `schemas`"],
      ["no list", '{"schemas":{}}', "`schemas` must be a list of objects, but is an object"],
      ["no object", '{"schemas":[1]}', "`schemas[0]` must be an object, but is a number"],
      ["no text", '{"schemas":[{"id":1}]}', "`schemas[0].id` must be a string, but is a number"],
      ["half of it", '{"schemas":[', "line 1, column 13"],
      ["half of it, and what that means", '{"schemas":[', "the text ends too early, as if it were cut off"],
      ["a comma too many", '{"schemas":[],}', "found `}`: remove the comma before it"],
      [
        "a schema with a comment, in base64",
        `{"schemas":[{"id":"a.json","definition":"${btoa("{ // x\n}")}"}]}`,
        "found `/`: JSON has no comments",
      ],
      ["a list at all", "[]", "a request must be an object"],
    ])("a body is read strictly: %s", async (_sentence, body, message) => {
      const answer = await opened.server.post("/admin/schema", body, { authorization: right, "content-type": "application/json" });
      expect(answer.status).toBe(400);
      expect(answer.json.message).toContain(message);
    });

    test("PUT is POST; what is not built is not there", async () => {
      const headers = { authorization: right, "content-type": "application/json" };
      expect(
        (await opened.server.get("/admin/schema", { method: "PUT", headers, body: '{"schemas":[{"id":"http.json","definition":{}}]}' }))
          .status,
      ).toBe(200);
      expect((await opened.server.get("/admin/schema", { method: "PATCH", headers, body: "{}" })).status).toBe(405);
      expect((await opened.server.get("/admin/nothing", { headers })).status).toBe(404);
      expect((await opened.server.get("/admin/schema?id=http.json&pretty", { headers })).text).toContain("\n  ");
    });
  });
});

describe("on a folder", () => {
  let opened: Opened;
  afterEach(() => close(opened));

  test("policies and schemas are files that people can read", async () => {
    opened = await open({ policies: {}, settings: enabled });
    await ask(opened.http, "AddOrUpdatePolicy", {
      policies: [
        { ...policy("a b:c/d", { scope: "" }), description: "two\nlines", metadata: { annotations: { team: "x" } } },
        policy("größe"),
        policy("größe", { scope: "acme" }),
      ],
    });
    await ask(opened.http, "AddOrUpdateSchema", { schemas: [{ id: "deep/x.json", definition: { type: "object" } }] });
    const files = readdirSync(opened.server.directory, { recursive: true, encoding: "utf8" }).sort();
    expect(files).toEqual([
      "_schemas",
      "_schemas/deep",
      "_schemas/deep/x.json",
      expect.stringMatching(/^resource\.[\w .-]+\.vdefault\.yaml$/),
      "resource.größe.vdefault.yaml",
      "resource.größe.vdefault_acme.yaml",
    ]);
    const text = readFileSync(join(opened.server.directory, files[3] ?? ""), "utf8");
    expect(text).toContain("description: |-\n  two\n  lines\n");
    expect(text).toContain("metadata:\n  annotations:\n    team: x\n");
    expect(readFileSync(join(opened.server.directory, "_schemas/deep/x.json"), "utf8")).toBe('{\n  "type": "object"\n}\n');
  });

  test("that is read-only nothing is changed, over either transport", async () => {
    opened = await open({ policies: { "_schemas/a.json": "{}" }, settings: { ...enabled, "storage.disk.readOnly": true } });
    const put = { schemas: [{ id: "b.json", definition: bytes({}) }] };
    expect((await ask(opened.http, "AddOrUpdateSchema", put)).status).toBe(501);
    expect((await ask(opened.grpc, "AddOrUpdateSchema", put)).status).toBe(12);
    expect((await ask(opened.http, "DeleteSchema", { id: ["a.json"] })).status).toBe(501);
    expect((await ask(opened.http, "AddOrUpdatePolicy", { policies: [policy("x")] })).status).toBe(501);
    expect((await ask(opened.http, "ListSchemas", {})).body).toEqual({ schemaIds: ["a.json"] });
  });

  test.each([
    ["a file", "taken.json", "taken.json/x.json", "a file stands where its folder would have to be"],
    ["a folder", "taken.json/x.json", "taken.json", "a folder of that name is there"],
  ])("no schema takes the place of %s", async (_sentence, there, id, why) => {
    opened = await open({ policies: { [`_schemas/${there}`]: "{}" }, settings: enabled });
    const answer = await ask(opened.http, "AddOrUpdateSchema", { schemas: [{ id, definition: {} }] });
    expect(answer).toMatchObject({ status: 400, body: { code: 9, message: expect.stringContaining(why) } });
    expect((await ask(opened.http, "ListSchemas", {})).body).toEqual({ schemaIds: [there] });
  });

  test("no schema is written through a link that leads out of it", async () => {
    const outside = temporaryFolder({});
    const inside = temporaryFolder({});
    mkdirSync(join(inside, "_schemas"));
    symlinkSync(outside, join(inside, "_schemas", "link"));
    opened = await open({ policies: inside, settings: enabled });
    const answer = await ask(opened.http, "AddOrUpdateSchema", { schemas: [{ id: "link/x.json", definition: {} }] });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 9, message: expect.stringContaining("links to folders are not followed") },
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("definitions that somebody has written by hand and are no objects go out as what they are", async () => {
    opened = await open({ policies: { "_schemas/a.json": "no json" }, settings: { ...enabled, "schema.enforcement": "none" } });
    const { body } = await ask(opened.http, "GetSchema", { id: ["a.json"] });
    expect(body).toEqual({ schemas: [{ id: "a.json", definition: Buffer.from("no json").toString("base64") }] });
  });
});

test("while another process keeps the database locked, a change is 409: whoever asks again may succeed", async () => {
  const folder = temporaryFolder({});
  const path = join(folder, "x.db");
  const opened = await open({ policies: {}, settings: { ...enabled, "storage.driver": "sqlite", "storage.sqlite.path": path } });
  const put = (over: Channel): Promise<Answer> => ask(over, "AddOrUpdatePolicy", { policies: [policy("x")] });
  const holder = new Libsql(path);
  holder.exec("BEGIN IMMEDIATE");
  const message = expect.stringContaining("another process holds it locked");
  const [first, second] = await Promise.all([put(opened.http), put(opened.grpc)]);
  expect(first).toMatchObject({ status: 409, body: { code: 10, message } });
  expect(second).toMatchObject({ status: 10, body: { code: 10, message } });
  holder.exec("COMMIT");
  holder.close();
  expect(await put(opened.http)).toMatchObject({ status: 200 });
  await close(opened);
  rmSync(folder, { recursive: true });
});

test("while another process keeps the database locked, a question is 503: whoever asks again may succeed", async () => {
  const folder = temporaryFolder({});
  const path = join(folder, "x.db");
  const opened = await open({ policies: {}, settings: { ...enabled, "storage.driver": "sqlite", "storage.sqlite.path": path } });
  const list = (over: Channel): Promise<Answer> => ask(over, "ListPolicies", {});
  const holder = new Libsql(path);
  holder.exec("BEGIN EXCLUSIVE");
  const message = expect.stringContaining("another process holds it locked");
  const [first, second] = await Promise.all([list(opened.http), list(opened.grpc)]);
  expect(first).toMatchObject({ status: 503, body: { code: 14, message } });
  expect(second).toMatchObject({ status: 14, body: { code: 14, message } });
  holder.exec("COMMIT");
  holder.close();
  expect(await list(opened.http)).toMatchObject({ status: 200, body: { policyIds: [] } });
  await close(opened);
  rmSync(folder, { recursive: true });
});

test("as many of the longest ids as a list of them may well have fit into a query", async () => {
  const opened = await open({ policies: {}, settings: enabled });
  const id = Array.from({ length: 240 }, (_, at) => String(at).padStart(255, "x"));
  expect(await ask(opened.http, "DeleteSchema", { id })).toMatchObject({ status: 200, body: {} });
  await close(opened);
});

test("who asks comes before what is sent", async () => {
  const opened = await open({ policies: {}, settings: enabled });
  const send = (headers: { readonly [name: string]: string }): Promise<unknown> => opened.server.post("/admin/schema", "{}", headers);
  for (const other of [{ "content-type": "text/plain" }, { "content-type": "application/json", "content-encoding": "gzip" }]) {
    expect(await send(other)).toMatchObject({ status: 401, json: { code: 16 } });
    expect(await send({ ...other, authorization: right })).toMatchObject({ status: 415, json: { code: 3 } });
  }
  const large = " ".repeat(4 * 1024 * 1024 + 1);
  const sendLarge = (headers: { readonly [name: string]: string }): Promise<unknown> =>
    opened.server.post("/admin/schema", large, { "content-type": "application/json", ...headers });
  expect(await sendLarge({})).toMatchObject({ status: 401, json: { code: 16 } });
  expect(await sendLarge({ authorization: right })).toMatchObject({ status: 413, json: { code: 8 } });
  await close(opened);
});

test("what is too large to be read is a call of its method and path where somebody administers, and none where somebody checks", async () => {
  const opened = await open({ policies: {}, settings: enabled });
  const body = " ".repeat(4 * 1024 * 1024 + 1);
  const send = async (method: string, path: string): Promise<number> =>
    (await fetch(opened.server.http + path, { method, body, headers: { "content-type": "application/json", authorization: right } }))
      .status;
  const rows = [
    ["PUT", "/admin/policy"],
    ["DELETE", "/admin/policy"],
    ["POST", "/admin/schema"],
    ["DELETE", "/admin/schema"],
    ["POST", "/api/check/resources"],
  ] as const;
  for (const [method, path] of rows) expect(await send(method, path)).toBe(413);
  expect(opened.server.logged().flatMap((line) => (line["authz.code"] === "RESOURCE_EXHAUSTED" ? [line["authz.method"]] : []))).toEqual([
    "AddOrUpdatePolicy",
    "DisablePolicy",
    "AddOrUpdateSchema",
    "DeleteSchema",
  ]);
  await close(opened);
});

describe("when it is disabled", () => {
  test.each([
    ["nobody has a password", {}],
    ["the password of the configuration is right", { "server.adminAPI.adminCredentials.passwordHash": hash }],
  ])("there are no such calls, whatever is sent: %s", async (_sentence, settings) => {
    const opened = await open({ policies: {}, settings });
    const reads = ["ListPolicies", "GetPolicy", "InspectPolicies", "ListSchemas", "GetSchema"] as const;
    const changes = ["AddOrUpdatePolicy", "EnablePolicy", "DisablePolicy", "DeletePolicy", "AddOrUpdateSchema", "DeleteSchema"] as const;
    for (const authorization of [right, ""])
      for (const call of [...reads, ...changes, "ReloadStore", "PurgeStoreRevisions"] as const) {
        expect(await ask(opened.http, call, {}, authorization)).toMatchObject({ status: 404 });
        expect(await ask(opened.grpc, call, {}, authorization)).toMatchObject({ status: 12 });
      }
    const tooLong = "x".repeat(5 * 2 ** 20);
    expect(await opened.server.post("/admin/schema", tooLong)).toMatchObject({ status: 404, json: { code: 12 } });
    await close(opened);
  });
});

describe("the start is refused", () => {
  test.each([
    ["without a hash", { "server.adminAPI.enabled": true }, "authz admin hash-password"],
    [
      "with what is no hash",
      { "server.adminAPI.enabled": true, "server.adminAPI.adminCredentials.passwordHash": "aHVudGVyMg==" },
      "authz admin hash-password",
    ],
    ["without a place for the database", { "storage.driver": "sqlite" }, "needs `storage.sqlite.path`"],
    [
      "with a database that is none",
      { "storage.driver": "sqlite3", "storage.sqlite3.dsn": `file:${import.meta.filename}?_fk=true` },
      "the file is not a database",
    ],
  ])("%s", async (_sentence, settings, why) => {
    await expect(startServer({ policies: {}, settings })).rejects.toThrow(why);
  });
});

test("one address that fails again and again is not heard for a while, over either transport, and checks go on", async () => {
  const opened = await open({ policies: {}, settings: enabled });
  const wrong = basic("authz", "guess");
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(opened.http, "ListSchemas", {}, wrong)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  for (let turn = 0; turn < 15; turn++) await ask(opened.grpc, "ListSchemas", {}, wrong);
  const blocked = await ask(opened.grpc, "ListSchemas", {}, right);
  expect([blocked.status, blocked.body]).toMatchObject([8, { message: expect.stringContaining("too many failed logins") }]);
  expect((await opened.server.post("/api/check/resources", checkRequest)).status).toBe(200);
  expect(opened.server.logged().some((line) => JSON.stringify(line).includes("guess"))).toBe(false);
  await close(opened);
});

test.each([
  ["the right ones first", [right, basic("authz", "other")]],
  ["the right ones last", [basic("authz", "other"), right]],
  ["the right ones twice", [right, right]],
])("two Authorization headers are no credentials: %s", async (_sentence, both) => {
  const server = await startServer({ policies: {}, settings: enabled });
  const headers = ["host: a", "connection: close", ...both.map((value) => `authorization: ${value}`)].join("\r\n");
  expect(statuses(await exchange(server.http, `GET /admin/schemas HTTP/1.1\r\n${headers}\r\n\r\n`))).toEqual([401]);
  const once = `GET /admin/schemas HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: ${right}\r\n\r\n`;
  expect(statuses(await exchange(server.http, once))).toEqual([200]);
  await server.stop();
});
