/** Requests of HTTP/1.1, sound and unsound, each with the answers that are right for it. */
import type { Random } from "../agree/random.ts";
import { chunked } from "./chunks.ts";
import { makeQuestion, type Question } from "./question.ts";

/** A request as it is written, and what may come of it. */
export interface Shape {
  readonly name: string;
  readonly method: string;
  readonly bytes: string;
  readonly statuses: readonly number[];
  /** Whose answer it must be, where the status is 200. */
  readonly question?: Question;
  /** Is the answer the last of its connection? */
  readonly isLast?: boolean;
}

const check = "/api/check/resources";
const health = "/_authz/health";

/** The shape without its name. */
type Made = Omit<Shape, "name">;

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join("");

/** A check in a usual head: `more` lines, another target, another body. */
function post(
  question: Question,
  { target = check, more = [], body }: { target?: string; more?: readonly string[]; body?: string } = {},
): string {
  const head = ["host: a", "content-type: application/json", ...more];
  return body === undefined
    ? `${lines(`POST ${target} HTTP/1.1`, ...head, `content-length: ${Buffer.byteLength(question.json)}`)}\r\n${question.json}`
    : `${lines(`POST ${target} HTTP/1.1`, ...head)}\r\n${body}`;
}

const answered = (question: Question, bytes: string): Made => ({ method: "POST", bytes, statuses: [200], question });

/** Requests that are answered, and others may follow. */
export const sound: readonly (readonly [name: string, make: (random: Random) => Made])[] = [
  ["a check", (random) => ((question) => answered(question, post(question)))(makeQuestion(random))],
  [
    "a check that waits for keys",
    (random) => ((question) => ({ ...answered(question, post(question)), statuses: waited }))(makeQuestion(random, { waits: true })),
  ],
  ["a long check", (random) => ((question) => answered(question, post(question)))(makeQuestion(random, { padding: random.whole(900) }))],
  [
    "a check by the long way",
    (random) => ((question) => answered(question, post(question, { target: `${check}?` })))(makeQuestion(random)),
  ],
  [
    "a check in chunks",
    (random) =>
      ((question) => answered(question, post(question, { more: ["Transfer-Encoding: chunked"], body: chunked(random, question.json) })))(
        makeQuestion(random),
      ),
  ],
  [
    "a check in chunks with trailers",
    (random) => {
      const question = makeQuestion(random);
      const body = chunked(random, question.json, ["x: y", "z: w", "trailer: x"].slice(0, 1 + random.whole(3)));
      return answered(
        question,
        post(question, { target: random.pick([check, `${check}?`]), more: ["transfer-encoding: chunked", "trailer: x"], body }),
      );
    },
  ],
  [
    "a check that waits to be told to go on",
    (random) => ((question) => answered(question, post(question, { more: ["expect: 100-continue"] })))(makeQuestion(random)),
  ],
  [
    "a check that may take so long",
    (random) =>
      ((question) => ({
        ...answered(question, post(question, { more: [`grpc-timeout: ${random.pick(timeouts)}`] })),
        statuses: [200, 400, 504],
      }))(makeQuestion(random)),
  ],
  [
    "a check that keeps its connection",
    (random) =>
      ((question) =>
        answered(
          question,
          post(question, {
            more: [`connection: ${random.pick(["keep-alive", "Keep-Alive", "x", "keep-alive, x"])}`, "keep-alive: timeout=0, max=0"],
          }),
        ))(makeQuestion(random)),
  ],
  [
    "an empty body",
    (random) =>
      ((question) => ({ ...answered(question, post(question, { more: ["content-length: 0"], body: "" })), statuses: [400] }))(
        makeQuestion(random),
      ),
  ],
  [
    "no chunk at all",
    (random) =>
      ((question) => ({
        ...answered(question, post(question, { more: ["transfer-encoding: chunked"], body: "0\r\n\r\n" })),
        statuses: [400],
      }))(makeQuestion(random)),
  ],
  [
    "a body that is no JSON",
    (random) =>
      ((question) => ({
        ...answered(question, post(question, { more: ["content-length: 3"], body: random.pick(["{{{", "\0\0\0", '"a"', "nul"]) })),
        statuses: [400],
      }))(makeQuestion(random)),
  ],
  ["health", () => ({ method: "GET", bytes: `${lines(`GET ${health} HTTP/1.1`, "host: a")}\r\n`, statuses: [200] })],
  ["the head of health", () => ({ method: "HEAD", bytes: `${lines(`HEAD ${health} HTTP/1.1`, "host: a")}\r\n`, statuses: [200] })],
  [
    "health with a body",
    () => ({
      method: "GET",
      bytes: `${lines(`GET ${health} HTTP/1.1`, "host: a", "content-length: 5")}\r\nabcde`,
      statuses: [200, 400, 415],
    }),
  ],
  [
    "a long answer",
    (random) => ({
      method: "GET",
      bytes: `${lines("GET /schema/swagger.json HTTP/1.1", "host: a", `accept-encoding: ${random.pick(["gzip", "br", "identity", "x"])}`)}\r\n`,
      statuses: [200],
    }),
  ],
  [
    "an unknown path",
    (random) => ({
      method: "GET",
      bytes: `${lines(`GET /${random.pick(["a", "%2e%2e", "//", "a?b#c", "%"])} HTTP/1.1`, "host: a")}\r\n`,
      statuses: [400, 404],
    }),
  ],
  [
    "another method",
    (random) =>
      ((method) => ({ method, bytes: `${lines(`${method} ${check} HTTP/1.1`, "host: a")}\r\n`, statuses: [400, 404, 405, 501] }))(
        random.pick(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "M-SEARCH", "PURGE"]),
      ),
  ],
  [
    "a target with its host",
    (random) =>
      ((question) => ({ ...answered(question, post(question, { target: `http://a${check}` })), statuses: [200, 404] }))(
        makeQuestion(random),
      ),
  ],
  [
    "the server itself",
    () => ({ method: "OPTIONS", bytes: `${lines("OPTIONS * HTTP/1.1", "host: a")}\r\n`, statuses: [200, 204, 400, 404, 405] }),
  ],
  ["empty lines before it", (random) => ((question) => answered(question, `\r\n\r\n${post(question)}`))(makeQuestion(random))],
  [
    "a content type that is not ours",
    (random) =>
      ((question) => ({
        ...answered(
          question,
          post(question, { more: ["content-length: 2", "x: y"], body: "{}" }).replace("application/json", "text/plain"),
        ),
        statuses: [415],
        isLast: false,
      }))(makeQuestion(random)),
  ],
];

