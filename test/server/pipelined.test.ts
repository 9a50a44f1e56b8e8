/** Several checks on one connection, sent at once: each is answered whole, and in its order. */
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Reply } from "../../src/server/calls/reply.ts";
import { closeStubServers, openStubServer, textOf, type StubServer } from "./stub-server.ts";
import { eventually } from "./harness.ts";
import { exchange, openRaw } from "./raw.ts";

const short = "/api/check/resources";
/** The same call; a question mark alone is enough not to be ordinary. */
const long = `${short}?`;

/** A check that is answered with so many letters, of two bytes each unless they are ASCII, and perhaps later. */
interface Asked {
  readonly path?: string;
  readonly letters?: number;
  readonly letter?: string;
  readonly later?: boolean;
  /** Never. */
  readonly never?: boolean;
}

const textFor = ({ letters = 1, letter = "x" }: Asked): string => JSON.stringify({ rest: letter.repeat(letters) });

let stub: StubServer;
let calls = 0;
beforeAll(async () => {
  stub = await openStubServer({
    call: (_method, ask) => {
      const asked: Asked = JSON.parse(textOf(ask));
      const reply: Reply = { code: 0, text: textFor(asked) };
      calls++;
      if (asked.never === true) return new Promise(() => undefined);
      return asked.later === true ? new Promise((resolve) => setTimeout(resolve, 5, reply)) : reply;
    },
  });
});
afterAll(closeStubServers);

test.each<readonly [sentence: string, asked: readonly Asked[]]>([
  ["checks", [{ letters: 1 }, { letters: 2 }, { letters: 3 }]],
  ["one that is answered later", [{ letters: 1 }, { letters: 2, later: true }, { letters: 3 }]],
  ["one that goes the long way", [{ letters: 1 }, { letters: 2, path: long }, { letters: 3 }]],
  ["one whose answer is not ASCII", [{ letters: 1 }, { letters: 200, letter: "é" }, { letters: 3 }]],
  ["one whose answer the connection does not take at once", [{ letters: 1 }, { letters: 8_000_000 }, { letters: 3 }]],
  ["two such, the first answered later", [{ letters: 4_000_000, letter: "é", later: true }, { letters: 8_000_000 }]],
])("%s", async (_sentence, asked) => {
  const sent = asked.map((one, index) => {
    const body = JSON.stringify(one);
    const last = index === asked.length - 1 ? "connection: close\r\n" : "";
    const head = `host: a\r\ncontent-type: application/json\r\n${last}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return `POST ${one.path ?? short} HTTP/1.1\r\n${head}${body}`;
  });
  let rest = await exchange(stub.http, sent.join(""));
  const answers = asked.map(() => {
    const start = rest.indexOf("\r\n\r\n") + 4;
    const end = start + Number(/content-length: (\d+)/i.exec(rest.slice(0, start))?.[1]);
    const answer = Buffer.from(rest.slice(start, end), "latin1").toString("utf8");
    rest = rest.slice(end);
    return answer;
  });
  expect(answers.every((answer, index) => answer === textFor(asked[index] ?? {}))).toBe(true);
  expect(rest).toBe("");
});

test.each([
  ["goes", (socket: Socket) => void socket.destroy()],
  ["breaks off", (socket: Socket) => void socket.resetAndDestroy()],
])("nothing is kept of those that wait for others when their client %s", async (_how, leave) => {
  const told = stub.told.length;
  const before = calls;
  const asked: readonly Asked[] = [{ never: true }, { letters: 2 }, { letters: 3, path: long }, { never: true }];
  const sent = asked.map((one) => {
    const body = JSON.stringify(one);
    return `POST ${one.path ?? short} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  const { socket } = await openRaw(stub.http, sent.join(""));
  await eventually(
    () => calls,
    (now) => now === before + asked.length,
  );
  leave(socket);
  await eventually(
    () => stub.told.slice(told),
    (now) => now.length === asked.length,
    5000,
  );
  expect(stub.told.slice(told).map(({ status }) => status)).toEqual(asked.map(() => 499));
});
