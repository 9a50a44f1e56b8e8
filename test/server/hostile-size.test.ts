/** Small questions with huge answers, and answers that nobody reads: neither fills the memory. */
import { EventEmitter, once } from "node:events";
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openUnreadResponses } from "../../src/server/unread-responses.ts";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { framed, part } from "./protobuf.ts";

const echoPolicy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: echo
  version: default
  rules:
    - actions: ["*"]
      effect: EFFECT_ALLOW
      roles: [user]
      output:
        when:
          ruleActivated: R.attr.text
`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies: { "expense.yaml": expensePolicy, "echo.yaml": echoPolicy },
    settings: { "server.advanced.http.writeTimeout": "400ms", "server.advanced.http.readTimeout": "400ms" },
  });
});
afterAll(() => server.stop());

const path = "/authz.svc.v1.AuthzService/";
const longNames = Array.from({ length: 50 }, (_, at) => `${"a".repeat(40_000)}${at}`);
const names = Array.from({ length: 50 }, (_, at) => `n${at}`);
const principal = { id: "ann", roles: ["user"] };

interface Heard {
  readonly stream: ClientHttp2Stream;
  readonly ended: Promise<{ readonly status: string; readonly reset: number }>;
}

/** Asks over gRPC, and reads the answer or leaves it. */
function ask(session: ClientHttp2Session, method: string, message: Uint8Array | undefined, reads = true): Heard {
  const stream = session.request({ ":method": "POST", ":path": path + method, "content-type": "application/grpc", te: "trailers" });
  let status = "";
  const take = (headers: IncomingHttpHeaders): void => void (status ||= [headers["grpc-status"] ?? ""].flat().join());
  stream
    .on("response", take)
    .on("trailers", take)
    .on("error", () => undefined);
  if (reads) stream.resume();
  if (message !== undefined) stream.end(framed(message));
  return { stream, ended: once(stream, "close").then(() => ({ status, reset: stream.rstCode ?? 0 })) };
}

describe("an answer many times as large as its question is not given:", () => {
  test.each([
    [
      "long names, once in the question and in the answer once for every instance",
      "/api/check",
      {
        includeMeta: true,
        actions: longNames,
        principal,
        resource: { kind: "expense", instances: Object.fromEntries(names.map((name) => [name, {}])) },
      },
    ],
    [
      "a long text that a policy tells with every action",
      check(),
      { principal, resources: [{ actions: names, resource: { kind: "echo", id: "1", attr: { text: "x".repeat(400_000) } } }] },
    ],
  ])("%s", async (_sentence, where, question) => {
    const { status, json } = await server.post(where, question);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 3, message: expect.stringMatching(/too large|too much/) });
  });

  test("neither over gRPC", async () => {
    const session = connect(`http://${server.grpc}`);
    const instances = names.map((name) => part(3, Buffer.concat([part(1, name), part(2, "")])));
    const message = Buffer.concat([
      ...longNames.map((name) => part(2, name)),
      part(3, Buffer.concat([part(1, "ann"), part(3, "user")])),
      part(4, Buffer.concat([part(1, "expense"), ...instances])),
    ]);
    expect((await ask(session, "CheckResourceSet", message).ended).status).toBe("3");
    session.destroy();
  });

  test("while everything that the limits allow is answered, by names of usual length", async () => {
    const usual = names.map((name) => `${name}:${"a".repeat(40)}`);
    const resources = names.map((id) => ({ actions: usual, resource: { kind: "expense", id } }));
    const { status, json } = await server.post(check(), { includeMeta: true, principal, resources });
    expect(status).toBe(200);
    expect(json.results.length).toBe(50);
  });
});

function check(): string {
  return "/api/check/resources";
}

describe("over gRPC, as over HTTP,", () => {
  const simple = (requestId: string): Buffer =>
    Buffer.concat([
      part(1, requestId),
      part(3, Buffer.concat([part(1, "ann"), part(3, "user")])),
      part(4, Buffer.concat([part(1, "view"), part(2, Buffer.concat([part(1, "expense"), part(3, "e1")]))])),
    ]);

  test.each<readonly [sentence: string, port: () => string]>([
    ["on its own port", () => `http://${server.grpc}`],
    ["on the HTTP port", () => server.http],
  ])("who does not read his answer is cut off, %s", async (_sentence, address) => {
    const session = connect(address(), { settings: { initialWindowSize: 0 } });
    const unread = ask(session, "CheckResources", simple("x".repeat(100_000)), false);
    expect((await unread.ended).reset).toBe(8);
    session.destroy();
  });

  test.each<readonly [sentence: string, port: () => string]>([
    ["on its own port", () => `http://${server.grpc}`],
    ["on the HTTP port", () => server.http],
  ])("who does not end his question is cut off, %s", async (_sentence, address) => {
    const [session, watching] = [connect(address()), connect(address())];
    const health = { ":method": "POST", ":path": "/grpc.health.v1.Health/Watch", "content-type": "application/grpc", te: "trailers" };
    const watch = watching.request(health);
    watch.on("error", () => undefined).resume();
    watch.end(framed(Buffer.alloc(0)));
    expect((await ask(session, "CheckResources", undefined).ended).reset).toBe(8);
    expect(watch.closed).toBe(false); // it lasts, but the question has ended
    session.destroy();
    watching.destroy();
  });

  test("and whatever was done, the next one is answered", async () => {
    expect((await server.post(check(), request)).status).toBe(200);
  });
});

describe("answers that wait for slow readers", () => {
  const holder = (writableLength: number): EventEmitter & { readonly writableLength: number } =>
    Object.assign(new EventEmitter(), { writableLength });
  const answer = (length: number): { readonly code: number; readonly text: string } => ({ code: 0, text: "x".repeat(length) });

  test.each([
    ["a large one, where nothing waits", [], 500_000, 0],
    ["a large one, where there is room for it", [400_000], 500_000, 0],
    ["a large one, where there is none", [300_000, 300_000], 500_000, 8],
    ["a usual one, whatever waits", [10_000_000], 10_000, 0],
  ])("%s", (_sentence, waiting, length, code) => {
    const unread = openUnreadResponses(1_000_000);
    for (const bytes of waiting) unread.add(holder(bytes));
    expect(unread.admit(answer(length)).code).toBe(code);
  });

  test("no longer count when their connection is closed", () => {
    const unread = openUnreadResponses(1_000_000);
    const slow = holder(900_000);
    unread.add(slow);
    expect(unread.admit(answer(500_000))).toMatchObject({ code: 8, retryAfter: expect.any(Number) });
    slow.emit("close");
    expect(unread.admit(answer(500_000)).code).toBe(0);
  });

  test("are given up, all of one connection and all together", async () => {
    const session = connect(`http://${server.grpc}`, { settings: { initialWindowSize: 0 } });
    const message = Buffer.concat([
      part(3, Buffer.concat([part(1, "ann"), part(3, "user")])),
      part(4, Buffer.concat([part(1, "view"), part(2, Buffer.concat([part(1, "expense"), part(3, "e".repeat(300_000))]))])),
    ]);
    const all = Array.from({ length: 20 }, () => ask(session, "CheckResources", message, false));
    for (const { ended } of all) expect((await ended).reset).toBe(8);
    await eventually(
      () => server.post(check(), request),
      ({ status }) => status === 200,
    );
    session.destroy();
  });
});