const waited = [200, 400, 401, 503];
const timeouts = ["0n", "1m", "1S", "99999999H", "5", "-1S", "1x", "", "100000000n", "1 S"];

/** Requests that are answered as the last ones of their connection. */
export const last: readonly (readonly [name: string, make: (random: Random) => Made])[] = [
  [
    "a check that is the last",
    (random) => ((question) => answered(question, post(question, { more: ["connection: close"] })))(makeQuestion(random)),
  ],
  ["a check of old", (random) => ((question) => answered(question, post(question).replace("HTTP/1.1", "HTTP/1.0")))(makeQuestion(random))],
  // What comes in one packet behind a wish to speak otherwise is thrown away by Node, though the wish is not granted.
  [
    "a check that would rather be HTTP/2",
    (random) =>
      ((question) =>
        answered(
          question,
          post(question, {
            more: ["connection: Upgrade, HTTP2-Settings, close", "upgrade: h2c", "http2-settings: AAMAAABkAAQAoAAAAAIAAAAA"],
          }),
        ))(makeQuestion(random)),
  ],
  [
    "a check that would rather be a web socket",
    (random) =>
      ((question) => answered(question, post(question, { more: ["connection: upgrade, close", "upgrade: websocket"] })))(
        makeQuestion(random),
      ),
  ],
];

const refusedShape = (bytes: string, ...statuses: readonly number[]): Made => ({
  method: "POST",
  bytes,
  statuses: statuses.length === 0 ? [400] : statuses,
  isLast: true,
});
const head = (...more: readonly string[]): string => lines(`POST ${check} HTTP/1.1`, "host: a", "content-type: application/json", ...more);

