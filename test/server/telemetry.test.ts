/** A server as a collector sees it: calls over both transports, what takes the time in them, and the trace in the log. */
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { base64url, SignJWT } from "jose";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openReceiver, type Receiver } from "../otlp/receiver.ts";
import type { Span } from "../otlp/received.ts";
import { startServer, temporaryFolder, type ServerOptions, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { runProgram, startProgram } from "./process.ts";
import { openClient } from "./stock-client.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${spanId}-01`;
const json = { "content-type": "application/json" } as const;
const patience = { timeout: 20_000, interval: 10 } as const;
const checkName = "authz.svc.v1.AuthzService/CheckResources";

const servers: TestServer[] = [];
async function traced(receiver: Receiver, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    ...options,
    environment: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: "10", ...options.environment },
  });
  servers.push(server);
  return server;
}

let receiver: Receiver;
let before = 0;
beforeAll(async () => {
  receiver = await openReceiver({ protocol: "grpc" });
});
afterAll(() => receiver.close());
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  before = receiver.spans().length;
});

const spans = (): readonly Span[] => receiver.spans().slice(before);
const named = (name: string): readonly Span[] => spans().filter((span) => span.name === name);
const arrived = (name: string, many = 1): Promise<unknown> => vi.waitUntil(() => named(name).length >= many, patience);

/** Calls over gRPC with metadata; the body is empty, and so the call is invalid. */
function callOverGrpc(server: TestServer, headers: { readonly [name: string]: string }): Promise<Metadata> {
  const client = new Client(server.grpc, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const bytes = (value: Buffer): Buffer => value;
  return new Promise((resolve) => {
    let answered = new Metadata();
    const call = client.makeUnaryRequest(`/${checkName}`, bytes, bytes, Buffer.alloc(0), metadata, (error) => {
      client.close();
      answered.merge(error?.metadata ?? new Metadata());
      resolve(answered);
    });
    call.on("metadata", (first) => (answered = first));
  });
}

describe("with the sampler that leaves it to the caller", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await traced(receiver);
    servers.pop(); // it serves every test of these
  });
  afterAll(() => server.stop());

  const callers = [
    ["traceparent", { traceparent }],
    ["b3", { b3: `${traceId}-${spanId}-1` }],
  ] as const;

  test.each(callers)(
    "a call over HTTP with %s is a span below its caller's, with the decision below it, and its log line knows",
    async (_, headers) => {
      const answer = await server.post("/api/check/resources", request, { ...json, ...headers });
      await arrived(checkName);
      const [call] = named(checkName);
      expect(call).toMatchObject({
        traceId,
        parentId: spanId,
        kind: "SERVER",
        attributes: {
          "authz.call_id": answer.json.authzCallId,
          "rpc.system": "http",
          "network.protocol.name": "http",
          "rpc.grpc.status_code": 0,
          "authz.resources": 1,
        },
      });
      expect(named("decide")).toMatchObject([{ traceId, parentId: call?.spanId }]);
      expect(server.logged().filter((line) => line["authz.call_id"] === answer.json.authzCallId)).toMatchObject([{ "trace.id": traceId }]);
      expect([...answer.headers.keys()].filter((name) => /trace|b3/.test(name))).toEqual([]);
    },
  );

  test.each(callers)("a call over gRPC with %s too, though it fails", async (_, headers) => {
    const answered = await callOverGrpc(server, headers);
    await arrived(checkName);
    expect(named(checkName)).toMatchObject([
      {
        traceId,
        parentId: spanId,
        kind: "SERVER",
        status: { code: "UNSET" },
        attributes: { "rpc.system": "grpc", "network.protocol.name": "grpc", "rpc.grpc.status_code": 3 },
      },
    ]);
    expect(Object.keys(answered.getMap()).filter((name) => /trace|b3/.test(name))).toEqual([]);
  });

  test("without a caller's trace there is none in the log, and nothing is recorded", async () => {
    const answer = await server.post("/api/check/resources", request, json);
    await server.post("/api/check/resources", request, { ...json, traceparent });
    await arrived(checkName);
    expect(named(checkName)).toHaveLength(1);
    expect(server.logged().find((line) => line["authz.call_id"] === answer.json.authzCallId)).not.toHaveProperty("trace.id");
  });
});

