/** Connections that wait for their next request keep nothing of the last one: it would outlive its time, thousands of times over. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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
const server = createServer((request, response) => {
  connections.begin(request, response);
  asked.push(new WeakRef(request), new WeakRef(response));
  response.on("close", () => connections.end(response, request.socket));
  request.resume().on("end", () => response.end("all"));
}).on("connection", connections.add);

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("nothing of an answered request is kept", async () => {
  if (typeof collect !== "function") throw new Error("the collector cannot be called");
  // A server that listens to TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const check = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}";
  const open = await Promise.all(Array.from({ length: 20 }, () => openRaw(`http://127.0.0.1:${port}`, check)));
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
