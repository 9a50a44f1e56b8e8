/** The log of a server: one line a call, payloads without secrets, errors of conditions. */
import { afterAll, describe, expect, test } from "vitest";
import type { BegunCall } from "../../src/observe/events.ts";
import { openCallLog } from "../../src/observe/call-log.ts";
import { logTo } from "../../src/observe/log.ts";
import { codes, type CodeName } from "../../src/server/calls/reply.ts";
import { eventually, startServer, type LogLine, type ServerOptions, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { openClient } from "./stock-client.ts";

/** Servers by what is set; each is started once. */
const opened = new Map<string, Promise<TestServer>>();
function serverWith(settings: NonNullable<ServerOptions["settings"]> = {}): Promise<TestServer> {
  const key = JSON.stringify(settings);
  const server = opened.get(key) ?? startServer({ policies: { "expense.yaml": expensePolicy }, settings });
  opened.set(key, server);
  return server;
}
afterAll(async () => {
  await Promise.all([...opened.values()].map(async (server) => (await server).stop()));
});

/** The lines of one part of the program since it was last asked about that server. */
const seen = new Map<TestServer, number>();
function from(server: TestServer, logger: string): readonly LogLine[] {
  const lines = server.logged();
  const [before] = [seen.get(server) ?? 0, seen.set(server, lines.length)];
  return lines.slice(before).filter((line) => line["log.logger"] === logger);
}

const checkResources = async (server: TestServer, body: unknown = request): Promise<string> =>
  (await server.post("/api/check/resources", body, { "content-type": "application/json", "user-agent": "tester" })).text;

describe("a call is one line", () => {
  const expected = {
    "ecs.version": expect.any(String),
    "@timestamp": expect.any(String),
    "log.level": "info",
    "log.logger": "authz.service",
    message: "CheckResources OK",
    "authz.service": "authz.svc.v1.AuthzService",
    "authz.method": "CheckResources",
    "authz.code": "OK",
    "authz.request_id": "r1",
    "authz.resources": 1,
    "event.duration": expect.any(Number),
    "source.address": expect.stringContaining("127.0.0.1:"),
  };

  test("over HTTP, with who, what and how long", async () => {
    const server = await serverWith();
    const { authzCallId } = JSON.parse(await checkResources(server));
    const [line, ...more] = from(server, "authz.service");
    expect(line).toEqual({ ...expected, "authz.call_id": authzCallId, "network.protocol": "http" });
    expect([Number.isInteger(line?.["event.duration"]), more]).toEqual([true, []]);
  });

  test("over gRPC too", async () => {
    const server = await serverWith();
    const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
    const resources = [{ actions: ["view"], resource: { kind: "expense", id: "e1" } }];
    await client.call("checkResources", { requestId: "r1", principal: request.principal, resources });
    client.close();
    expect(from(server, "authz.service")).toEqual([{ ...expected, "authz.call_id": expect.any(String), "network.protocol": "grpc" }]);
  });

  test("also when it is refused", async () => {
    const server = await serverWith();
    await checkResources(server, "{}");
    expect(from(server, "authz.service")).toMatchObject([
      { "log.level": "info", "authz.code": "INVALID_ARGUMENT", "error.message": expect.stringMatching(/.+/) },
    ]);
  });

  test("and at debug one when it begins", async () => {
    const server = await serverWith({ "server.logLevel": "debug" });
    await checkResources(server);
    const lines = from(server, "authz.service");
    expect(lines.map((line) => [line["log.level"], line["message"]])).toEqual([
      ["debug", "CheckResources begins"],
      ["info", "CheckResources OK"],
    ]);
    expect(lines[0]).toMatchObject({ "user_agent.original": "tester", "http.request.body.bytes": JSON.stringify(request).length });
    expect(lines[0]?.["authz.call_id"]).toBe(lines[1]?.["authz.call_id"]);
  });

  test("and at debug one for every HTTP exchange, without its query", async () => {
    const server = await serverWith({ "server.logLevel": "debug" });
    await server.get("/nowhere?id=secret");
    const lines = await eventually(
      () => server.logged().filter((line) => line["url.path"] === "/nowhere"),
      ({ length }) => length > 0,
    );
    expect(lines).toMatchObject([{ "log.level": "debug", "http.request.method": "GET", "http.response.status_code": 404 }]);
    expect(JSON.stringify(server.logged())).not.toContain("secret");
  });

  test("and none at warn, when all went well", async () => {
    const server = await serverWith({ "server.logLevel": "warn", "engine.celErrorLogLevel": "off" });
    await checkResources(server);
    expect(server.logged()).toEqual([]);
  });

  const levels: Readonly<Record<CodeName, string>> = {
    OK: "info",
    CANCELLED: "info",
    INVALID_ARGUMENT: "info",
    NOT_FOUND: "info",
    ALREADY_EXISTS: "info",
    UNAUTHENTICATED: "info",
    DEADLINE_EXCEEDED: "warn",
    PERMISSION_DENIED: "warn",
    RESOURCE_EXHAUSTED: "warn",
    FAILED_PRECONDITION: "warn",
    ABORTED: "warn",
    OUT_OF_RANGE: "warn",
    UNIMPLEMENTED: "warn",
    UNAVAILABLE: "warn",
    UNKNOWN: "error",
    INTERNAL: "error",
    DATA_LOSS: "error",
  };
  test.each(Object.entries(levels))("%s is logged at %s", (name, level) => {
    const lines: string[] = [];
    const { end } = openCallLog({ log: logTo({ write: (line) => void lines.push(line) }, "trace"), payloads: false, traceId: () => "t1" });
    const call = { transport: "http", peer: "unix", headers: { get: () => undefined, entries: () => [] } } as const;
    const begun: BegunCall = { method: "ListSchemas", callId: "C", call, body: "{}", at: 0 };
    const [, { code }] = Object.entries(codes).find(([known]) => known === name) ?? ["", { code: -1 }];
    end(begun, { reply: { code, text: "{}" }, milliseconds: 1.5 });
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { "log.level": level, "authz.code": name, "event.duration": 1_500_000, "trace.id": "t1", "source.address": "unix" },
    ]);
  });
});

