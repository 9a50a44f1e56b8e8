/** The HTTP transport over a service whose answers come when the test wants: deadlines, clients that leave, and what is measured. */
import { connect as connectHttp2 } from "node:http2";
import { afterEach, describe, expect, test } from "vitest";
import type { Call, UnaryMethod } from "../../src/server/calls/call.ts";
import { codes, failure, type CodeName, type Reply } from "../../src/server/calls/reply.ts";
import { closeStubServers, openStubServer, textOf } from "./stub-server.ts";
import { eventually } from "./harness.ts";
import { exchange, openRaw, statuses } from "./raw.ts";
import { openClient } from "./stock-client.ts";

afterEach(closeStubServers);

const ok: Reply = { code: 0, text: '{"schemas":[]}' };
const never = new Promise<Reply>(() => undefined);
const asJson = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" } as const;

describe("grpc-timeout", () => {
  test.each<readonly [sentence: string, timeout: string, reply: Reply | Promise<Reply>, status: number, code: number | undefined]>([
    ["is too short for an answer that never comes", "20m", never, 504, 4],
    ["is too short for any answer", "1n", ok, 504, 4],
    ["is long enough", "5S", ok, 200, undefined],
    ["is longer than a timer can be", "99999999H", new Promise((resolve) => setTimeout(resolve, 10, ok)), 200, undefined],
    ["is no time", "soon", ok, 400, 3],
    ["has nine digits", "123456789S", ok, 400, 3],
  ])("%s", async (_sentence, timeout, reply, status, code) => {
    const { http } = await openStubServer({ call: () => reply });
    const answer = await fetch(`${http}/api/check/resources`, { ...asJson, headers: { ...asJson.headers, "grpc-timeout": timeout } });
    const json: { readonly code?: number } = JSON.parse(await answer.text());
    expect([answer.status, json.code]).toEqual([status, code]);
  });
});

test.each<readonly [name: CodeName, status: number]>([
  ["INVALID_ARGUMENT", 400],
  ["UNAUTHENTICATED", 401],
  ["PERMISSION_DENIED", 403],
  ["NOT_FOUND", 404],
  ["ALREADY_EXISTS", 409],
  ["RESOURCE_EXHAUSTED", 429],
  ["CANCELLED", 499],
  ["INTERNAL", 500],
  ["UNIMPLEMENTED", 501],
  ["UNAVAILABLE", 503],
  ["DEADLINE_EXCEEDED", 504],
])("a reply %s is %d over HTTP, and 401 alone asks for credentials", async (name, status) => {
  const { http } = await openStubServer({ call: () => failure(name, "because") });
  const answer = await fetch(`${http}/admin/schemas`);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? 'Basic realm="authz admin"' : null);
  expect(JSON.parse(await answer.text())).toEqual({ code: codes[name].code, message: "because" });
});

test.each<readonly [method: string, path: string, call: UnaryMethod, question: string]>([
  ["GET", "/admin/schemas?x=1", "ListSchemas", "{}"],
  ["GET", "/admin/schema?id=a.json&id=b%2Fc.json", "GetSchema", '{"id":["a.json","b/c.json"]}'],
  ["GET", "/admin/schema?id=", "GetSchema", '{"id":[""]}'],
  ["GET", "/admin/schema", "GetSchema", "{}"],
  ["DELETE", "/admin/schema?id=a&__proto__=b&constructor.name=c", "DeleteSchema", '{"id":["a"]}'],
  ["GET", "/api/server_info?pretty", "ServerInfo", "{}"],
  ["POST", "/admin/schema", "AddOrUpdateSchema", "{}"],
  ["PUT", "/admin/policy", "AddOrUpdatePolicy", "{}"],
  ["POST", "/api/check", "CheckResourceSet", "{}"],
  ["POST", "/api/check_resource_batch", "CheckResourceBatch", "{}"],
])("%s %s asks %s with %s", async (method, path, call, question) => {
  const asked: (readonly [UnaryMethod, string])[] = [];
  const { http } = await openStubServer({
    call: (name, ask) => {
      asked.push([name, textOf(ask)]);
      return ok;
    },
  });
  expect((await fetch(http + path, { method })).status).toBe(200);
  expect(asked).toEqual([[call, question]]);
});

