/** The short way of ordinary checks: byte for byte what the long way answers, and nothing unusual is taken. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { logTo } from "../../src/observe/log.ts";
import type { Service } from "../../src/server/service.ts";
import { minCompressed } from "../../src/server/http/compression.ts";
import { openFastPath, type FastPath } from "../../src/server/http/fast-path.ts";
import { codes, failure, type CodeName, type Reply } from "../../src/server/calls/reply.ts";
import { closeStubServers, openStubServer, textOf, type StubServer } from "./stub-server.ts";
import { eventually, startServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { openRaw } from "./raw.ts";

const short = "/api/check/resources";
/** The same call; a question mark alone is enough not to be ordinary. */
const long = `${short}?`;

const isCode = (name: unknown): name is CodeName => typeof name === "string" && Object.hasOwn(codes, name);

/** Answers as its question says. */
const echo: Pick<Service, "call"> = {
  call: (method, ask, { transport, headers }) => {
    const text = textOf(ask);
    if (text === "") return failure("INVALID_ARGUMENT", "not to be read");
    const asked: { readonly code?: unknown; readonly later?: boolean; readonly length?: number; readonly throws?: boolean } =
      readJson(text);
    if (asked.throws === true) throw new Error("a bug");
    const reply: Reply = isCode(asked.code)
      ? { ...failure(asked.code, "because"), retryAfter: 7 }
      : {
          code: 0,
          text: JSON.stringify({ method, transport, text, agent: headers.get("user-agent"), rest: "é".repeat(asked.length ?? 0) }),
        };
    return asked.later === true ? new Promise((resolve) => setTimeout(resolve, 5, reply)) : reply;
  },
};

function readJson(text: string): object {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? json : {};
  } catch {
    return {};
  }
}

const stubs = new Map<string, StubServer>();
beforeAll(async () => {
  stubs.set("by default", await openStubServer(echo));
  stubs.set("without CORS", await openStubServer(echo, ["server.cors.disabled=true"]));
  stubs.set("for one origin", await openStubServer(echo, ["server.cors.allowedOrigins=https://ours.example"]));
  stubs.set("with a small limit", await openStubServer(echo, ["server.advanced.grpc.maxRecvMsgSizeBytes=100"]));
});
afterAll(closeStubServers);

type Header = readonly [name: string, value: string];
interface Sent {
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
  readonly version?: "1.0" | "1.1";
}

const json: Header = ["content-type", "application/json"];
const sized = (body: string | Buffer): Header => ["Content-Length", String(Buffer.byteLength(body))];
const usual = (body: string | Buffer, ...more: readonly Header[]): Sent => ({ headers: [["host", "a"], json, ...more, sized(body)], body });

