/** Checks that come behind the last answer of a connection: what is not sent any more is dropped, and the server stands. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";

let server: TestServer;
beforeAll(async () => (server = await startServer({ policies: { "expense.yaml": expensePolicy } })));
afterAll(() => server.stop());

const asking = (body: string, headers = ""): string =>
  `POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const check = JSON.stringify(request);
const [resource] = request.resources;
const longCheck = JSON.stringify({
  ...request,
  resources: Array.from({ length: 20 }, (_, at) => ({
    ...resource,
    resource: { ...resource?.resource, id: `${at}${"x".repeat(10_000)}` },
  })),
});
/** Refused, and the last that the connection answers; the long one waits behind it while others come. */
const refused = asking(check, "expect: nothing\r\n");
const bytes = Buffer.from(`${refused}HEAD /api/check/resources HTTP/1.1\r\nhost: a\r\n\r\n${asking(longCheck)}${asking(check).repeat(30)}`);

/** Bytes. */
const firstPieces = [400, 1000, 3000, 8000, 20_000, 65_536, 150_000, 199_000];

/** Sends them in pieces, with pauses of up to some milliseconds; resolves when the server has closed the connection. */
async function talk(random: () => number): Promise<void> {
  const { hostname, port } = new URL(server.http);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const closed = new Promise<void>((resolve) => socket.on("error", () => undefined).on("close", () => resolve()));
  socket.resume();
  for (let at = 0; at < bytes.length && !socket.destroyed;) {
    const end = at + (at === 0 ? (firstPieces[Math.floor(random() * firstPieces.length)] ?? 400) : Math.floor(random() * 210_000));
    socket.write(bytes.subarray(at, end));
    at = end;
    await sleep(random() * 3);
  }
  await Promise.race([closed, sleep(500)]);
  socket.destroy();
}

test("hundreds of such connections, cut anywhere", async () => {
  for (let round = 0; round < 60; round++) await Promise.all(Array.from({ length: 8 }, () => talk(Math.random)));
  const answer = await fetch(`${server.http}/api/check/resources`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: check,
  });
  expect(answer.status).toBe(200);
});
