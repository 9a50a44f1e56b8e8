/** Clients that say they will send no more, or are gone at once: what they asked is answered while they listen, and who they were is known. */
import { once } from "node:events";
import { connect, createServer, type ListenOptions, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordPeer, peerOf } from "../../src/server/connections/peer.ts";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";

let server: TestServer;
beforeAll(async () => (server = await startServer({ policies: { "expense.yaml": expensePolicy } })));
afterAll(() => server.stop());

const body = JSON.stringify(request);
const check = `POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test.each([1, 2, 3, 10])("%i checks are answered when their client sends no more right behind them", async (checks) => {
  const { hostname, port } = new URL(server.http);
  const asking = Array.from({ length: 20 }, async () => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let answers = "";
    socket.setEncoding("latin1").on("data", (text: string) => void (answers += text));
    await once(socket, "connect");
    socket.end(check.repeat(checks));
    await once(socket, "close");
    return answers.split("HTTP/1.1 200 OK").length - 1;
  });
  expect(await Promise.all(asking)).toEqual(asking.map(() => checks));
});

test.each<readonly [what: string, where: ListenOptions, expected: RegExp]>([
  ["over TCP by its address", { host: "127.0.0.1", port: 0 }, /^127\.0\.0\.1:\d+$/],
  ["by a socket file as such", { path: join(temporaryFolder({}), "socket") }, /^unix$/],
])("a client that is gone is known %s", async (_what, where, expected) => {
  const gone: Socket[] = [];
  const listener = createServer((socket) => {
    recordPeer(socket, listener);
    gone.push(socket.on("error", () => {}));
  });
  listener.listen(where);
  await once(listener, "listening");
  const address = listener.address();
  const client = typeof address === "object" && address !== null ? connect(address.port, "127.0.0.1") : connect(where.path ?? "");
  await once(client, "connect");
  const [taken] = gone.length > 0 ? gone : ((await once(listener, "connection")) as Socket[]);
  const closed = taken && once(taken.resume(), "close");
  client.destroy();
  await closed;
  expect(taken && peerOf(taken)).toMatch(expected);
  listener.close();
});
