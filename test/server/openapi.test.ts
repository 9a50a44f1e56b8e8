/** The description of the API at /schema/swagger.json, and the page at `/` that shows it. */
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiPage } from "../../src/server/api/api-page.ts";
import { apiPageScript } from "../../src/server/api/api-page-script.ts";
import { constrainedFields } from "../../src/server/api/openapi-constraints.ts";
import { routes } from "../../src/server/calls/routes.ts";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { sendRaw } from "./raw-http.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly responses: { readonly [status: string]: { readonly description: string; readonly schema: JsonObject } };
  readonly security?: readonly JsonObject[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly type: string;
  readonly required: boolean;
  readonly schema?: JsonObject;
}

/** The parts of the document that are looked at. */
interface Document {
  readonly swagger: string;
  readonly host: string;
  readonly schemes: readonly string[];
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly definitions: { readonly [name: string]: JsonObject };
  readonly securityDefinitions?: JsonObject;
}

let folder: string;
let plain: TestServer;
let admin: TestServer;
let bare: TestServer;
beforeAll(async () => {
  const passwordHash = Buffer.from(hashSync("secret", 4)).toString("base64");
  folder = temporaryFolder({
    "admin.yaml": JSON.stringify({ server: { adminAPI: { enabled: true, adminCredentials: { passwordHash } } } }),
  });
  const policies = { "expense.yaml": expensePolicy };
  plain = await startServer({ policies });
  admin = await startServer({ policies, file: join(folder, "admin.yaml") });
  bare = await startServer({ policies, settings: { "server.apiExplorerEnabled": false } });
});
afterAll(async () => {
  for (const server of [plain, admin, bare]) await server.stop();
  rmSync(folder, { recursive: true });
});

const documentOf = async (server: TestServer, headers: Readonly<Record<string, string>> = {}): Promise<Document> =>
  JSON.parse((await sendRaw(server.http, { method: "GET", path: "/schema/swagger.json", headers })).body);
const operationsOf = ({ paths }: Document): readonly (readonly [path: string, method: string, operation: Operation])[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [path, method, operation] as const),
  );