/** Requests that two readers could read differently, or nobody can: one answer that refuses, and the end. What follows has none. */
export const unsound: readonly (readonly [name: string, make: (random: Random) => Made])[] = [
  [
    "a length and chunks",
    (random) => refusedShape(`${head(...random.some(2, 2, ["content-length: 5", "transfer-encoding: chunked"]))}\r\n0\r\n\r\n`),
  ],
  ["two lengths", (random) => refusedShape(`${head("content-length: 5", `content-length: ${random.pick([5, 6])}`)}\r\nabcde`)],
  ["two lengths in one", () => refusedShape(`${head("content-length: 5, 5")}\r\nabcde`)],
  [
    "a length that is no number",
    (random) =>
      refusedShape(
        `${head(`content-length: ${random.pick(["+5", "-5", "0x5", "5a", "5 5", "5.0", "99999999999999999999", "", "٥"])}`)}\r\nabcde`,
        400,
        413,
      ),
  ],
  [
    "another encoding",
    (random) =>
      refusedShape(
        `${head(`transfer-encoding: ${random.pick(["gzip, chunked", "chunked, chunked", "identity", "xchunked", "chunked, identity", "gzip", '"chunked"', "chunked;a"])}`)}\r\n0\r\n\r\n`,
      ),
  ],
  [
    "a space before the colon",
    (random) => refusedShape(`${head(random.pick(["content-length : 5", "transfer-encoding : chunked", "x : y", "x\t: y"]))}\r\nabcde`),
  ],
  ["a folded line", (random) => refusedShape(`${head("x: y", random.pick([" z", "\tz", " content-length: 5"]))}\r\n`)],
  ["a line that ends otherwise", (random) => refusedShape(`${head().slice(0, -2)}${random.pick(["\r", "\r\r\n", "\0\r\n"])}x: y\r\n\r\n`)],
  ["a header without a name", () => refusedShape(`${head(": y")}\r\n`)],
  [
    "a header that is none",
    (random) => refusedShape(`${head(random.pick(["x", "x y: z", "(x): y", "\u00ff: y", "x\0: y", "x: \0"]))}\r\n`),
  ],
  ["no host", () => refusedShape(head("content-length: 0").replace("host: a\r\n", "") + "\r\n")],
  ["two hosts", () => refusedShape(`${head("host: b", "content-length: 0")}\r\n`)],
  [
    "another version",
    (random) =>
      refusedShape(
        `${head("content-length: 0").replace("HTTP/1.1", random.pick(["HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/9.9", "http/1.1", "HTTP/1", "HTTP/11", "ICY"]))}\r\n`,
        400,
        505,
      ),
  ],
  ["no version", () => refusedShape(`POST ${check}\r\n\r\n`)],
  ["chunks of old", () => refusedShape(`${head("transfer-encoding: chunked").replace("HTTP/1.1", "HTTP/1.0")}\r\n0\r\n\r\n`)],
  [
    "a chunk whose size is none",
    (random) =>
      refusedShape(
        `${head("transfer-encoding: chunked")}\r\n${random.pick(["g", "-1", "+1", "0x1", " 1", "1 ", "\t1", "", "fffffffffffffffffffff"])}\r\na\r\n0\r\n\r\n`,
        400,
        413,
      ),
  ],
  ["a chunk that is longer than it says", () => refusedShape(`${head("transfer-encoding: chunked")}\r\n1\r\nab\r\n0\r\n\r\n`)],
  [
    "a method that is none",
    (random) =>
      refusedShape(
        head().replace("POST", random.pick(["post", "GOT", "PO ST", "P\u00ffST", "\0", "POSTPOSTPOSTPOST", "CONNECTED"])) + "\r\n",
        400,
        501,
      ),
  ],
  ["too many headers", () => refusedShape(`${head(`x: ${"y".repeat(70_000)}`)}\r\n`, 431)],
  [
    "an expectation that nobody meets",
    (random) => refusedShape(`${head(`expect: ${random.pick(["200-ok", "x"])}`, "content-length: 2")}\r\n{}`, 417),
  ],
  [
    "trailers that change its length",
    (random) =>
      refusedShape(
        `${head("transfer-encoding: chunked")}\r\n0\r\n${random.pick(["content-length: 5", "transfer-encoding: chunked"])}\r\n\r\n`,
      ),
  ],
  ["garbage", (random) => refusedShape(`\x16\x03\x01${String.fromCodePoint(...random.several(1, 60, () => random.whole(256)))}\r\n\r\n`)],
  ["the beginning of HTTP/2", () => refusedShape("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 400, 501, 505)],
];
