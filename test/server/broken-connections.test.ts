/** Connections of HTTP/2 that are broken by their clients: nothing of them stays, though Node 20 tells nobody that it has stopped to read them. */
import { once } from "node:events";
import { createServer as createHttp2Server } from "node:http2";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHttp2Sessions, type Http2Sessions } from "../../src/server/connections/http2-sessions.ts";
import { flags, frame, preface, settings, types } from "../frames/frame.ts";
import { eventually } from "./harness.ts";

const http2 = createHttp2Server().on("sessionError", () => undefined);
let sessions: Http2Sessions;
let open = 0;
let entering: Socket | undefined;
const listener = createServer((socket) => {
  open++;
  socket.on("close", () => open--);
  entering = socket;
  http2.emit("connection", socket);
});
beforeAll(async () => {
  sessions = openHttp2Sessions({ maxAge: 0, setupTimeout: 0, lookMilliseconds: 40 });
  http2.on("session", (session) => {
    if (entering !== undefined) sessions.add(session, entering);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
});
afterAll(async () => {
  await sessions.close(0);
  listener.close();
});

async function client(bytes: Buffer): Promise<Socket> {
  // A true edge: it listens at a port.
  const { port } = listener.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.on("error", () => undefined).resume();
  await once(socket, "connect");
  socket.write(Buffer.concat([preface, settings(), bytes]));
  return socket;
}

const breaks: readonly (readonly [what: string, bytes: Buffer])[] = [
  ["a field that nobody knows", frame(types.headers, flags.endHeaders | flags.endStream, 1, Buffer.of(0x80))],
  ["data of no stream", frame(types.data, 0, 0, Buffer.of(1))],
  ["a ping of another length", frame(types.ping, 0, 0, Buffer.alloc(7))],
  ["a continuation of nothing", frame(types.continuation, flags.endHeaders, 1, Buffer.of(0x82))],
];

test.each(breaks)("by %s: it is closed, though its client waits", async (_what, bytes) => {
  const socket = await client(bytes);
  await once(socket, "end");
  socket.destroy();
  await eventually(
    () => open,
    (left) => left === 0,
  );
});

test.each(breaks)("by %s: nothing is left when its client has gone", async (_what, bytes) => {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => client(bytes)));
  await eventually(
    () => open,
    (now) => now > 0,
  );
  for (const socket of sockets) socket.destroy();
  await eventually(
    () => open,
    (left) => left === 0,
  );
});

test("who is silent and answers when he is asked stays", async () => {
  const socket = await client(Buffer.alloc(0));
  let pings = 0;
  socket.on("data", (part: Buffer) => {
    // The only frames of 8 bytes that come are pings.
    for (
      let at = part.indexOf(Buffer.of(0, 0, 8, types.ping, 0));
      at !== -1;
      at = part.indexOf(Buffer.of(0, 0, 8, types.ping, 0), at + 1)
    ) {
      pings++;
      socket.write(frame(types.ping, flags.ack, 0, part.subarray(at + 9, at + 17)));
    }
  });
  await eventually(
    () => pings,
    (so) => so >= 5,
  );
  expect(open).toBe(1);
  socket.destroy();
});
