/** Requests that cannot be read behind others on one connection: those others are answered first, each by its own answer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { exchange, openRaw, statuses } from "./raw.ts";

let server: TestServer;
beforeAll(async () => (server = await startServer({ policies: { "expense.yaml": expensePolicy } })));
afterAll(() => server.stop());

const check = (requestId: string, query = ""): string => {
  const body = JSON.stringify({ ...request, requestId });
  const head = `POST /api/check/resources${query} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
};
const post = (headers: string, content: string): string =>
  `POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${headers}\r\n${content}`;
const idsIn = (text: string): readonly string[] => [...text.matchAll(/"requestId":"(\w+)"/g)].map(([, id = ""]) => id);

const refused: readonly (readonly [sentence: string, text: string, status: number])[] = [
  ["what is not HTTP", "\x16\x03\x01\r\n\r\n", 400],
  ["a method that nobody knows", "GOT / HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["what proxies alone do", "CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n", 501],
  ["a header that is none", "GET / HTTP/1.1\r\nhost: a\r\nx : y\r\n\r\n", 400],
  ["a chunk that is none", post("transfer-encoding: chunked\r\n", "g\r\n"), 400],
  ["headers that are too long", `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(70_000)}\r\n\r\n`, 431],
  ["an encoding that is not ours to undo, and never ends", post("transfer-encoding: gzip\r\n", "0\r\n\r\n"), 400],
  ["what was refused before it was whole", post("content-encoding: x\r\ntransfer-encoding: chunked\r\n", "g\r\n"), 415],
];

describe.each([
  ["a check", [""]],
  ["two checks", ["", ""]],
  ["a check by the long way", ["?"]],
  ["both", ["?", "", "?"]],
])("behind %s", (_sentence, queries) => {
  test.each(refused)("%s", async (_sentence, text, status) => {
    const answer = await exchange(server.http, queries.map((query, at) => check(`r${at}`, query)).join("") + text);
    expect(statuses(answer)).toEqual([...queries.map(() => 200), status]);
    expect(idsIn(answer)).toEqual(queries.map((_, at) => `r${at}`));
  });
});

test("a method that nobody knows is named where it is the first", async () => {
  const answer = await exchange(server.http, "GOT / HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(statuses(answer)).toEqual([501]);
  expect(answer).toContain("the method `GOT` is unknown");
});

test("what follows in packets of its own is not answered once more", async () => {
  const { write, closed } = await openRaw(server.http, `${check("r0")}\x16\x03\x01\r\n\r\n`);
  for (let at = 0; at < 20; at++) write("\x16\x03\x01\r\n\r\n");
  const answer = await closed;
  expect(statuses(answer)).toEqual([200, 400]);
});

describe("a request that was answered before it was whole", () => {
  const early = "GET /_authz/health HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n";
  test.each([
    ["and then is, does not take the answer of what cannot be read behind it", "abcde\x16\x03\x01\r\n\r\n", [200, 400]],
    ["nor behind the next", `abcde${check("r0")}\x16\x03\x01\r\n\r\n`, [200, 200, 400]],
  ])("%s", async (_sentence, rest, answers) => {
    const { write, received, closed } = await openRaw(server.http, early);
    await eventually(received, (text) => text.includes("SERVING"));
    write(rest);
    expect(statuses(await closed)).toEqual(answers);
  });
});

test("what is long and comes behind long answers that wait for another can be read", async () => {
  const long = "GET /schema/swagger.json HTTP/1.1\r\nhost: a\r\naccept-encoding: identity\r\n\r\n";
  const body = JSON.stringify({ ...request, requestId: "last" }).padEnd(200_000);
  const last = post(`connection: close\r\ncontent-length: ${body.length}\r\n`, body);
  const answer = await exchange(server.http, check("first") + long.repeat(20) + last);
  expect(statuses(answer)).toEqual(Array<number>(22).fill(200));
  expect(idsIn(answer)).toEqual(["first", "last"]);
});

describe("what was the last answer of its connection stays the last", () => {
  test.each<readonly [sentence: string, text: string, status: number]>([
    ["to what names no version", "GET /\r\n\r\n", 400],
    ["to what says that it is HTTP/2", check("r0").replace("HTTP/1.1", "HTTP/2.0"), 400],
    ["to two hosts", "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400],
    ["to an expectation that nobody meets", post("expect: x\r\ncontent-length: 2\r\n", "{}"), 417],
    ["to a check of old", check("r0").replace("HTTP/1.1", "HTTP/1.0"), 200],
    ["to a check that says so", check("r0").replace("host: a", "host: a\r\nconnection: close"), 200],
  ])("%s", async (_sentence, text, status) => {
    for (const behind of ["", check("r9"), "\x16\x03\x01\r\n\r\n", "GET / HTTP/1.1\r\nx : y\r\n\r\n"]) {
      expect(statuses(await exchange(server.http, text + behind))).toEqual([status]);
      expect(statuses(await exchange(server.http, check("r1") + text + behind))).toEqual([200, status]);
    }
  });
});