test("health, metrics and reflection are not traced; every other call is, and the start of the store", async () => {
  const server = await traced(receiver, { environment: { OTEL_TRACES_SAMPLER: "always_on" } });
  await server.get("/_authz/health");
  await server.get("/_authz/metrics");
  await server.get("/schema/swagger.json");
  const health = openClient(server.grpc, "grpc.health.v1.Health");
  await health.call("check", {});
  health.close();
  await server.get("/api/server_info");
  await server.post("/api/check/resources", request, json);
  await arrived(checkName);
  const names = new Set(spans().map(({ name }) => name));
  expect([...names].toSorted()).toEqual([
    "authz.svc.v1.AuthzService/CheckResources",
    "authz.svc.v1.AuthzService/ServerInfo",
    "decide",
    "store update",
  ]);
});

describe("tokens and schemas", () => {
  const secret = new Uint8Array(32).fill(7);
  const keys = JSON.stringify({ keys: [{ kty: "oct", k: base64url.encode(secret), alg: "HS256", kid: "a" }] });
  const policies = {
    "album.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  schemas: {resourceSchema: {ref: 'authz:///album.json'}}
  rules: [{actions: [view], effect: EFFECT_ALLOW, roles: [user]}]
`,
    "_schemas/album.json": JSON.stringify({ required: ["owner"] }),
  };
  const asked = async (token: string): Promise<object> => ({
    principal: { id: "ann", roles: ["user"] },
    resources: [{ actions: ["view"], resource: { kind: "album", id: "1", attr: { owner: "ann" } } }],
    auxData: { jwt: { token } },
  });
  const token = (): Promise<string> => new SignJWT({ exp: 4_102_444_800 }).setProtectedHeader({ alg: "HS256", kid: "a" }).sign(secret);
  const sections = (source: string): string =>
    `${temporaryFolder({ "authz.yaml": `schema: {enforcement: reject}\nauxData: {jwt: {keySets: [{id: k, ${source}}]}}` })}/authz.yaml`;
  let server: TestServer;
  beforeAll(async () => {
    server = await traced(receiver, { policies, file: sections(`local: {data: ${Buffer.from(keys).toString("base64")}}`) });
    servers.pop(); // it serves every test of these
  });
  afterAll(() => server.stop());

  test("each is a span of the call, and so is the decision that follows, once", async () => {
    const answer = await server.post("/api/check/resources", await asked(await token()), { ...json, traceparent });
    expect(answer.status).toBe(200);
    await arrived(checkName);
    const [call] = named(checkName);
    const below = spans().filter(({ parentId }) => parentId === call?.spanId);
    expect(below.map(({ name, status }) => `${name} ${status.code}`).toSorted()).toEqual([
      "auxData UNSET",
      "decide UNSET",
      "schemas UNSET",
    ]);
  });

  test("a token that is refused is an error of its span, which does not hold the token", async () => {
    const bad = `${(await token()).split(".").slice(0, 2).join(".")}.${base64url.encode("no signature at all")}`;
    await server.post("/api/check/resources", await asked(bad), { ...json, traceparent });
    await arrived(checkName);
    expect(named("auxData")).toMatchObject([{ status: { code: "ERROR", message: "bad signature" } }]);
    expect(JSON.stringify(spans(), (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      bad.split(".")[1],
    );
  });

  test("the server of keys is asked in a trace", async () => {
    const headers: (string | undefined)[] = [];
    const issuer = createServer((incoming, response) => {
      headers.push(String(incoming.headers["traceparent"]));
      response.end(keys);
    });
    await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
    // A TCP server's address is an object.
    const { port } = issuer.address() as AddressInfo;
    const file = sections(`remote: {url: 'http://127.0.0.1:${port}/jwks'}`);
    await traced(receiver, { policies, file, environment: { OTEL_TRACES_SAMPLER: "always_on" } });
    await arrived("GET");
    const [get] = named("GET");
    expect(get).toMatchObject({
      kind: "CLIENT",
      attributes: { "http.request.method": "GET", "url.full": `http://127.0.0.1:${port}/jwks`, "server.address": "127.0.0.1" },
    });
    expect(headers).toEqual([`00-${get?.traceId}-${get?.spanId}-01`]);
    issuer.closeAllConnections();
    issuer.close();
  });
});