/** Sends it and returns the head and the body of its answer, without its date. */
async function answerOf(stub: StubServer, path: string, { headers, body, version = "1.1" }: Sent): Promise<string> {
  const head = `POST ${path} HTTP/${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const connection = await openRaw(stub.http, Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]));
  const goOn = "HTTP/1.1 100 Continue\r\n\r\n";
  const isWhole = (text: string): boolean => {
    const end = text.indexOf("\r\n\r\n");
    return connection.socket.destroyed || (end !== -1 && text.length >= end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1]));
  };
  const answer = await eventually(() => connection.received().replace(goOn, ""), isWhole);
  connection.socket.destroy();
  return answer.replace(/^Date: .*\r\n/m, "");
}

const chunked = (body: string, ...more: readonly Header[]): Sent => ({
  headers: [["host", "a"], json, ["transfer-encoding", "chunked"], ...more],
  body,
});
const chunks = (...texts: readonly string[]): string =>
  `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("")}0\r\n\r\n`;

/** What is asked for so that the answer has so many characters. */
const answeredWith = (characters: number): string => {
  const text = '{"length":10000}';
  const rest = characters - JSON.stringify({ method: "CheckResources", transport: "http", text, rest: "" }).length;
  return JSON.stringify({ length: rest });
};

const table: readonly (readonly [sentence: string, sent: Sent])[] = [
  ["a check", usual('{"requestId":"r"}')],
  [
    "one with what clients add",
    usual("{}", ["user-agent", "x"], ["accept", "*/*"], ["accept-encoding", "gzip, br"], ["traceparent", "00-1-2-01"]),
  ],
  [
    "one whose type names its charset",
    { headers: [["host", "a"], ["content-type", "application/json; charset=utf-8"], sized("{}")], body: "{}" },
  ],
  [
    "one whose type names its charset in capitals",
    { headers: [["host", "a"], ["content-type", "application/json;charset=UTF-8"], sized("{}")], body: "{}" },
  ],
  ["one of another JSON type", { headers: [["host", "a"], ["content-type", "application/vnd.x+json"], sized("{}")], body: "{}" }],
  ["one of no type", { headers: [["host", "a"], sized("{}")], body: "{}" }],
  ["one of another type", { headers: [["host", "a"], ["content-type", "text/plain"], sized("{}")], body: "{}" }],
  ["one of two types", usual("{}", ["Content-Type", "text/plain"])],
  ["one for two hosts", usual("{}", ["Host", "b"])],
  ["one for no host", { headers: [json, sized("{}")], body: "{}" }],
  ["one for a path as host", { headers: [["host", "a/b"], json, sized("{}")], body: "{}" }],
  ["one in a coding", usual("{}", ["content-encoding", "gzip"])],
  ["one in pieces", chunked(chunks("{}"))],
  ["one in many pieces", chunked(chunks(...'{"requestId":"r"}'))],
  ["one in pieces that say more, and a trailer", chunked("2;a=b\r\n{}\r\n0\r\nx: y\r\n\r\n")],
  ["one in no piece", chunked(chunks())],
  ["one in pieces of 100 bytes", chunked(chunks('{"requestId":"', "x".repeat(84), '"}'))],
  ["one in pieces of more than 100 bytes", chunked(chunks('{"requestId":"', "x".repeat(85), '"}'))],
  ["one in pieces, of more than 100 bytes already in the first", chunked(chunks(" ".repeat(200), "{}"))],
  ["one in pieces of a coding", chunked(chunks("{}"), ["content-encoding", "gzip"])],
  ["one in pieces and of a length", chunked(chunks("{}"), ["content-length", "2"])],
  ["one in packed pieces", { headers: [["host", "a"], json, ["transfer-encoding", "gzip, chunked"]], body: chunks("{}") }],
  ["one in pieces of no length", chunked("x\r\n{}\r\n0\r\n\r\n")],
  ["one without body", usual("")],
  ["one in other than UTF-8", usual(Buffer.from([0x7b, 0xff, 0x7d]))],
  ["one with a mark at its beginning", usual(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))],
  ["one of many bytes", usual(JSON.stringify({ requestId: "é".repeat(100_000) }))],
  ["one with more bytes than 100", usual(JSON.stringify({ requestId: "x".repeat(100) }))],
  ["one with 100 bytes", usual(JSON.stringify({ requestId: "x".repeat(84) }))],
  ["one from a page of ours", usual("{}", ["origin", "https://ours.example"])],
  ["one from a page of others", usual("{}", ["origin", "https://theirs.example"])],
  ["one to be read by people", usual("{}", ["accept", "application/json+pretty"])],
  ["one with a deadline", usual("{}", ["grpc-timeout", "5S"])],
  ["one that is the last of its connection", usual("{}", ["connection", "close"])],
  ["one that expects to go on", usual("{}", ["expect", "100-continue"])],
  ["one that would be something else", usual("{}", ["connection", "upgrade"], ["upgrade", "websocket"])],
  [
    "one that would rather go on in HTTP/2, as those of Java do",
    usual(
      "{}",
      ["connection", "Upgrade, HTTP2-Settings"],
      ["upgrade", "h2c"],
      ["http2-settings", "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA"],
    ),
  ],
  ["an answer that comes later", usual('{"later":true}')],
  ["an answer that is long", usual('{"length":20000}')],
  ["a long one for who reads gzip", usual('{"length":20000}', ["accept-encoding", "gzip"])],
  ["a long one for a page of ours", usual('{"length":20000}', ["accept-encoding", "gzip"], ["origin", "https://ours.example"])],
  ["a long one for who reads brotli, later", usual('{"length":20000,"later":true}', ["accept-encoding", "gzip;q=0.5, br"])],
  ["a long one for who reads neither", usual('{"length":20000}', ["accept-encoding", "zstd"])],
  ["an answer that is just too short", usual(answeredWith(minCompressed - 1), ["accept-encoding", "gzip"])],
  ["an answer that is just long enough", usual(answeredWith(minCompressed), ["accept-encoding", "gzip"])],
  ["our own bug", usual('{"throws":true}')],
  ...Object.keys(codes).map((code) => [`an answer ${code}`, usual(JSON.stringify({ code }))] as const),
];

describe.each<readonly [which: string, version: "1.0" | "1.1", more: readonly Header[]]>([
  ["by default", "1.1", []],
  ["without CORS", "1.1", []],
  ["for one origin", "1.1", []],
  ["with a small limit", "1.1", []],
  ["by default", "1.0", []],
  ["by default", "1.0", [["connection", "keep-alive"]]],
  ["with a small limit", "1.0", []],
])("%s, HTTP/%s %j", (which, version, more) => {
  test.each(table)("both ways answer alike: %s", async (_sentence, { headers, body }) => {
    const stub = stubs.get(which);
    if (stub === undefined) throw new Error("no stub");
    const sent = { headers: [...headers, ...more], body, version };
    const [one, other] = [await answerOf(stub, short, sent), await answerOf(stub, long, sent)];
    expect(one).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
    expect(one).toBe(other);
  });
});

test("both ways answer alike, whatever the headers", async () => {
  const stub = stubs.get("by default");
  if (stub === undefined) throw new Error("no stub");
  const value = fc.constantFrom(
    "a",
    "gzip",
    "identity",
    "br;q=1",
    "application/json",
    "application/json+pretty",
    "text/html",
    "",
    "5S",
    "1",
    "utf-8",
  );
  const usualNames = [
    "accept",
    "Accept-Encoding",
    "accept-language",
    "authorization",
    "cookie",
    "User-Agent",
    "X-Request-Id",
    "traceparent",
    "te",
    "range",
  ];
  const oddNames = [
    "Origin",
    "host",
    "Content-Type",
    "content-encoding",
    "grpc-timeout",
    "forwarded",
    "if-match",
    "Access-Control-Request-Method",
  ];
  const name = fc.constantFrom(...usualNames, ...oddNames);
  const body = fc.constantFrom("{}", '{"later":true}', '{"length":15000}', '{"code":"UNAVAILABLE"}', "[", "é", "null");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), body, async (headers, text) => {
      const sent = usual(text, ...headers);
      expect(await answerOf(stub, short, sent)).toBe(await answerOf(stub, long, sent));
    }),
    { numRuns: 150 },
  );
});

test("what is measured and logged is the same both ways", async () => {
  const stub = await openStubServer(echo);
  const length = 20_000;
  for (const path of [short, long]) await answerOf(stub, path, usual(JSON.stringify({ length }), ["accept-encoding", "gzip"]));
  await eventually(
    () => stub.told.length,
    (count) => count === 2,
  );
  const [one, other] = stub.told.map((exchange) => ({ ...exchange, milliseconds: 0, target: exchange.target.replace("?", "") }));
  expect(one).toEqual(other);
  expect(one).toMatchObject({ method: "POST", status: 200, requestBytes: 16 });
});

test("who goes away in the middle of a request is noted both ways", async () => {
  const stub = await openStubServer(echo);
  for (const path of [short, long]) {
    const { socket } = await openRaw(
      stub.http,
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    );
    setTimeout(() => socket.resetAndDestroy(), 20);
  }
  await eventually(
    () => stub.told.length,
    (count) => count === 2,
  );
  expect(stub.told.map(({ status }) => status)).toEqual([499, 499]);
  expect(stub.logged.filter((line) => line.includes("went away"))).toHaveLength(2);
});

describe("who is taken", () => {
  let fastPath: FastPath;
  const server = createServer((asked, response) => {
    const goOn = (): void => void response.end(`long ${waiting(asked)}`);
    if (!fastPath.take(asked, response, { requestBytes: 0, responseBytes: 0, sendingSince: undefined }, goOn)) goOn();
  });
  /** What has not been touched has nobody who listens to it. */
  const waiting = (asked: IncomingMessage): number => asked.listenerCount("data") + asked.listenerCount("end");
  let stub: StubServer;
  beforeAll(async () => {
    const { config } = loadConfig(undefined, [], {});
    if (config === undefined) throw new Error("no configuration");
    const log = logTo({ write: () => undefined }, "error");
    fastPath = openFastPath(config, { service: echo, unread: { admit: (reply) => reply }, log, isDraining: () => false });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server that listens to TCP has such an address.
    stub = { http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told: [], logged: [] };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test.each<readonly [sentence: string, taken: boolean, path: string, sent: Sent]>([
    ["a check", true, short, usual("{}")],
    [
      "one with what clients add",
      true,
      short,
      usual("{}", ["user-agent", "x"], ["accept", "*/*"], ["accept-encoding", "gzip"], ["cookie", "a"]),
    ],
    ["another path", false, `${short}/`, usual("{}")],
    ["a query", false, long, usual("{}")],
    ["a page of another origin", true, short, usual("{}", ["origin", "https://a.example"])],
    [
      "a wish for HTTP/2",
      true,
      short,
      usual("{}", ["connection", "Upgrade, HTTP2-Settings"], ["upgrade", "h2c"], ["http2-settings", "AA"]),
    ],
    ["a deadline", false, short, usual("{}", ["grpc-timeout", "5S"])],
    ["a coding", false, short, usual("{}", ["content-encoding", "identity"])],
    ["two hosts", false, short, usual("{}", ["host", "b"])],
    ["HTTP/1.0, as of proxies", true, short, { ...usual("{}"), version: "1.0" }],
    ["HTTP/1.0 without a host", true, short, { headers: [json, sized("{}")], body: "{}", version: "1.0" }],
    ["a body in pieces, in HTTP/1.0", false, short, { ...chunked(chunks("{", "}")), version: "1.0" }],
    ["a body in pieces", true, short, chunked(chunks("{", "}"))],
    ["a body of no pieces", true, short, chunked(chunks())],
    ["a body that turns out to be too long", false, short, chunked(chunks(" ".repeat(4_194_305)))],
    ["a body that is too long", false, short, { headers: [["host", "a"], json, ["content-length", "4194305"]], body: "" }],
    ["a body of nothing", false, short, usual("")],
    ["an expectation", false, short, usual("{}", ["expect", "100-continue"])],
    ["another type", false, short, { headers: [["host", "a"], ["content-type", "text/plain"], sized("{}")], body: "{}" }],
  ])("%s: %s", async (_sentence, taken, path, sent) => {
    const answer = await answerOf(stub, path, sent);
    expect(answer.includes("long 0")).toBe(!taken);
    expect(answer.includes('"method":"CheckResources"')).toBe(taken);
  });
});

test("a whole server answers alike both ways, with a call id of its own each time", async () => {
  const server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  try {
    const asked = async (path: string): Promise<readonly [plain: string, id: string]> => {
      const { status, text, json: body } = await server.post(path, request);
      expect(status).toBe(200);
      return [text.replace(body.authzCallId, "ID"), body.authzCallId];
    };
    const [one, other] = [await asked(short), await asked(long)];
    expect(one[0]).toBe(other[0]);
    expect(one[1]).not.toBe(other[1]);
  } finally {
    await server.stop();
  }
});

test("a compressed answer is the answer", async () => {
  const stub = stubs.get("by default");
  if (stub === undefined) throw new Error("no stub");
  const text = await answerOf(stub, short, usual('{"length":20000}', ["accept-encoding", "gzip"]));
  const body = Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4), "latin1");
  expect(gunzipSync(body).toString("utf8")).toContain("é".repeat(20_000));
});