describe("a call knows", () => {
  test("its headers, and who made it, over HTTP/1 and HTTP/2", async () => {
    const calls: Call[] = [];
    const { http } = await openStubServer({
      call: (_name, _body, call) => {
        calls.push(call);
        return ok;
      },
    });
    const headers = { "x-request-id": "r1", "authz-peer": "somebody" };
    await fetch(`${http}/api/server_info`, { headers });
    const session = connectHttp2(http);
    const stream = session.request({ ":path": "/api/server_info", ...headers });
    stream.resume();
    await new Promise((resolve) => stream.on("end", resolve));
    session.destroy();
    for (const { transport, peer, headers: given } of calls) {
      expect([transport, given.get("x-request-id"), given.get("none")]).toEqual(["http", "r1", undefined]);
      expect(peer).toMatch(/^127\.0\.0\.1:\d+$/);
      const entries = new Map(given.entries());
      expect(entries.get("x-request-id")).toEqual(["r1"]);
      expect([...entries.keys()].filter((name) => name.startsWith(":"))).toEqual([]);
    }
    expect(calls).toHaveLength(2);
  });
});

describe("every exchange is told of,", () => {
  test("with its bytes", async () => {
    const { http, told } = await openStubServer({ call: () => ok });
    await fetch(`${http}/api/check/resources`, { ...asJson, body: '{"a":1}' });
    await fetch(`${http}/nope`);
    await eventually(
      () => told.length,
      (count) => count === 2,
    );
    expect(told).toMatchObject([
      { method: "POST", status: 200, milliseconds: expect.any(Number), requestBytes: 7, responseBytes: ok.text.length },
      { method: "GET", status: 404, milliseconds: expect.any(Number), requestBytes: 0, responseBytes: expect.any(Number) },
    ]);
  });

  test("also of one whose client went away, which is nothing to make noise about", async () => {
    let answer: (reply: Reply) => void = () => undefined;
    const { http, told, logged } = await openStubServer({ call: () => new Promise((resolve) => (answer = resolve)) });
    const { socket } = await openRaw(http, "POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
    const begun = answer;
    await eventually(
      () => answer,
      (now) => now !== begun,
    );
    socket.destroy();
    await eventually(
      () => told,
      (all) => all.some(({ status }) => status === 499),
    );
    answer(ok);
    expect((await fetch(`${http}/_authz/health`)).status).toBe(503);
    expect(logged).toEqual([]);
  });
});

test("calls of administrators over gRPC are UNIMPLEMENTED, in a sentence, when the API is disabled", async () => {
  const { http } = await openStubServer({}, ["server.adminAPI.enabled=false"]);
  const client = openClient(new URL(http).host, "authz.svc.v1.AuthzAdminService");
  expect(await client.call("listSchemas", {})).toMatchObject({ code: 12, message: expect.stringContaining("server.adminAPI.enabled") });
  client.close();
});

describe("routes that settings open and close:", () => {
  test.each([
    ["/_authz/metrics", [], 200, "a_metric 1\n"],
    ["/_authz/metrics", ["server.metricsEnabled=false"], 404, undefined],
    ["/_authz/metrics", ["telemetry.enabled=false"], 404, undefined],
    ["/admin/nope", [], 404, '{"code":5,"message":"no such route: `GET /admin/nope`"}'],
    [
      "/admin/schemas",
      ["server.adminAPI.enabled=false"],
      404,
      '{"code":12,"message":"the administration API is disabled (setting server.adminAPI.enabled)"}',
    ],
    [
      "/admin/nope",
      ["server.adminAPI.enabled=false"],
      404,
      '{"code":12,"message":"the administration API is disabled (setting server.adminAPI.enabled)"}',
    ],
    ["/administrator", ["server.adminAPI.enabled=false"], 404, '{"code":5,"message":"no such route: `GET /administrator`"}'],
    ["/_other/health", [], 404, '{"code":5,"message":"no such route: `GET /_other/health`; it is `/_authz/health` here"}'],
    ["/_other/metrics?a=b", [], 404, '{"code":5,"message":"no such route: `GET /_other/metrics`; it is `/_authz/metrics` here"}'],
    ["/_other/healthy", [], 404, '{"code":5,"message":"no such route: `GET /_other/healthy`"}'],
    [
      "/_authz/metrics",
      ["server.metricsEnabled=false"],
      404,
      '{"code":5,"message":"no such route: `GET /_authz/metrics`; it is switched off (setting server.metricsEnabled or telemetry.enabled)"}',
    ],
    [
      "/",
      ["server.apiExplorerEnabled=false"],
      404,
      '{"code":5,"message":"no such route: `GET /`; the page of the calls is switched off (setting server.apiExplorerEnabled)"}',
    ],
    ["/api/plan/resources", [], 404, '{"code":5,"message":"no such route: `GET /api/plan/resources`; query plans are not supported"}'],
    ["/access/v1/evaluation", [], 404, '{"code":5,"message":"no such route: `GET /access/v1/evaluation`; AuthZEN is not supported"}'],
    [
      "/.well-known/authzen-configuration",
      [],
      404,
      '{"code":5,"message":"no such route: `GET /.well-known/authzen-configuration`; AuthZEN is not supported"}',
    ],
    ["/access/v10/evaluation", [], 404, '{"code":5,"message":"no such route: `GET /access/v10/evaluation`"}'],
    [
      "/api/playground/validate",
      [],
      404,
      '{"code":5,"message":"no such route: `GET /api/playground/validate`; the playground is not supported"}',
    ],
  ])("%s with %j is %d", async (path, settings, status, text) => {
    const { http } = await openStubServer({}, settings);
    const answer = await fetch(http + path);
    expect(answer.status).toBe(status);
    if (text !== undefined) expect(await answer.text()).toBe(text);
  });

  test.each([
    ["/admin/schema", "PATCH", "GET, HEAD, POST, PUT, DELETE", "GET, HEAD, POST, PUT or DELETE"],
    ["/admin/auditlog/list/KIND_ACCESS", "POST", "GET, HEAD", "GET or HEAD"],
    ["/_authz/metrics", "DELETE", "GET, HEAD", "GET or HEAD"],
    ["/api/check/resources", "GET", "POST", "POST"],
  ])("405 at %s for %s allows %s", async (path, method, allow, listed) => {
    const { http } = await openStubServer({});
    const answer = await fetch(http + path, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    expect(await answer.json()).toEqual({ code: 12, message: `${method} is not allowed here: use ${listed}` });
  });

  test.each([
    ["http://a/api/check/resources?pretty", 405, "GET is not allowed here: use POST"],
    ["HTTPS://a:1/api/check/resources", 405, "GET is not allowed here: use POST"],
    ["http://a/admin/schemas", 404, "the administration API is disabled (setting server.adminAPI.enabled)"],
    ["http://a/nope", 404, "no such route: `GET /nope`"],
    ["http://a/_other/health", 404, "no such route: `GET /_other/health`; it is `/_authz/health` here"],
  ])("an address with its host, as proxies are asked, is refused as one without: %s is %d", async (target, status, message) => {
    const { http } = await openStubServer({}, ["server.adminAPI.enabled=false"]);
    const answer = await exchange(http, `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    expect([...statuses(answer), JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))).message]).toEqual([status, message]);
  });

  test("a method that nobody knows is 501, and named", async () => {
    const { http } = await openStubServer({});
    const answer = await exchange(http, "FOO /api/check/resources HTTP/1.1\r\nhost: a\r\n\r\n");
    expect(statuses(answer)).toEqual([501]);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({ code: 12, message: "the method `FOO` is unknown" });
  });

  test("a request to pass bytes on is 501, and says why", async () => {
    const { http } = await openStubServer({});
    const connect = "CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n";
    const answer = await exchange(http, connect);
    expect(statuses(answer)).toEqual([501]);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: 12, message: expect.stringContaining("`CONNECT`") });
  });

  test("who asks for a query plan is told that there are none", async () => {
    const { http } = await openStubServer({});
    expect(await (await fetch(`${http}/api/plan/resources?pretty`, asJson)).json()).toEqual({
      code: 5,
      message: "no such route: `POST /api/plan/resources`; query plans are not supported",
    });
  });

  test.each(["/api/plan/resources", "/access/v1/evaluation", "/api/playground/validate", "/.well-known/authzen-configuration"])(
    "%s does not exist",
    async (path) => {
      const { http } = await openStubServer({});
      expect((await fetch(http + path, asJson)).status).toBe(404);
    },
  );
});
