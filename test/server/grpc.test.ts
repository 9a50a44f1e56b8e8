/** The gRPC face, asked by a stock client. */
import { fromBinary } from "@bufbuild/protobuf";
import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { Client, credentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ViolationsSchema } from "../../proto/gen/buf/validate/violations_pb.js";
import { StatusSchema } from "../../proto/gen/google/rpc/status_pb.js";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { framed, part } from "./protobuf.ts";
import { exchange } from "./raw.ts";
import { fromClient, openClient, toClient } from "./stock-client.ts";

let server: TestServer;
let authz: ReturnType<typeof openClient>;
let health: ReturnType<typeof openClient>;
beforeAll(async () => {
  server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  authz = openClient(server.grpc, "authz.svc.v1.AuthzService");
  health = openClient(server.grpc, "grpc.health.v1.Health");
});
afterAll(async () => {
  authz.close();
  health.close();
  await server.stop();
});

describe("CheckResources", () => {
  test("answers with one effect for each action", async () => {
    const { code, reply, headers } = await authz.call("checkResources", toClient(request));
    expect(code).toBe(0);
    expect(headers.get("authz-version")[0]).toMatch(/^\d+\.\d+\.\d+/);
    expect(fromClient(reply)).toEqual({
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

  test("carries every violation in the status details", async () => {
    const { code, message, metadata } = await authz.call("checkResources", { resources: [{ actions: ["a", "a"] }] });
    expect([code, message.length > 0]).toEqual([3, true]);
    const [bytes] = metadata.get("grpc-status-details-bin");
    const status = fromBinary(StatusSchema, Buffer.from(bytes ?? ""));
    const violations = fromBinary(ViolationsSchema, status.details[0]?.value ?? new Uint8Array());
    expect([status.code, status.details[0]?.typeUrl]).toEqual([3, "type.googleapis.com/buf.validate.Violations"]);
    expect(violations.violations.map((violation) => [violation.fieldPath, violation.ruleId])).toEqual([
      ["principal", "required"],
      ["resources[0].actions", "repeated.unique"],
      ["resources[0].resource", "required"],
    ]);
  });

  const principal = part(3, Buffer.concat([part(1, "a"), part(3, "b")]));
  const repeated = (times: number, resource: Buffer): Buffer =>
    Buffer.concat([principal, ...Array.from({ length: times }, () => part(4, Buffer.concat([part(1, ""), part(2, resource)])))]);
  test.each<readonly [sentence: string, message: Uint8Array]>([
    ["a great many violations", repeated(5000, Buffer.alloc(0))],
    [
      "violations whose words take nine bytes a character",
      repeated(1000, Buffer.concat([part(2, "\u4e2d".repeat(99)), part(5, "\u4e2d".repeat(99))])),
    ],
    [
      "the name of a token that is as long as a request",
      Buffer.concat([principal, part(5, part(2, Buffer.concat([part(1, "\u4e2d".repeat(999_999)), part(2, "")])))]),
    ],
  ])("keeps %s within the 8 KiB of trailers that the clients of most languages accept", async (_sentence, message) => {
    const session = connect(`http://${server.grpc}`);
    onTestFinished(() => session.destroy());
    const path = "/authz.svc.v1.AuthzService/CheckResources";
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" });
    stream.resume().end(framed(message));
    const [trailers]: IncomingHttpHeaders[] = await once(stream, "trailers");
    expect(trailers).toMatchObject({ "grpc-status": "3", "grpc-status-details-bin": expect.any(String) });
    // As HTTP/2 counts it (RFC 9113, 6.5.2).
    const size = Object.entries(trailers ?? {}).reduce((sum, [name, value]) => sum + name.length + String(value).length + 32, 0);
    expect(size).toBeLessThan(8192);
  });

  test.each([
    ["a NaN that JSON cannot hold", { numberValue: Number.NaN }],
    ["a value that is not set", {}],
  ])("refuses %s", async (_sentence, value) => {
    const { code, message } = await authz.call("checkResources", {
      principal: { id: "a", roles: ["user"], attr: { x: value } },
      resources: [{ actions: ["view"], resource: { kind: "expense", id: "1" } }],
    });
    expect([code, message]).toEqual([3, expect.stringContaining("JSON cannot hold")]);
  });

  test("answers what is no message with INTERNAL, what is too large with RESOURCE_EXHAUSTED", async () => {
    const client = new Client(server.grpc, credentials.createInsecure());
    const send = (bytes: Buffer): Promise<number> =>
      new Promise((resolve) => {
        client.makeUnaryRequest(
          "/authz.svc.v1.AuthzService/CheckResources",
          (same: Buffer) => same,
          (same: Buffer) => same,
          bytes,
          (error) => resolve(error?.code ?? 0),
        );
      });
    expect([await send(Buffer.from([0xff, 0xff])), await send(Buffer.alloc(5 * 1024 * 1024))]).toEqual([13, 8]);
    client.close();
  });

  test("answers attributes and actions with the names of prototypes like any other", async () => {
    const attr = JSON.parse('{"constructor":{"numberValue":1},"amount":{"numberValue":5000}}');
    const { code, reply } = await authz.call("checkResources", {
      principal: { id: "ann", roles: ["manager"] },
      resources: [{ actions: ["approve", "constructor", "toString"], resource: { kind: "expense", id: "1", attr } }],
    });
    expect([code, { ...fromClient(reply).results[0].actions }]).toEqual([
      0,
      { approve: "EFFECT_DENY", constructor: "EFFECT_DENY", toString: "EFFECT_DENY" },
    ]);
  });
});

test("a client that is asked to come again, because its connection is old, loses no call", async () => {
  const own = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: { "server.advanced.grpc.maxConnectionAge": "100ms" },
  });
  const client = openClient(own.grpc, "authz.svc.v1.AuthzService");
  const codes = new Set<number>();
  const peers = (): number => new Set(own.logged().flatMap((line) => line["source.address"] ?? [])).size;
  while (peers() < 4) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.call("checkResources", toClient(request))));
    for (const { code } of answers) codes.add(code);
  }
  expect([...codes]).toEqual([0]);
  client.close();
  await own.stop();
});