describe("the document", () => {
  test("lists what is served and nothing else", async () => {
    const listed = (document: Document): readonly string[] =>
      operationsOf(document).map(([path, method]) => `${method.toUpperCase()} ${path}`);
    const all = routes.map(({ method, path }) => `${method} ${path}`);
    const health = "GET /_authz/health";
    const audit = "GET /admin/auditlog/list/{kind}";
    expect(listed(await documentOf(admin)).toSorted()).toEqual([...all, health, audit].toSorted());
    expect(listed(await documentOf(plain)).toSorted()).toEqual([...all.filter((route) => !route.includes("/admin/")), health].toSorted());
  });

  test("asks for credentials exactly where they are needed", async () => {
    const document = await documentOf(admin);
    for (const [path, , { security }] of operationsOf(document))
      expect([path, security]).toEqual([path, path.startsWith("/admin/") ? [{ BasicAuth: [] }] : undefined]);
    expect(document.securityDefinitions).toMatchObject({ BasicAuth: { type: "basic" } });
    expect((await documentOf(plain)).securityDefinitions).toBeUndefined();
  });

  test("is Swagger 2.0: references lead somewhere, operations have names of their own, parameters are whole", async () => {
    for (const server of [plain, admin]) {
      const document = await documentOf(server);
      expect([document.swagger, document.info.title]).toEqual(["2.0", "authz"]);
      for (const reference of referencesIn(document as unknown as Json))
        expect([reference, at(document as unknown as Json, reference)]).not.toContain(undefined);
      const operations = operationsOf(document).map(([, , operation]) => operation);
      const ids = operations.map(({ operationId }) => operationId);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { operationId, summary, tags, parameters, responses } of operations) {
        expect(operationId).toMatch(/^[A-Z]\w+_[A-Za-z_]+$/);
        expect(summary).toMatch(/\.$/);
        expect(document.tags.map(({ name }) => name)).toContain(tags[0]);
        expect(responses["200"]?.description).toBeTruthy();
        expect(responses["default"]?.schema).toEqual({ $ref: "#/definitions/google.rpc.Status" });
        for (const parameter of parameters.filter(({ $ref }) => $ref === undefined)) {
          if (parameter.in === "body") expect(parameter.schema).toHaveProperty("$ref");
          else expect(["string", "boolean", "integer", "number", "array"]).toContain(parameter.type);
        }
        expect(parameters.filter((parameter) => parameter.in === "body").length).toBeLessThanOrEqual(1);
      }
      for (const [name, path] of operationsOf(document).map(([path]) => [path.match(/\{(\w+)\}/)?.[1], path] as const))
        if (name !== undefined)
          expect([path, document.paths[path]?.["get"]?.parameters.find((each) => each.name === name)]).toMatchObject([
            path,
            { in: "path", required: true },
          ]);
      for (const schema of Object.values(document.definitions))
        expect(schema["type"]).toBe(schema["enum"] === undefined ? "object" : "string");
    }
  });

  test("says of messages what proto3 JSON is, and what requests must meet", async () => {
    const { definitions } = await documentOf(admin);
    expect(definitions["authz.engine.v1.Principal"]).toEqual({
      type: "object",
      required: ["id", "roles"],
      properties: {
        id: { type: "string", minLength: 1 },
        policyVersion: { type: "string", pattern: "^[\\w]*$" },
        roles: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, uniqueItems: true },
        attr: { type: "object", additionalProperties: { description: "any JSON value" } },
        scope: { type: "string", pattern: "^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$" },
      },
    });
    expect(definitions["authz.schema.v1.Schema"]?.["properties"]).toMatchObject({ id: { maxLength: 255 }, definition: { type: "object" } });
    expect(definitions["authz.response.v1.CheckResourceBatchResponse.ActionEffectMap"]?.["properties"]).toMatchObject({
      resourceId: { type: "string" },
      actions: { additionalProperties: { $ref: "#/definitions/authz.effect.v1.Effect" } },
    });
    // By name: generators make of an enum within a map a type without one, and that of Python takes the keys for its values.
    expect(definitions["authz.effect.v1.Effect"]).toEqual({
      type: "string",
      enum: ["EFFECT_UNSPECIFIED", "EFFECT_ALLOW", "EFFECT_DENY", "EFFECT_NO_MATCH"],
    });
  });

  test.each<readonly [sentence: string, headers: Readonly<Record<string, string>>, host: string, scheme: string]>([
    ["the host that was asked", { host: "pdp.example.com:80" }, "pdp.example.com:80", "http"],
    ["https behind a proxy", { host: "pdp.example.com", "x-forwarded-proto": "https" }, "pdp.example.com", "https"],
    ["http for any other word", { host: "a", "x-forwarded-proto": "gopher" }, "a", "http"],
    ["a host that would be code as text", { host: "a'+x+'b" }, "a'+x+'b", "http"],
  ])("names %s", async (_, headers, host, scheme) => {
    const document = await documentOf(plain, headers);
    expect([document.host, document.schemes]).toEqual([host, [scheme]]);
  });

  test("is only read", async () => {
    for (const [method, status] of [
      ["HEAD", 200],
      ["GET", 200],
      ["POST", 405],
      ["DELETE", 405],
    ] as const)
      expect((await sendRaw(plain.http, { method, path: "/schema/swagger.json" })).status).toBe(status);
    expect((await sendRaw(plain.http, { method: "GET", path: "/schema/other.json" })).status).toBe(404);
  });

  const authorized = `Basic ${Buffer.from("authz:secret").toString("base64")}`;
  // oxfmt-ignore
  test.each<readonly [sentence: string, query: string, authorization: string | undefined, status: number, isWrapped: boolean]>([
    ["a rule that the question breaks",       "tail=0",         authorized, 400, true],
    ["a question that cannot be read",        "tail=many",      authorized, 400, false],
    ["nobody's credentials",                  "tail=1",         undefined,  401, true],
    ["a log that cannot be asked",            "tail=1",         authorized, 501, true],
  ])("says how the list of audit entries answers %s: %s", async (_, query, authorization, status, isWrapped) => {
    const document = await documentOf(admin);
    const headers = { ...(authorization !== undefined && { authorization }) };
    const answer = await sendRaw(admin.http, { method: "GET", path: `/admin/auditlog/list/KIND_ACCESS?${query}`, headers });
    expect(answer.status).toBe(status);
    const json: JsonObject = JSON.parse(answer.body);
    expect("error" in json).toBe(isWrapped);
    const { responses } = document.paths["/admin/auditlog/list/{kind}"]?.["get"] ?? expect.fail("it is not described");
    const described = responses[String(status)]?.schema ?? responses["default"]?.schema ?? {};
    expect(unknownIn(document, described, json)).toEqual([]);
  });

  test("describes a request that is accepted, and the reply to it", async () => {
    const document = await documentOf(plain);
    const operation = document.paths["/api/check/resources"]?.["post"];
    const reply: Json = JSON.parse((await plain.post("/api/check/resources", { ...request, includeMeta: true })).text);
    expect(unknownIn(document, operation?.parameters[0]?.schema ?? {}, JSON.parse(JSON.stringify(request)))).toEqual([]);
    expect(unknownIn(document, operation?.responses["200"]?.schema ?? {}, reply)).toEqual([]);
  });
});