test("metrics of a server arrive as they are scraped", async () => {
  const server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    environment: {
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: receiver.endpoint,
      OTEL_METRIC_EXPORT_INTERVAL: "100",
    },
  });
  servers.push(server);
  await server.post("/api/check/resources", request, json);
  const count = (): number | undefined =>
    receiver
      .metrics()
      .findLast(({ name }) => name === "authz_dev_engine_check_latency")
      ?.points.find(({ attributes }) => attributes["status"] === "success")?.value;
  await vi.waitUntil(() => count() === 1, patience);
  expect((await server.get("/_authz/metrics")).text).toContain('authz_dev_engine_check_latency_count{status="success"} 1');
});

describe("the program", () => {
  const policies = temporaryFolder({ "expense.yaml": expensePolicy });
  const argv = [
    "server",
    "--set",
    `storage.disk.directory=${policies}`,
    "--set",
    "server.httpListenAddr=127.0.0.1:0",
    "--set",
    "server.grpcListenAddr=127.0.0.1:0",
  ];
  /** Writes the name of each package of OpenTelemetry that the program asks for to standard error. */
  const hooks = `export async function resolve(name, context, next) {
    if (name.startsWith("@opentelemetry/")) (await import("node:fs")).writeSync(2, "loads " + name + "\\n");
    return next(name, context);
  }`;
  const watching = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  const nodeOptions = ["--import", `data:text/javascript,${encodeURIComponent(watching)}`];
  const loaded = async (environment: { readonly [name: string]: string }): Promise<boolean> => {
    const run = startProgram(argv, { environment, nodeOptions });
    await vi.waitUntil(() => run.output().stdout.includes("HTTP is served"), patience);
    run.process.kill("SIGTERM");
    const { code, stderr } = await run.exited;
    expect(code).toBe(0);
    return stderr.includes("loads @opentelemetry/");
  };

  test.each([
    ["loads nothing of OpenTelemetry when nobody asks for it", {}, false],
    ["loads nothing when it is disabled", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" }, false],
    ["loads it when it has somewhere to send", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }, true],
  ] as const)("%s", async (_, environment, wanted) => {
    expect(await loaded(environment)).toBe(wanted);
  });

  test.each(["1", "2"])("says in its log alone that a collector cannot be reached: %s workers", async (workers) => {
    const environment = { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, grpc_proxy: "http://127.0.0.1:1" };
    const run = startProgram([...argv, "--set", `server.workers=${workers}`], {
      environment: { ...environment, OTEL_METRIC_EXPORT_INTERVAL: "100" },
    });
    const said = (words: string): boolean => run.output().stdout.includes(words);
    await vi.waitUntil(() => said("metrics cannot be sent") && said(workers === "1" ? "HTTP is served" : "workers serve"), patience);
    run.process.kill("SIGTERM");
    expect(await run.exited).toMatchObject({ code: 0, stderr: "" });
  });

  test("refuses to start with an environment that it cannot follow, and says all that is wrong with it", async () => {
    const environment = {
      OTEL_METRICS_EXPORTER: "bogus",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    };
    const { code, stderr, stdout } = await runProgram(argv, { environment });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("OTEL_METRICS_EXPORTER asks for `bogus`");
    expect(stdout + stderr).toContain("OTEL_EXPORTER_OTLP_PROTOCOL is `http/json`");
  });
});