test("why a call failed is told without what looks like a token, and not at any length", () => {
  const lines: string[] = [];
  const { end } = openCallLog({
    log: logTo({ write: (line) => void lines.push(line) }, "info"),
    payloads: false,
    traceId: () => undefined,
  });
  const call = { transport: "grpc", peer: "unix", headers: { get: () => undefined, entries: () => [] } } as const;
  const begun: BegunCall = { method: "CheckResources", callId: "C", call, body: "{}", at: 0 };
  for (const message of ['no "x": eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln', `"${"é\n".repeat(5000)}`])
    end(begun, { reply: { code: 3, text: JSON.stringify({ code: 3, message, details: [] }) }, milliseconds: 1 });
  const [masked, cut] = lines.map((line) => String(JSON.parse(line)["error.message"]));
  expect([masked, cut?.length]).toEqual(['no "x": ***', 1000]);
});

describe("payloads", () => {
  const withToken = { ...request, auxData: { jwt: { token: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln", keySetId: "none" } } };

  test("are logged in both directions, with the call, and without secrets", async () => {
    const server = await serverWith({ "server.logRequestPayloads": true });
    const { authzCallId } = JSON.parse(await checkResources(server));
    await checkResources(server, withToken);
    await checkResources(server, '{"password": "hunter2"');
    const [good, refused, broken] = from(server, "authz.payload");
    expect(good).toMatchObject({ "log.level": "info", "authz.call_id": authzCallId, "authz.request": JSON.stringify(request) });
    expect(JSON.parse(String(good?.["authz.reply"]))).toMatchObject({ requestId: "r1", authzCallId });
    expect(JSON.parse(String(refused?.["authz.request"]))).toMatchObject({ auxData: { jwt: { token: "***", keySetId: "none" } } });
    expect(refused?.["authz.reply"]).toContain("auxData");
    expect(broken?.["authz.request"]).toBe("(22 characters that are not JSON)");
    const all = JSON.stringify(server.logged());
    expect([all.includes("eyJ"), all.includes("hunter2")]).toEqual([false, false]);
  });

  test("are not logged unless that is wanted", async () => {
    const server = await serverWith();
    await checkResources(server);
    expect(JSON.stringify(server.logged())).not.toContain("amount");
  });
});

describe("errors of conditions", () => {
  const approve = (attr: object): object => ({
    ...request,
    resources: [{ actions: ["approve"], resource: { kind: "expense", id: "e1", attr } }],
  });

  test("are none where a condition is only false", async () => {
    const server = await serverWith();
    await checkResources(server, approve({ amount: 5000 }));
    expect(from(server, "authz.conditions")).toEqual([]);
  });

  test("are named once, as a warning, with the call that met them", async () => {
    const server = await serverWith();
    const { authzCallId } = JSON.parse(await checkResources(server, approve({})));
    await checkResources(server, approve({}));
    expect(from(server, "authz.conditions")).toEqual([
      expect.objectContaining({
        "log.level": "warn",
        "authz.call_id": authzCallId,
        "authz.resource_kind": "expense",
        "authz.expression": "R.attr.amount < 1000",
        "error.message": expect.stringContaining("amount"),
      }),
    ]);
  });

  test("are sound JSON: no key of a line stands there twice", async () => {
    const server = await serverWith({ "server.logLevel": "debug", "server.logRequestPayloads": true });
    await checkResources(server, approve({}));
    // Whoever reads the lines of a test's server refuses such a line.
    const loggers = server.logged().map((line) => line["log.logger"]);
    expect(loggers).toEqual(expect.arrayContaining(["authz.conditions", "authz.service", "authz.payload", "authz.policies"]));
  });

  test("are those of too many steps, of which there are as many as are configured (D46)", async () => {
    const policies = {
      "memo.yaml": [
        "apiVersion: api.authz.dev/v1",
        "resourcePolicy:",
        "  resource: memo",
        "  version: default",
        "  rules:",
        '    - { actions: [view], effect: EFFECT_ALLOW, roles: ["*"], condition: { match: { expr: "R.attr.list.all(x, x > 0)" } } }',
      ].join("\n"),
    };
    const server = await startServer({ policies, settings: { "engine.maxEvaluationSteps": 20_000 } });
    const view = (length: number): object => ({
      ...request,
      resources: [{ actions: ["view"], resource: { kind: "memo", id: "1", attr: { list: Array.from({ length }, () => 1) } } }],
    });
    const effects = [await checkResources(server, view(20_000)), await checkResources(server, view(20_001))];
    const lines = from(server, "authz.conditions");
    await server.stop();
    expect(effects.map((text) => /EFFECT_\w+/.exec(text)?.[0])).toEqual(["EFFECT_ALLOW", "EFFECT_DENY"]);
    expect(lines).toMatchObject([
      {
        "error.message": "too many steps: more than 20000",
        message: "a condition failed: too many steps: more than 20000 (setting engine.maxEvaluationSteps)",
      },
    ]);
  });

  test("are named at the level that is configured", async () => {
    const server = await serverWith({ "engine.celErrorLogLevel": "error", "server.logRequestPayloads": true });
    await checkResources(server, approve({}));
    expect(from(server, "authz.conditions")).toMatchObject([{ "log.level": "error" }]);
  });

  test("are not looked for when they are off, and the answer is the same", async () => {
    const [on, off] = [await serverWith(), await serverWith({ "server.logLevel": "warn", "engine.celErrorLogLevel": "off" })];
    const answers = await Promise.all([on, off].map((server) => checkResources(server, approve({}))));
    expect(off.logged()).toEqual([]);
    const [left, right] = answers.map((text) => text.replace(/"authzCallId":"\w+"/, ""));
    expect(right).toBe(left);
  });
});

test("at level debug, each HTTP exchange and each set that comes into force is a line; else none is", async () => {
  const [debug, usual] = [await serverWith({ "server.logLevel": "debug" }), await serverWith()];
  const before = debug.logged().filter((line) => line["log.logger"] === "authz.store");
  for (const server of [debug, usual]) await server.get("/_authz/health?service=");
  const lines = await eventually(
    () => debug.logged().filter((line) => line["log.logger"] === "authz.http" && line["url.path"] === "/_authz/health"),
    ({ length }) => length > 0,
  );
  expect(lines).toMatchObject([
    {
      "log.level": "debug",
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "http.request.body.bytes": 0,
      "http.response.body.bytes": 20,
      message: "an HTTP request was answered",
    },
  ]);
  expect(before).toMatchObject([
    { "log.level": "debug", message: "the store is asked whether anything is new" },
    { "log.level": "debug", "authz.policies": 1, message: "policies came into force" },
  ]);
  expect(usual.logged().filter(({ "log.level": level }) => level === "debug")).toEqual([]);
});
