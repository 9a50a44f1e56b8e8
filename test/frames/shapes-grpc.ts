/** Calls of gRPC, usual and odd ones, with the answers that are right for them. */
import { deflateSync, gzipSync } from "node:zlib";
import type { Random } from "../agree/random.ts";
import { framed, part } from "../server/protobuf.ts";
import type { Field } from "./hpack.ts";
import { makeQuestion, type Question } from "./question.ts";
import { changed, check, givenUp, grpcHead, stream, type Made, type Row } from "./stream.ts";

const grpc = (random: Random, question: Question, more: readonly Field[] = [], statuses: readonly number[] = [0]): Made =>
  stream(random, grpcHead(check, ...more), framed(question.message), { kind: "grpc", statuses, question });
/** Not a check that can be answered. */
const odd = (random: Random, bytes: Buffer, statuses: readonly number[], more: readonly Field[] = []): Made =>
  stream(random, grpcHead(check, ...more), bytes, { kind: "grpc", statuses });

const timeouts = ["0n", "0S", "1n", "1u", "1m", "5m", "1S", "99999999H", "99999999n", "5", "-1S", "1x", "100000000n", "1 S", "S"];
const waited = [0, 3, 14, 16];

/** gRPC: served by both faces. */
export const grpcShapes: readonly Row[] = [
  ["a check", (random) => grpc(random, makeQuestion(random))],
  ["a long check", (random) => grpc(random, makeQuestion(random, { padding: random.whole(900) }))],
  [
    "a check through grpc-js",
    (random) =>
      ((question) =>
        stream(
          random,
          changed(grpcHead(check), "content-type", random.pick(["application/grpc+authz", "application/grpc;x=y"])),
          framed(question.message),
          { kind: "grpc", statuses: [0], question },
        ))(makeQuestion(random)),
  ],
  [
    "a check that is compressed",
    (random) =>
      ((question, [name, pack]: readonly [string, (bytes: Buffer) => Buffer]) =>
        stream(random, grpcHead(check, ["grpc-encoding", name]), framed(pack(question.message), 1), {
          kind: "grpc",
          statuses: [0],
          question,
        }))(
        makeQuestion(random),
        random.pick([
          ["gzip", gzipSync],
          ["deflate", deflateSync],
        ]),
      ),
  ],
  ["a check that waits for keys", (random) => grpc(random, makeQuestion(random, { waits: true }), [], waited)],
  [
    "a check that waits until it is late",
    (random) => grpc(random, makeQuestion(random, { waits: true }), [["grpc-timeout", `${random.whole(300)}m`]], [...waited, 4]),
  ],
  [
    "a check with metadata",
    (random) =>
      grpc(
        random,
        makeQuestion(random),
        random.some(1, 4, [
          ["x-bin", "AAAA"],
          ["x-bin", "*"],
          ["x", ""],
          ["cookie", "a=b"],
          ["cookie", "c=d"],
          ["grpc-accept-encoding", "x"],
          ["user-agent", "\u00ff"],
          ["grpc-tags-bin", "A"],
        ]),
      ),
  ],
  [
    "a check that may take so long",
    (random) => grpc(random, makeQuestion(random), [["grpc-timeout", random.pick(timeouts)]], [0, 3, 4, 13]),
  ],
  [
    "a length that says more",
    (random) =>
      ((question) => odd(random, framed(question.message, 0, question.message.length + 1 + random.whole(1000)), [12, 13]))(
        makeQuestion(random),
      ),
  ],
  [
    "a length that says less",
    (random) =>
      ((question) => odd(random, framed(question.message, 0, random.whole(question.message.length)), [3, 8, 12, 13]))(makeQuestion(random)),
  ],
  [
    "a length beyond what may be",
    (random) => odd(random, framed(Buffer.alloc(20), 0, random.pick([2 ** 22 + 1, 2 ** 31, 2 ** 32 - 1])), [8]),
  ],
  [
    "two messages",
    (random) =>
      ((question) => odd(random, Buffer.concat([framed(question.message), framed(question.message)]), [12, 13]))(makeQuestion(random)),
  ],
  [
    "no message",
    (random) =>
      stream(random, grpcHead(check), random.pick([undefined, Buffer.alloc(0), Buffer.alloc(random.whole(5))]), {
        kind: "grpc",
        statuses: [12, 13],
      }),
  ],
  ["an empty message", (random) => odd(random, framed(Buffer.alloc(0)), [3])],
  [
    "a flag that says compressed where nothing is",
    // grpc-js takes any flag but 1 for 0.
    (random) =>
      ((question) =>
        stream(random, grpcHead(check), framed(question.message, 1 + random.whole(255)), {
          kind: "grpc",
          statuses: [0, 12, 13],
          question,
        }))(makeQuestion(random)),
  ],
  [
    "what cannot be unpacked",
    (random) =>
      ((question) =>
        odd(random, framed(question.message, 1), [12, 13, 3], [["grpc-encoding", random.pick(["gzip", "deflate", "br", "", "x"])]]))(
        makeQuestion(random),
      ),
  ],
  ["a message that is none", (random) => odd(random, framed(Buffer.from(random.several(1, 60, () => random.whole(256)))), [3, 13])],
  [
    "health",
    (random) => stream(random, grpcHead("/grpc.health.v1.Health/Check"), framed(Buffer.alloc(0)), { kind: "grpc", statuses: [0] }),
  ],
  [
    "health of nobody",
    (random) => stream(random, grpcHead("/grpc.health.v1.Health/Check"), framed(part(1, "x")), { kind: "grpc", statuses: [5] }),
  ],
  [
    "nobody's call",
    (random) =>
      stream(
        random,
        grpcHead(random.pick(["/a.B/C", "/", "/authz.svc.v1.AuthzService/", "/authz.svc.v1.AuthzService/X", "//"])),
        framed(Buffer.alloc(0)),
        { kind: "grpc", statuses: [12] },
      ),
  ],
  [
    "a call of administrators",
    (random) =>
      stream(random, grpcHead("/authz.svc.v1.AuthzAdminService/ListPolicies"), framed(Buffer.alloc(0)), {
        kind: "grpc",
        statuses: [12, 16],
      }),
  ],
  [
    "a watch that is given up",
    (random) => givenUp(random, stream(random, grpcHead("/grpc.health.v1.Health/Watch"), framed(Buffer.alloc(0)), { kind: "given up" })),
  ],
  ["a check that is given up", (random) => givenUp(random, grpc(random, makeQuestion(random)))],
  [
    "a check that waits and is given up",
    (random) => givenUp(random, grpc(random, makeQuestion(random, { waits: true }), random.pick([[], [["grpc-timeout", "30m"]]]))),
  ],
  [
    "nobody's call that is given up",
    (random) => givenUp(random, stream(random, grpcHead("/a.B/C"), framed(Buffer.alloc(0)), { kind: "given up" })),
  ],
];
