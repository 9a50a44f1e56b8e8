/** Frames and words that are made to make the server throw where nobody catches: it answers, or drops the stream, and goes on. */
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { part } from "./protobuf.ts";
import { callRawGrpc } from "./raw-grpc.ts";
import { requestMessage } from "./request-message.ts";

let server: TestServer;
const uncaught: unknown[] = [];
const take = (error: unknown): void => void uncaught.push(error);
beforeAll(async () => {
  process.on("uncaughtExceptionMonitor", take);
  server = await startServer({ policies: { "expense.yaml": expensePolicy } });
});
afterEach(async () => {
  expect(uncaught).toEqual([]);
  const { status } = await callRawGrpc(server, check, requestMessage(usual));
  expect(status).toBe("0");
});
afterAll(async () => {
  process.off("uncaughtExceptionMonitor", take);
  await server.stop();
});

const check = "/authz.svc.v1.AuthzService/CheckResources";
const usual = {
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "expense", id: "one" } }],
};

describe("words that are cut short in a refusal are cut between characters", () => {
  /** Wherever they are cut, it is within a character. */
  const long = ["a", ""].flatMap((before) => [40, 3000].map((times) => before + "\u{1f600}".repeat(times)));
  const withPrincipal = (field: number, text: string): Buffer =>
    part(3, Buffer.concat([part(1, "ann"), part(3, "user"), part(field, text)]));
  const resource = part(4, Buffer.concat([part(1, "view"), part(2, Buffer.concat([part(1, "expense"), part(3, "one")]))]));
  const withResource = (field: number, text: string): Buffer =>
    part(4, Buffer.concat([part(1, "view"), part(2, Buffer.concat([part(1, "expense"), part(3, "one"), part(field, text)]))]));
  const requests: readonly (readonly [string, (text: string) => Buffer])[] = [
    ["the principal's version", (text) => Buffer.concat([withPrincipal(2, text), resource])],
    ["the principal's scope", (text) => Buffer.concat([withPrincipal(5, text), resource])],
    ["the resource's version", (text) => Buffer.concat([withPrincipal(1, "ann"), withResource(2, text)])],
    ["the resource's scope", (text) => Buffer.concat([withPrincipal(1, "ann"), withResource(5, text)])],
    [
      "a token's key set",
      (text) => Buffer.concat([withPrincipal(1, "ann"), resource, part(5, part(1, Buffer.concat([part(1, "a.b.c"), part(2, text)])))]),
    ],
    ["a token's name", (text) => Buffer.concat([withPrincipal(1, "ann"), resource, part(5, part(2, part(1, text)))])],
  ];
  const ways: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["as usual", {}],
    ["through grpc-js", { "content-type": "application/grpc+authz" }],
  ];
  test.each(requests.flatMap(([where, request]) => ways.map(([way, metadata]) => [where, way, request, metadata] as const)))(
    "%s, %s",
    async (_, _way, request, metadata) => {
      for (const text of long) {
        const answer = await callRawGrpc(server, check, request(text), metadata);
        expect(answer.status).toMatch(/^[0-9]+$/);
        expect(answer.message).not.toContain("\u{fffd}");
      }
    },
  );
});

describe("HTTP/2 by hand", () => {
  const frame = (type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  };
  /** A field of a header block, written out and not remembered. */
  const field = (name: string, value: string): Buffer =>
    Buffer.concat([Buffer.of(0x10, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
  const opening = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);
  const reset = frame(3, 0, 1, Buffer.of(0, 0, 0, 8));
  const post = (path: string, ...more: readonly (readonly [string, string])[]): Buffer =>
    Buffer.concat(
      ([[":method", "POST"], [":scheme", "http"], [":path", path], [":authority", "x"], ...more] as const).map(([name, value]) =>
        field(name, value),
      ),
    );
  const send = async (address: string, bytes: Buffer): Promise<void> => {
    const { hostname, port } = new URL(address.includes("://") ? address : `http://${address}`);
    const socket = connectTcp(Number(port), hostname);
    socket.on("error", () => undefined).resume();
    await once(socket, "connect");
    socket.write(bytes);
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
  };

  const grpc = ["content-type", "application/grpc"] as const;
  const bodies: readonly (readonly [string, Buffer])[] = [
    ["that waits to be told to go on", post("/api/check/resources", ["expect", "100-continue"])],
    ["of JSON", post("/api/check/resources", ["content-type", "application/json"])],
    ["of gRPC for nobody", post("/a.B/C", grpc)],
    ["of gRPC for checks", post(check, grpc)],
    ["of gRPC for checks whose time is up", post(check, grpc, ["grpc-timeout", "0m"])],
    ["of gRPC for health", post("/grpc.health.v1.Health/Watch", grpc)],
    ["of gRPC in a form that nobody knows", post(check, grpc, ["grpc-encoding", "br"])],
  ];
  const faces = ["http", "grpc"] as const;
  test.each(faces.flatMap((face) => bodies.map(([what, block]) => [face, what, block] as const)))(
    "%s: a request %s, opened and reset in one packet",
    async (face, _, block) => {
      for (const flags of [4, 5]) await send(server[face], Buffer.concat([opening, frame(1, flags, 1, block), reset]));
    },
  );

  test.each(faces)("%s: the same with its message in between", async (face) => {
    const message = Buffer.concat([Buffer.of(0, 0, 0, 0, 4), Buffer.from("\u{1f600}")]);
    for (const packed of [message, Buffer.from(gzipSync(message))])
      await send(server[face], Buffer.concat([opening, frame(1, 4, 1, post(check, grpc)), frame(0, 1, 1, packed), reset]));
  });
});