test("ServerInfo says what is running", async () => {
  expect(await authz.call("serverInfo", {})).toMatchObject({ code: 0, reply: { version: expect.stringMatching(/^\d/) } });
});

test("planResources is UNIMPLEMENTED, in a sentence", async () => {
  expect(await authz.call("planResources", {})).toMatchObject({ code: 12, message: "PlanResources is not supported by this server" });
});

test.each(["authz.svc.v1.AuthzAdminService/listSchemas", "authz.svc.v1.AuthzPlaygroundService/playgroundTest"])(
  "%s is UNIMPLEMENTED",
  async (name) => {
    const [service = "", method = ""] = name.split("/");
    const other = openClient(server.grpc, service);
    expect((await other.call(method, {})).code).toBe(12);
    other.close();
  },
);

describe("a call under a name that this server does not have is UNIMPLEMENTED, and is told", () => {
  test.each<[path: string, says: string]>([
    [
      "/cerbos.svc.v1.CerbosService/CheckResources",
      "there is no service `cerbos.svc.v1.CerbosService` here: `CheckResources` is a call of `authz.svc.v1.AuthzService`, with the same fields and numbers; generate a client from the .proto files of authz (docs/moving-in.md)",
    ],
    [
      "/cerbos.svc.v1.CerbosAdminService/ListPolicies",
      "there is no service `cerbos.svc.v1.CerbosAdminService` here: `ListPolicies` is a call of `authz.svc.v1.AuthzAdminService`, with the same fields and numbers; generate a client from the .proto files of authz (docs/moving-in.md)",
    ],
    [
      "/authz.svc.v1.AuthzService/checkResource",
      "the service `authz.svc.v1.AuthzService` has no call `checkResource`: did you mean `CheckResources`?",
    ],
    ["/authz.svc.v1.AuthzService/Nothing", "the service `authz.svc.v1.AuthzService` has no call `Nothing`"],
    [
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
      "reflection and channelz are served only with the administration API (setting server.adminAPI.enabled); to call without reflection, give your client the .proto files of authz (docs/clients.md)",
    ],
    [
      "/grpc.channelz.v1.Channelz/GetServers",
      "reflection and channelz are served only with the administration API (setting server.adminAPI.enabled); to call without reflection, give your client the .proto files of authz (docs/clients.md)",
    ],
    ["/a.b/C", "The server does not implement the method /a.b/C"],
  ])("%s", async (path, says) => {
    const client = new Client(server.grpc, credentials.createInsecure());
    const error = await new Promise((resolve) => {
      const own = (bytes: Buffer): Buffer => bytes;
      client.makeUnaryRequest(path, own, own, Buffer.alloc(0), resolve);
    });
    expect(error).toMatchObject({ code: 12, details: says });
    client.close();
  });
});

test("who sends HTTP/1 to the gRPC port is told of in the log, once a minute", async () => {
  const own = await startServer({ policies: { "expense.yaml": expensePolicy } });
  for (let times = 0; times < 2; times += 1) await exchange(own.grpc, "POST /api/check/resources HTTP/1.1\r\nhost: a\r\n\r\n");
  await own.stop();
  expect(
    own
      .logged()
      .filter((line) => line["log.level"] === "warn")
      .map((line) => [line["log.logger"], line["message"]]),
  ).toEqual([
    [
      "authz.grpc",
      "a client sent to the gRPC port what is not HTTP/2: JSON over HTTP/1.1 goes to the HTTP port (setting server.httpListenAddr; logged once a minute)",
    ],
  ]);
});

describe("health", () => {
  test.each([
    ["", 0, "SERVING"],
    ["authz.svc.v1.AuthzService", 0, "SERVING"],
    ["nope", 5, undefined],
  ])("of %j is code %d", async (service, code, status) => {
    const answer = await health.call("check", { service });
    expect([answer.code, answer.reply]).toEqual([code, status === undefined ? undefined : { status }]);
  });

  test("of an unknown service is watched as SERVICE_UNKNOWN", async () => {
    const stream = health.stream("watch", { service: "nope" });
    const first = await new Promise((resolve) => stream.once("data", resolve));
    expect(first).toEqual({ status: "SERVICE_UNKNOWN" });
    stream.on("error", () => undefined);
    stream.cancel();
  });

  test("is watched until the server stops", async () => {
    const own = await startServer({ policies: { "expense.yaml": expensePolicy } });
    const watcher = openClient(own.grpc, "grpc.health.v1.Health");
    const seen: unknown[] = [];
    const stream = watcher.stream("watch", { service: "" });
    const first = new Promise((resolve) => stream.once("data", resolve));
    stream.on("data", (message: { status: string }) => seen.push(message.status));
    const ended = new Promise((resolve) => stream.on("end", resolve).on("error", resolve));
    await first;
    await own.stop();
    await ended;
    expect(seen).toEqual(["SERVING", "NOT_SERVING"]);
    watcher.close();
  });
});