test("the constraints are those that stand in the .proto files", () => {
  const files = ["request/v1/request", "engine/v1/engine", "schema/v1/schema"].map((name) =>
    readFileSync(join(import.meta.dirname, `../../proto/authz/${name}.proto`), "utf8"),
  );
  const written = new Map(files.flatMap(commentsOf));
  // A definition may be as short as {} (D3), and the kind is one of two names.
  const otherwise = new Map([
    ["authz.schema.v1.Schema.definition", "required"],
    ["authz.request.v1.ListAuditLogEntriesRequest.kind", "required"],
  ]);
  for (const [field, rule] of constrainedFields) expect([field, otherwise.get(field) ?? written.get(field)]).toEqual([field, rule]);
});

describe("the page", () => {
  test("is served with a policy that lets exactly its own script and style run", async () => {
    const { status, headers, body } = await sendRaw(plain.http, { method: "GET", path: "/" });
    expect([status, headers["content-type"], headers["x-content-type-options"]]).toEqual([200, "text/html; charset=utf-8", "nosniff"]);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).not.toMatch(/unsafe|\*|http|data:/);
    for (const part of ["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    for (const [tag, directive] of [
      ["script", "script-src"],
      ["style", "style-src"],
    ] as const) {
      const inline = [...body.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(([, text = ""]) =>
        createHash("sha256").update(text).digest("base64"),
      );
      expect(inline.length).toBe(1);
      expect(policy).toContain(`${directive} 'sha256-${inline[0]}'`);
    }
  });

  test("asks for nothing from anywhere else, and has no script or style outside of those two", () => {
    expect(apiPage.html).not.toMatch(/https?:|\/\/[a-z]|@import|url\(/i);
    expect(apiPage.html.replace(apiPageScript, "")).not.toMatch(/\son\w+=|\sstyle=|\ssrc=|javascript:/i);
    expect([...apiPage.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(["/schema/swagger.json"]);
  });

  test("never reads text as HTML or as program", () => {
    expect(() => new Script(apiPageScript)).not.toThrow();
    expect(apiPageScript).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\b|Function\(|setTimeout\("|<\/script/i,
    );
  });

  test("is not there when the settings say so, and is only read", async () => {
    expect((await sendRaw(bare.http, { method: "GET", path: "/" })).status).toBe(404);
    expect((await sendRaw(bare.http, { method: "GET", path: "/schema/swagger.json" })).status).toBe(200);
    expect((await sendRaw(plain.http, { method: "POST", path: "/" })).status).toBe(405);
  });
});

/** Every reference of a document. */
function referencesIn(json: Json): readonly string[] {
  if (Array.isArray(json)) return json.flatMap(referencesIn);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => (key === "$ref" && typeof value === "string" ? [value] : referencesIn(value)));
}

function at(json: Json, reference: string): Json | undefined {
  let found: Json | undefined = json;
  for (const step of reference.replace("#/", "").split("/"))
    found = typeof found === "object" && found !== null ? (found as JsonObject)[step] : undefined;
  return found;
}

/** The paths of a value that its schema does not know. */
function unknownIn(document: Document, schema: JsonObject, value: Json, path = ""): readonly string[] {
  const reference = schema["$ref"];
  const known = typeof reference === "string" ? (at(document as unknown as Json, reference) as JsonObject) : schema;
  if (Array.isArray(value) && known["type"] !== undefined)
    return value.flatMap((item: Json, index) => unknownIn(document, known["items"] as JsonObject, item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null || known["type"] === undefined) return [];
  const properties = known["properties"] as JsonObject | undefined;
  return Object.entries(value).flatMap(([key, each]) => {
    const inner = (properties?.[key] ?? known["additionalProperties"]) as JsonObject | undefined;
    return inner === undefined ? [`${path}.${key}`] : unknownIn(document, inner, each, `${path}.${key}`);
  });
}

/** The comments behind the fields of a .proto file, by the full name of the field. */
function commentsOf(text: string): readonly (readonly [field: string, comment: string])[] {
  const scope = [/^package ([\w.]+);/m.exec(text)?.[1] ?? ""];
  return text.split("\n").flatMap((line) => {
    const opened = /^\s*(message|oneof|enum) (\w+) \{/.exec(line);
    if (opened !== null && !line.includes("}")) scope.push(opened[1] === "oneof" ? "" : (opened[2] ?? ""));
    if (/^\s*\}/.test(line)) scope.pop();
    const [, field, comment] = /^\s+(?:repeated |optional )?[\w.<>, ]+ (\w+) = \d+[^;]*;(?:\s+\/\/ (.*))?$/.exec(line) ?? [];
    return field === undefined || comment === undefined
      ? []
      : [[[...scope.filter((name) => name !== ""), field].join("."), comment] as const];
  });
}
