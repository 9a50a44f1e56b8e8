/** Requests of HTTP/2 that are malformed (RFC 9113, 8.1.1): the stream is lost, the connection is not. */
import { framed } from "../server/protobuf.ts";
import type { Field } from "./hpack.ts";
import { makeQuestion } from "./question.ts";
import { changed, check, grpcHead, stream, type Row } from "./stream.ts";

type Change = readonly [name: string, change: (head: readonly Field[]) => readonly Field[]];

/** They are never answered. */
const refused: readonly Change[] = [
  ["a name in capitals", (head) => [...head, ["X-Y", "z"]]],
  ["a path twice", (head) => [[":path", check], ...head]],
  ["a method twice", (head) => [[":method", "POST"], ...head]],
  ["no path", (head) => head.filter(([name]) => name !== ":path")],
  ["no method", (head) => head.filter(([name]) => name !== ":method")],
  ["no scheme", (head) => head.filter(([name]) => name !== ":scheme")],
  ["an empty path", (head) => changed(head, ":path", "")],
  ["a pseudo header that nobody knows", (head) => [[":x", "y"], ...head]],
  ["the status of an answer", (head) => [[":status", "200"], ...head]],
  ["a pseudo header at the end", (head) => [...head.filter(([name]) => name !== ":authority"), [":authority", "a"]]],
  ["a header of connections", (head) => [...head, ["connection", "close"]]],
  ["chunks", (head) => [...head, ["transfer-encoding", "chunked"]]],
  ["an extended tunnel", (head) => [[":protocol", "websocket"], ...changed(head, ":method", "CONNECT")]],
  ["a length that is too long", (head) => [...head, ["content-length", "100000"]]],
  ["a length that is none", (head) => [...head, ["content-length", "x"]]],
];

/** nghttp2 leaves out a header that may not be, and nobody above it sees one. */
const damaged: readonly Change[] = [
  ["a name of no length", (head) => [...head, ["", "z"]]],
  ["a name with a space", (head) => [...head, ["x y", "z"]]],
  ["a value with an end of line", (head) => [...head, ["x", "y\r\nz: w"]]],
  ["a value with a NUL", (head) => [...head, ["x", "\0"]]],
];

export const malformedShapes: readonly Row[] = (["refused", "either"] as const).flatMap((kind) =>
  (kind === "refused" ? refused : damaged).map(([name, change]): Row => [
    name,
    (random) => {
      const question = makeQuestion(random);
      return stream(random, change(grpcHead(check)), framed(question.message), { kind, question });
    },
  ]),
);
