/** The HTTP face: what is asked, which status and what words come back. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";

const bodyLimit = 4 * 1024 * 1024;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: { "server.requestLimits.maxActionsPerResource": 3, "server.requestLimits.maxResourcesPerRequest": 2 },
  });
});
afterAll(() => server.stop());

const check = "/api/check/resources";
const principal = { id: "ann", roles: ["user"] };
const resource = { kind: "expense", id: "e1" };
const entry = { actions: ["view"], resource };

describe("a check", () => {
  test("answers with one effect for each action", async () => {
    const { status, headers, json } = await server.post(check, request);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("grpc-metadata-authz-version")).toMatch(/^\d+\.\d+\.\d+/);
    expect(json).toEqual({
      requestId: "r1",
      results: [
        {
          resource: { id: "e1", kind: "expense", policyVersion: "default" },
          actions: { view: "EFFECT_ALLOW", approve: "EFFECT_ALLOW", delete: "EFFECT_DENY" },
        },
      ],
      authzCallId: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    });
  });

  test("names the policy that decided when it is asked to", async () => {
    const { json } = await server.post(check, { ...request, includeMeta: true });
    expect(json.results[0].meta.actions.view).toEqual({ matchedPolicy: "resource.expense.vdefault" });
  });

  test("is denied where no policy speaks", async () => {
    const { status, json } = await server.post(check, {
      principal,
      resources: [{ actions: ["view"], resource: { kind: "nothing", id: "1" } }],
    });
    expect([status, json.results[0].actions]).toEqual([200, { view: "EFFECT_DENY" }]);
  });

  test.each([["?pretty"], ["?pretty=false"], ["?a=1&pretty"]])("is laid out for people with %s", async (query) => {
    const { text, json } = await server.post(check + query, request);
    expect(text).toContain('\n  "requestId": "r1",\n');
    expect(json.requestId).toBe("r1");
  });

  test.each([
    ["JSON", "application/json", 200],
    ["JSON in UTF-8", "application/json; charset=utf-8", 200],
    ["JSON of a kind", "application/vnd.api+json", 200],
    ["capitals", "Application/JSON", 200],
    ["a form", "application/x-www-form-urlencoded", 415],
    ["plain text", "text/plain", 415],
    ["protobuf", "application/x-protobuf", 415],
    ["no media type", "json", 415],
  ])("with the content type of %s", async (_sentence, type, status) => {
    expect((await server.post(check, JSON.stringify(request), { "content-type": type })).status).toBe(status);
  });

  test("needs no content type", async () => {
    const answer = await raw(
      `POST ${check} HTTP/1.1\r\nhost: a\r\ncontent-length: ${JSON.stringify(request).length}\r\nconnection: close\r\n\r\n${JSON.stringify(request)}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test("of attributes with the names of prototypes is answered like any other", async () => {
    const attr = JSON.parse('{"__proto__":{"amount":1},"constructor":1,"toString":2,"length":3,"amount":5000}');
    const { status, json } = await server.post(check, {
      principal: { id: "ann", roles: ["manager"] },
      resources: [{ actions: ["approve"], resource: { ...resource, attr } }],
    });
    expect([status, json.results[0].actions]).toEqual([200, { approve: "EFFECT_DENY" }]);
  });

  test("of actions with the names of prototypes names them all", async () => {
    const { text } = await server.post(check, { principal, resources: [{ actions: ["__proto__", "constructor", "view"], resource }] });
    expect(text).toContain('"__proto__":"EFFECT_DENY"');
    expect(text).toContain('"constructor":"EFFECT_DENY"');
    expect(text).toContain('"view":"EFFECT_ALLOW"');
  });
});

describe("a bad request", () => {
  const cases: readonly (readonly [sentence: string, body: unknown, ...violations: readonly (readonly [path: string, rule: string])[]])[] =
    [
      ["no principal", { resources: [entry] }, ["principal", "required"]],
      ["no roles", { principal: { id: "a" }, resources: [entry] }, ["principal.roles", "required"]],
      ["no resources", { principal }, ["resources", "required"]],
      ["no actions", { principal, resources: [{ resource }] }, ["resources[0].actions", "required"]],
      ["duplicate actions", { principal, resources: [{ actions: ["a", "a"], resource }] }, ["resources[0].actions", "repeated.unique"]],
      [
        "everything at once",
        { principal: { roles: ["a", "a"], policyVersion: "a-b" }, resources: [{ actions: [""], resource: { kind: "x" } }] },
        ["principal.id", "required"],
        ["principal.policyVersion", "string.pattern"],
        ["principal.roles", "repeated.unique"],
        ["resources[0].actions[0]", "string.min_len"],
        ["resources[0].resource.id", "required"],
      ],
      ["an empty object", {}, ["principal", "required"], ["resources", "required"]],
    ];
  test.each(cases)("with %s is answered with every violation", async (_sentence, body, ...violations) => {
    const { status, json } = await server.post(check, body);
    expect([status, json.code]).toEqual([400, 3]);
    expect(json.details[0]["@type"]).toBe("type.googleapis.com/buf.validate.Violations");
    expect(
      json.details[0].violations.map((violation: { fieldPath: string; ruleId: string }) => [violation.fieldPath, violation.ruleId]),
    ).toEqual(violations);
  });

  test.each([
    ["no JSON", "{nope"],
    ["half a JSON", '{"principal": {'],
    ["an unknown field", { principal, resources: [entry], foo: 1 }],
    ["a key twice", '{"requestId":"a","requestId":"b"}'],
    ["a number as a text", { requestId: 5, principal, resources: [entry] }],
    ["a list", "[]"],
    ["too many resources", { principal, resources: [entry, entry, entry] }],
    ["too many actions", { principal, resources: [{ actions: ["a", "b", "c", "d"], resource }] }],
    ["a token without key sets", { principal, resources: [entry], auxData: { jwt: { token: "x" } } }],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d])],
  ])("with %s is 400 with a sentence", async (_sentence, body) => {
    const { status, json } = await server.post(check, body);
    expect([status, json.code]).toEqual([400, 3]);
    expect(json.message.length).toBeGreaterThan(10);
    expect(json.message).not.toMatch(/\bat .*:\d+:\d+|node_modules|\.[jt]s\b/);
  });

  test("with a byte order mark is told so: nobody sees one", async () => {
    const { status, json } = await server.post(check, `\ufeff${JSON.stringify(request)}`);
    expect([status, json.code, json.message]).toEqual([400, 3, expect.stringContaining("begins with a byte order mark")]);
  });

  test("without a body is an empty request", async () => {
    const answer = await server.get(check, { method: "POST" });
    expect([answer.status, answer.json.details[0].violations.length]).toEqual([400, 2]);
  });

  test("that is too large is 413, whether it says so or not", async () => {
    const large = JSON.stringify({ requestId: "x".repeat(bodyLimit) });
    const said = await server.post(check, large);
    expect([said.status, said.json.code]).toEqual([413, 8]);
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json" } } as RequestInit;
    // Some clients fail to read an answer that comes before they have sent everything.
    const status = await fetch(server.http + check, init).then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
  });

  test("just below the limit is read", async () => {
    const { status } = await server.post(check, { ...request, requestId: "x".repeat(bodyLimit - 1000) });
    expect(status).toBe(200);
  });

  test("with headers of 48 KiB is read", async () => {
    const answer = await raw(`GET /_authz/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx: ${"y".repeat(48 * 1024)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test("in a content encoding is 415", async () => {
    expect((await server.post(check, "x", { "content-type": "application/json", "content-encoding": "gzip" })).status).toBe(415);
  });

  test.each([
    ["no HTTP at all", "hello\r\n\r\n", 400],
    ["a header that is too large", `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(80_000)}\r\n\r\n`, 431],
    ["a path that is no URL", "GET /%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400],
  ])("with %s gets its status in the usual shape", async (_sentence, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: 3, message: expect.any(String) });
  });

  test("deeply nested is an answer, not a crash", async () => {
    const nested = "[".repeat(200_000) + "]".repeat(200_000);
    const { status, json } = await server.post(
      check,
      `{"principal":{"id":"a","roles":["user"],"attr":{"x":${nested}}},"resources":[{"actions":["view"],"resource":{"kind":"expense","id":"1"}}]}`,
    );
    expect([200, 400]).toContain(status);
    expect(json).toBeDefined();
    expect((await server.post(check, request)).status).toBe(200);
  });
});

describe("routes", () => {
  test.each([
    ["GET", "/_authz/health", 200, { status: "SERVING" }],
    ["GET", "/_authz/health?service=authz.svc.v1.AuthzService", 200, { status: "SERVING" }],
    ["GET", "/_authz/health?service=nope", 404, { code: 5 }],
    ["GET", "/_authz/health?service=authz.svc.v1.AuthzAdminService", 404, { code: 5 }],
    ["GET", "/api/server_info", 200, { version: expect.any(String) }],
    ["GET", "/nope", 404, { code: 5 }],
    ["POST", "/api/plan/resources", 404, { code: 5 }],
    ["GET", "/api/check/resources/", 404, { code: 5 }],
    ["GET", "/api/check/resources", 405, { code: 12 }],
    ["PUT", "/api/check/resources", 405, { code: 12 }],
    ["DELETE", "/api/check/resources", 405, { code: 12 }],
    ["OPTIONS", "/api/check/resources", 405, { code: 12 }],
    ["POST", "/_authz/health", 405, { code: 12 }],
    ["POST", "/", 405, { code: 12 }],
  ])("%s %s is %d", async (method, path, status, body) => {
    const answer = await server.get(path, { method });
    expect([answer.status, answer.json]).toEqual([status, expect.objectContaining(body)]);
  });

  test.each([
    ["/api/check/resources", "GET", "POST"],
    ["/_authz/health", "POST", "GET, HEAD"],
  ])("405 at %s for %s names what is allowed", async (path, method, allow) => {
    expect((await server.get(path, { method })).headers.get("allow")).toBe(allow);
  });

  test("HEAD answers where GET does", async () => {
    expect([
      (await server.get("/_authz/health", { method: "HEAD" })).status,
      (await server.get("/nope", { method: "HEAD" })).status,
    ]).toEqual([200, 404]);
  });

  test("a browser sees a page at /", async () => {
    const { status, headers, text } = await server.get("/");
    expect([status, headers.get("content-type"), text.includes("<title>")]).toEqual([200, "text/html; charset=utf-8", true]);
  });
});

test("conditions see the globals of the configuration, objects as objects and ints as ints", async () => {
  const own = await startServer({
    policies: { "expense.yaml": expensePolicy.replace("R.attr.amount < 1000", 'G.limits.max + 1 == 6 && G.region == "eu"') },
    settings: { "engine.globals.limits.max": 5, "engine.globals.region": "eu" },
  });
  try {
    expect((await own.post(check, request)).json.results[0].actions["approve"]).toBe("EFFECT_ALLOW");
  } finally {
    await own.stop();
  }
});

test("every call is one log line with its code and call id", async () => {
  const { json } = await server.post(check, request);
  const lines = server.logged().filter((line) => line["authz.call_id"] === json.authzCallId);
  expect(lines).toEqual([
    expect.objectContaining({
      "log.level": "info",
      "log.logger": "authz.service",
      "authz.method": "CheckResources",
      "authz.code": "OK",
      "network.protocol": "http",
      "event.duration": expect.any(Number),
    }),
  ]);
  expect(JSON.stringify(server.logged())).not.toContain("amount"); // payloads are nobody's business unless asked for
});

/** Sends bytes as they are and returns all that comes back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.http);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => void (answer += part));
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}
