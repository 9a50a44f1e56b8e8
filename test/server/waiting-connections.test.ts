/** Connections that wait for their next request keep nothing of the last one, which would outlive its time, but know how it ended. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHttp1Connections } from "../../src/server/connections/http1-connections.ts";
import { eventually } from "./harness.ts";
import { openRaw } from "./raw.ts";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

const asked: WeakRef<IncomingMessage | ServerResponse>[] = [];
const connections = openHttp1Connections();
/** How many answers have ended; and whether the last one was early, in the moment in which it ended. */
let ended = 0;
let wasEarly = false;
/** The connections on which bytes came that cannot be read. */
const unreadable: Socket[] = [];
const server = createServer((request, response) => {
  const { url = "", socket } = request;
  connections.begin(request, response);
  asked.push(new WeakRef(request), new WeakRef(response));
  response.on("close", () => {
    connections.end(socket);
    ended += 1;
    wasEarly = connections.hasRespondedEarly(socket);
  });
  if (url === "/at-once") return void response.end("all");
  request.resume();
  if (url === "/whole") request.on("end", () => response.end("all"));
})
  .on("connection", connections.add)
  .on("clientError", (_error, socket) => {
    // A server of `http` that listens to TCP has no other streams.
    unreadable.push(socket as Socket);
    connections.afterResponses(socket as Socket, () => socket.destroy());
  });

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

// A server that listens to TCP has such an address.
const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const asking = (path: string, { body = "{}", header = "" } = {}): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\n${header}content-length: 2\r\n\r\n${body}`;

test("nothing of an answered request is kept", async () => {
  if (typeof collect !== "function") throw new Error("the collector cannot be called");
  asked.length = 0;
  const open = await Promise.all(Array.from({ length: 20 }, () => openRaw(address(), asking("/whole"))));
  for (const { received } of open) await eventually(received, (text) => text.endsWith("all"));
  expect(asked).toHaveLength(40);
  await eventually(
    () => {
      collect();
      return asked.filter((held) => held.deref() !== undefined).length;
    },
    (left) => left === 0,
    5000,
  );
  expect(open.filter(({ socket }) => socket.destroyed)).toEqual([]);
  for (const { socket } of open) socket.destroy();
});

test.each<[sentence: string, sent: string, answered: boolean]>([
  ["whole, and answered", asking("/whole"), false],
  ["answered before it was whole", asking("/at-once", { body: "{" }), true],
  ["answered before it was whole, behind another", asking("/whole") + asking("/at-once", { body: "{" }), true],
  ["answered, and the one behind it waits for its answer", asking("/whole") + asking("/never"), false],
  ["the last one behind one that is answered", asking("/whole") + asking("/never", { header: "connection: close\r\n" }), false],
  ["answered, behind one that was answered too", asking("/whole").repeat(2), false],
  ["whole, and answered with the word that it is the last", asking("/whole", { header: "connection: close\r\n" }), true],
])("a request that is %s: answered early? %s", async (_sentence, sent, answered) => {
  const before = ended;
  const { socket } = await openRaw(address(), sent);
  await eventually(
    () => ended - before,
    (count) => count >= (sent.match(/\/(whole|at-once)/g)?.length ?? 0),
  );
  expect(wasEarly).toBe(answered);
  socket.destroy();
});

test("what comes behind bytes that cannot be read is not read while an answer is due", async () => {
  const { socket, write } = await openRaw(address(), `${asking("/never")}\x16\x03\x01\r\n\r\n`);
  const held = await eventually(
    () => unreadable.find(({ remotePort }) => remotePort === socket.localPort),
    (found) => found !== undefined,
  );
  const much = 2 ** 26;
  write(Buffer.alloc(much));
  // As much as buffers of the system take may go its way.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(held?.bytesRead).toBeLessThan(2 ** 20);
  expect(held?.destroyed).toBe(false);
  socket.destroy();
  held?.destroy(); // it is not read, so it does not see that its client is gone
});
