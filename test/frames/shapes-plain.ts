/** Requests of HTTP/2 that are no gRPC: what the HTTP face alone serves. */
import type { Random } from "../agree/random.ts";
import type { Field } from "./hpack.ts";
import { makeQuestion, type Question } from "./question.ts";
import { givenUp, stream, type Made, type Row } from "./stream.ts";

const plainHead = (method: string, path: string, ...more: readonly Field[]): readonly Field[] => [
  [":method", method],
  [":scheme", "http"],
  [":path", path],
  [":authority", "a"],
  ...more,
];
const api = "/api/check/resources";
const json: Field = ["content-type", "application/json"];
const post = (random: Random, question: Question, more: readonly Field[] = [], statuses: readonly number[] = [200]): Made =>
  stream(random, plainHead("POST", api, json, ...more), Buffer.from(question.json), { kind: "http", statuses, question });

/** What the HTTP face serves besides. */
export const plainShapes: readonly Row[] = [
  ["a check in JSON", (random) => post(random, makeQuestion(random))],
  [
    "a check in JSON of a length that is said",
    (random) =>
      ((question) => post(random, question, [["content-length", String(Buffer.byteLength(question.json))]]))(makeQuestion(random)),
  ],
  ["a check in JSON that waits for keys", (random) => post(random, makeQuestion(random, { waits: true }), [], [200, 400, 401, 503])],
  [
    "a check in JSON that waits until it is late",
    (random) => post(random, makeQuestion(random, { waits: true }), [["grpc-timeout", `${random.whole(300)}m`]], [200, 400, 401, 503, 504]),
  ],
  ["a check in JSON that waits to be told to go on", (random) => post(random, makeQuestion(random), [["expect", "100-continue"]])],
  ["a check in JSON that is given up", (random) => givenUp(random, post(random, makeQuestion(random, { waits: random.chance(0.5) })))],
  [
    "a body that is no JSON",
    (random) => stream(random, plainHead("POST", api, json), Buffer.from("{{"), { kind: "http", statuses: [400] }),
  ],
  ["no body", (random) => stream(random, plainHead("POST", api, json), undefined, { kind: "http", statuses: [400] })],
  [
    "another content",
    (random) =>
      stream(random, plainHead("POST", api, ["content-type", "text/plain"]), Buffer.from("{}"), { kind: "http", statuses: [415] }),
  ],
  [
    "health over HTTP",
    (random) => stream(random, plainHead(random.pick(["GET", "HEAD"]), "/_authz/health"), undefined, { kind: "http", statuses: [200] }),
  ],
  [
    "a long answer",
    (random) =>
      stream(random, plainHead("GET", "/schema/swagger.json", ["accept-encoding", random.pick(["gzip", "identity"])]), undefined, {
        kind: "http",
        statuses: [200],
      }),
  ],
  [
    "a long answer that is given up",
    (random) => givenUp(random, stream(random, plainHead("GET", "/schema/swagger.json"), undefined, { kind: "given up" })),
  ],
  [
    "an unknown path",
    (random) =>
      stream(random, plainHead("GET", random.pick(["/a", "/%", "/a?b", "//"])), undefined, { kind: "http", statuses: [400, 404] }),
  ],
  [
    "another method",
    (random) =>
      stream(random, plainHead(random.pick(["PUT", "DELETE", "TRACE", "X", "get", "PRI"]), api), undefined, {
        kind: "http",
        statuses: [400, 404, 405, 501],
      }),
  ],
];
