/** One contract, two transports: the same request gets the same answer over HTTP and over gRPC. */
import { connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import { fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CheckResourcesRequestSchema } from "../../proto/gen/authz/request/v1/request_pb.js";
import { CheckResourcesResponseSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { callRawGrpc } from "./raw-grpc.ts";
import { openRaw } from "./raw.ts";
import { fromClient, openClient, toClient } from "./stock-client.ts";

let server: TestServer;
let authz: ReturnType<typeof openClient>;
beforeAll(async () => {
  server = await startServer({ policies: { "expense.yaml": expensePolicy, "sign.yaml": signPolicy } });
  authz = openClient(server.grpc, "authz.svc.v1.AuthzService");
});
afterAll(async () => {
  authz.close();
  await server.stop();
});

const principal = { id: "ann", roles: ["user", "manager"] };
const resource = { kind: "expense", id: "e1", attr: { amount: 500 } };
const entry = { actions: ["view", "approve"], resource };

test.each<[sentence: string, request: object]>([
  ["an answer", { requestId: "r", principal, resources: [entry] }],
  ["several resources", { principal, resources: [entry, { actions: ["view"], resource: { kind: "other", id: "2" } }, entry] }],
  ["the policies that decided", { principal, resources: [entry], includeMeta: true }],
  [
    "versions and scopes",
    {
      principal: { ...principal, policyVersion: "v2", scope: "a.b" },
      resources: [{ ...entry, resource: { ...resource, policyVersion: "v2", scope: "a.b" } }],
    },
  ],
  [
    "attributes of every kind",
    {
      principal: {
        ...principal,
        attr: { s: 'ü\u{1F600}\u0000"\\', n: -1.5e300, z: 0, b: false, x: null, l: [1, [], {}], m: { a: { b: "c" } }, "": undefined },
      },
      resources: [entry],
    },
  ],
  ["actions of any spelling", { principal, resources: [{ actions: [" ", "view:*", "ü", "10", "2"], resource }] }],
  ["a request's own words", { principal, resources: [entry], requestContext: { annotations: { app: "x", n: 1 } } }],
  ["nothing asked", {}],
  [
    "everything wrong at once",
    { principal: { roles: ["a", "a", ""], scope: "a..b" }, resources: [{ actions: ["a", "a"] }, { resource: { id: "1" } }] },
  ],
  ["too many actions", { principal, resources: [{ actions: Array.from({ length: 51 }, (_, at) => `a${at}`), resource }] }],
  ["too many resources", { principal, resources: Array.from({ length: 51 }, () => entry) }],
  ["a token without key sets", { principal, resources: [entry], auxData: { jwt: { token: "x" } } }],
])("%s", async (_sentence, request) => {
  const http = await server.post("/api/check/resources", request);
  const grpc = await authz.call("checkResources", toClient(JSON.parse(JSON.stringify(request))));
  if (http.status === 200) {
    expect(grpc.code).toBe(0);
    expect({ ...fromClient(grpc.reply), authzCallId: "" }).toEqual({ ...http.json, authzCallId: "" });
  } else {
    expect([grpc.code, grpc.message]).toEqual([http.json.code, http.json.message]);
  }
});

const signPolicy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: sign
  version: default
  rules:
    - actions: ["*"]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition:
        match:
          expr: 1.0 / R.attr.n < 0.0 || 1.0 / R.attr.l[0].m < 0.0
`;

test.each([
  ["zero", "0", "[]", "EFFECT_DENY"],
  ["zero below zero", "-0.0", "[]", "EFFECT_ALLOW"],
  ["zero below zero deep within", "0", '[{"m":-0e5}]', "EFFECT_ALLOW"],
])("the sign of %s is the same over both", async (_sentence, n, list, effect) => {
  const text = `{"principal":{"id":"a","roles":["user"]},"resources":[{"actions":["view"],"resource":{"kind":"sign","id":"1","attr":{"n":${n},"l":${list}}}}]}`;
  const http = await server.post("/api/check/resources", text);
  expect(http.json.results[0].actions).toEqual({ view: effect });
  const message = Buffer.from(toBinary(CheckResourcesRequestSchema, fromJson(CheckResourcesRequestSchema, JSON.parse(text))));
  const { bytes } = await callRawGrpc(server, "/authz.svc.v1.AuthzService/CheckResources", message);
  expect(toJson(CheckResourcesResponseSchema, fromBinary(CheckResourcesResponseSchema, bytes))).toMatchObject({
    results: [{ actions: { view: effect } }],
  });
});

describe("the HTTP port", () => {
  test("answers gRPC as the gRPC port does", async () => {
    const request = toClient({ principal, resources: [entry] });
    const here = openClient(new URL(server.http).host, "authz.svc.v1.AuthzService");
    const [one, other] = [await here.call("checkResources", request), await authz.call("checkResources", request)];
    here.close();
    expect({ ...fromClient(one.reply), authzCallId: "" }).toEqual({ ...fromClient(other.reply), authzCallId: "" });
    expect([one.code, one.headers.get("authz-version")]).toEqual([0, other.headers.get("authz-version")]);
  });

  test("answers health, and what there is not, over gRPC too", async () => {
    const health = openClient(new URL(server.http).host, "grpc.health.v1.Health");
    const playground = openClient(new URL(server.http).host, "authz.svc.v1.AuthzPlaygroundService");
    expect((await health.call("check", {})).reply).toEqual({ status: "SERVING" });
    expect((await playground.call("playgroundTest", {})).code).toBe(12);
    health.close();
    playground.close();
  });

  test.each<readonly [sentence: string, headers: OutgoingHttpHeaders, body: string, status: number]>([
    ["a check", { ":method": "POST", ":path": "/api/check/resources" }, JSON.stringify({ principal, resources: [entry] }), 200],
    ["a check that says its length", { ":method": "POST", ":path": "/api/check/resources", "content-length": 2 }, "{}", 400],
    ["a check of another type", { ":method": "POST", ":path": "/api/check/resources", "content-type": "text/plain" }, "{}", 415],
    ["too large a check", { ":method": "POST", ":path": "/api/check/resources" }, "x".repeat(5 * 1024 * 1024), 413],
    ["a question without a body", { ":path": "/api/server_info?pretty" }, "", 200],
    ["health", { ":path": "/_authz/health" }, "", 200],
    ["a route that there is not", { ":path": "/nope" }, "", 404],
    ["a method that there is not", { ":method": "PATCH", ":path": "/api/check/resources" }, "{}", 405],
  ])("answers %s in JSON over HTTP/2", async (_sentence, headers, body, status) => {
    const session = connectHttp2(server.http);
    const stream = session.request(headers, { endStream: body === "" });
    let text = "";
    stream.on("error", () => undefined).setEncoding("utf8");
    stream.on("data", (part: string) => void (text += part));
    const answered = new Promise((resolve) => stream.on("response", (received) => resolve(received[":status"])));
    if (body !== "") stream.end(body);
    expect(await answered).toBe(status);
    await new Promise((resolve) => stream.on("close", resolve));
    session.destroy();
    if (status === 200) expect(JSON.parse(text)).toBeTypeOf("object");
  });

  test("tells the protocols apart however the first bytes come", async () => {
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    const drops = async (bytes: Uint8Array, answer: (received: string) => boolean): Promise<void> => {
      const { write, received, socket } = await openRaw(server.http);
      for (const byte of bytes) {
        write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(received, answer);
      socket.destroy();
    };
    await drops(Buffer.concat([Buffer.from(preface), settings]), (received) => received.startsWith("\0\0") && received.charCodeAt(3) === 4);
    await drops(Buffer.from("PROPFIND / HTTP/1.1\r\nhost: a\r\n\r\n"), (received) => received.startsWith("HTTP/1.1 405 "));
    await drops(Buffer.from("GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n"), (received) => received.startsWith("HTTP/1.1 200 "));
  });
});
