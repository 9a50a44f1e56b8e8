/** Clients that write all they have before they read: an answer that comes earlier is not lost, and nobody stays for long by that. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { statuses } from "./raw.ts";

let server: TestServer;
beforeAll(async () => (server = await startServer({ policies: { "expense.yaml": expensePolicy } })));
afterAll(() => server.stop());

const megabytes = 10;
const size = megabytes * 2 ** 20;
const post = (headers: string): string => `POST /api/check/resources HTTP/1.1\r\nhost: a\r\n${headers}\r\n`;
const json = "content-type: application/json\r\n";

/** Connects, and reads nothing until it is asked to. */
async function connected(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, "connect");
  return socket.pause();
}

const written = (socket: Socket, part: string): Promise<void> =>
  new Promise((resolve, reject) => void socket.write(part, (error) => (error ? reject(error) : resolve())));

describe("whoever writes everything first reads the answer then:", () => {
  test.each([
    ["a body that says how long it is", post(`${json}content-length: ${size}\r\n`), 413],
    ["a body in chunks", post(`${json}transfer-encoding: chunked\r\n`) + `${size.toString(16)}\r\n`, 413],
    [
      "a body of another kind, the last of its connection",
      post(`connection: close\r\ncontent-length: ${size}\r\ncontent-type: a/b\r\n`),
      415,
    ],
    ["a body that comes under a condition that nobody meets", post(`${json}expect: x\r\ncontent-length: ${size}\r\n`), 417],
    ["a body of which nothing is known", `GARBAGE\r\n`, 400],
    ["headers without end", `GET / HTTP/1.1\r\nhost: a\r\nx: `, 431],
  ])("%s", async (_sentence, head, status) => {
    const socket = await connected(server.http);
    await written(socket, head);
    for (let sent = 0; sent < megabytes; sent++) await written(socket, "x".repeat(2 ** 20));
    const answer = await text(socket);
    expect(statuses(answer)).toEqual([status]);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    socket.destroy();
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ message: expect.any(String) });
  });
});

/** Sends far too much, and then a little again and again until it is cut off; returns for how many milliseconds, and what was taken. */
async function dawdle(address: string, endlessly: string): Promise<{ readonly milliseconds: number; readonly mebibytes: number }> {
  const socket = await connected(address);
  socket.on("error", () => undefined).resume();
  const began = performance.now();
  let bytes = 0;
  socket.write(post(`${json}content-length: ${2 ** 40}\r\n`));
  const more = setInterval(() => socket.write(endlessly, (error) => void (bytes += error ? 0 : endlessly.length)), 20);
  await new Promise((closed) => void socket.on("close", closed));
  clearInterval(more);
  return { milliseconds: performance.now() - began, mebibytes: bytes / 2 ** 20 };
}

test("whoever goes on sending slowly is cut off after a while", async () => {
  const { milliseconds } = await dawdle(server.http, "x");
  expect(milliseconds).toBeGreaterThan(1900);
  expect(milliseconds).toBeLessThan(4000);
});

test("whoever goes on sending fast is cut off after 64 MiB, and what was under way", async () => {
  expect((await dawdle(server.http, "x".repeat(2 ** 23))).mebibytes).toBeLessThan(96);
});

test("a request behind one that was refused is not answered, nor done", async () => {
  const socket = await connected(server.http);
  await written(socket, post(`${json}content-length: ${size}\r\n`) + "x".repeat(size) + post("content-length: 0\r\n"));
  expect(statuses(await text(socket))).toEqual([413]);
  socket.destroy();
});

test("a server that stops waits for none of them", async () => {
  const own = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: { "server.shutdownTimeout": "2s" },
  });
  const dawdling = dawdle(own.http, "x");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = performance.now();
  await own.stop();
  expect(performance.now() - began).toBeLessThan(1700); // when it would have been cut off by itself
  await dawdling;
});
