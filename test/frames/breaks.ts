/** What stands between the requests of a connection of HTTP/2: noise that nobody minds, and frames that break it. */
import type { Random } from "../agree/random.ts";
import { flags, frame, settings, types, word } from "./frame.ts";
import { headers } from "./stream.ts";
import { integer } from "./hpack.ts";

/** Frames that mean nothing to what is asked. */
export const noise: readonly ((random: Random) => Buffer)[] = [
  (random) => frame(types.ping, 0, 0, Buffer.alloc(8, random.whole(256))),
  (random) => Buffer.concat(random.several(1, 60, () => frame(types.ping, 0, 0, Buffer.alloc(8)))),
  (random) => frame(types.priority, 0, 1 + 2 * random.whole(2000), Buffer.concat([word(0), Buffer.of(random.whole(256))])),
  (random) =>
    frame(
      10 + random.whole(246),
      random.whole(256),
      random.pick([0, 1, 3, 2 ** 31 - 1]),
      Buffer.alloc(random.whole(100), random.whole(256)),
    ),
  (random) => frame(16, 0, 0, Buffer.concat([word(1 + 2 * random.whole(9)), Buffer.from("u=1, i")])),
  (random) => settings([1, random.pick([0, 1, 4096, 65536, 2 ** 32 - 1])]),
  (random) => settings([3, random.pick([0, 1, 100])], [5, random.pick([16384, 2 ** 24 - 1])]),
  (random) => settings([6, random.pick([0, 1, 65536])], [random.pick([8, 255, 65535]), random.pick([0, 1])]),
  (random) => Buffer.concat(random.several(1, 20, () => settings([4, random.pick([0, 1, 100, 65535])]))),
  (random) => frame(types.window, 0, 0, word(1 + random.whole(65536))),
];

/** What not every Node survives. */
export type Survived = "goaway" | "strayAnswers";

/** What breaks a connection; `ends` says that the server must close it. */
export interface Break {
  readonly name: string;
  readonly ends: boolean;
  /** Crashes some of Node itself (docs/security.md): left out where the server would not survive it. */
  readonly needs?: Survived;
  /** Is `used` asked for more by it, where that stream is not whole yet? */
  readonly addsToUsed?: boolean;
  /** The next stream is `next`; `used` is another one of the conversation. */
  readonly make: (random: Random, next: number, used: number) => Buffer;
}

const get = (random: Random, stream: number, endsStream = true): Buffer =>
  headers(
    random,
    stream,
    [
      [":method", "GET"],
      [":scheme", "http"],
      [":path", "/_authz/health"],
      [":authority", "a"],
    ],
    endsStream,
  );
const block = (stream: number, bytes: readonly number[], flag = flags.endHeaders | flags.endStream): Buffer =>
  frame(types.headers, flag, stream, Buffer.from(bytes));
const times = (count: number, make: (at: number) => Buffer): Buffer => Buffer.concat(Array.from({ length: count }, (_, at) => make(at)));
const broken = (name: string, make: Break["make"]): Break => ({ name, ends: true, make });
const strange = (name: string, make: Break["make"]): Break => ({ name, ends: false, make });
const adding = (name: string, make: Break["make"]): Break => ({ name, ends: false, addsToUsed: true, make });

export const breaks: readonly Break[] = [
  broken("data of no stream", () => frame(types.data, 0, 0, Buffer.of(1))),
  broken("data of a stream that never began", (_, next) => frame(types.data, 0, next, Buffer.of(1))),
  broken("headers of no stream", () => block(0, [0x82])),
  broken("headers of a stream of the server's", (random) => get(random, 2)),
  broken("settings of an odd length", (random) => frame(types.settings, 0, 0, Buffer.alloc(1 + random.whole(5)))),
  broken("settings of a stream", () => frame(types.settings, 0, 1)),
  broken("settings that are taken note of, with settings", () => frame(types.settings, flags.ack, 0, Buffer.alloc(6))),
  broken("settings that may not be", (random) =>
    settings(
      random.pick([
        [2, 2],
        [4, 2 ** 31],
        [5, 1],
        [5, 2 ** 24],
      ] as const),
    ),
  ),
  broken("a ping of another length", (random) => frame(types.ping, 0, 0, Buffer.alloc(random.pick([0, 7, 9])))),
  // Node sees no good reason for it.
  { name: "an answer to no ping", ends: true, needs: "strayAnswers", make: () => frame(types.ping, flags.ack, 0, Buffer.alloc(8)) },
  broken("a ping of a stream", () => frame(types.ping, 0, 1, Buffer.alloc(8))),
  broken("a window of the connection that grows by nothing", () => frame(types.window, 0, 0, word(0))),
  broken("a window of the connection beyond all numbers", () => times(2, () => frame(types.window, 0, 0, word(2 ** 31 - 1)))),
  broken("a window of another length", (random) => frame(types.window, 0, 0, Buffer.alloc(random.pick([0, 3, 5])))),
  broken("a reset of another length", (_, _next, used) => frame(types.reset, 0, used, Buffer.alloc(3))),
  broken("a reset of no stream", () => frame(types.reset, 0, 0, word(8))),
  broken("a reset of a stream that never began", (_, next) => frame(types.reset, 0, next, word(8))),
  broken("a push", (_, next) => frame(types.push, flags.endHeaders, next, Buffer.concat([word(2), Buffer.of(0x82)]))),
  broken("a continuation of nothing", (_, next) => frame(types.continuation, flags.endHeaders, next, Buffer.of(0x82))),
  broken("a block that is interrupted", (_, next) => Buffer.concat([block(next, [0x82], 0), frame(types.ping, 0, 0, Buffer.alloc(8))])),
  broken("padding that is longer than its frame", (_, next) =>
    frame(types.headers, flags.endHeaders | flags.padded, next, Buffer.of(200, 0x82)),
  ),
  broken("a frame beyond what may be", (_, next) => frame(types.data, 0, next, Buffer.alloc(16385))),
  broken("a field of number 0", (_, next) => block(next, [0x80])),
  broken("a field that nobody knows", (random, next) => block(next, [...integer(100 + random.whole(100_000), 7, 0x80)])),
  broken("a number without end", (_, next) => block(next, [0xff, ...Array.from({ length: 12 }, () => 0xff), 1])),
  broken("a text that is cut", (_, next) => block(next, [0, 10, 97])),
  broken("a text of unknown symbols", (_, next) => block(next, [0, 0x84, 0xff, 0xff, 0xff, 0xff, 1, 97])),
  broken("a table beyond what may be", (_, next) => block(next, [...integer(100_000, 5, 0x20), 0x82])),
  broken("garbage", (random) => Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 1, ...random.several(8, 300, () => random.whole(256))])),
  broken("another beginning", () => Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
  // Too many at once are an attack; those that come one after the other are not.
  strange("more settings than anybody takes note of", () => times(3000, () => settings([4, 65535]))),
  strange("more pings than anybody answers", () => times(3000, () => frame(types.ping, 0, 0, Buffer.alloc(8)))),
  strange("a block in many pieces", (random, next) =>
    Buffer.concat([
      block(next, [], 0),
      times(random.whole(60), () => frame(types.continuation, 0, next)),
      frame(types.continuation, flags.endHeaders, next, Buffer.of(0x82)),
    ]),
  ),
  strange("a block that never ends", (_, next) => block(next, [0x82], 0)),
  strange("headers without end", (random, next) =>
    Buffer.concat([get(random, next, false), times(30, () => frame(types.headers, flags.endHeaders, next, Buffer.of(0x82)))]),
  ),
  strange("long headers", (random, next) =>
    headers(
      random,
      next,
      Array.from({ length: 40 }, (_, at) => [`x-${at}`, "y".repeat(100 + random.whole(300))] as const),
      true,
    ),
  ),
  strange("a bomb of remembered fields", (_, next) =>
    block(next, [0x40, 1, 97, ...integer(3000, 7), ...Buffer.alloc(3000, 98), ...Array.from({ length: 200 }, () => 0xbe)]),
  ),
  strange("more data than its length says", (random, next) =>
    Buffer.concat([
      headers(
        random,
        next,
        [
          [":method", "POST"],
          [":scheme", "http"],
          [":path", "/api/check/resources"],
          ["content-length", "1"],
        ],
        false,
      ),
      frame(types.data, flags.endStream, next, Buffer.alloc(9)),
    ]),
  ),
  adding("a stream that is used again", (random, _next, used) => get(random, used)),
  adding("data after the end", (_, _next, used) => frame(types.data, flags.endStream, used, Buffer.of(1))),
  strange("a window of a stream that grows by nothing", (_, _next, used) => frame(types.window, 0, used, word(0))),
  strange("a window of a stream beyond all numbers", (_, _next, used) => times(2, () => frame(types.window, 0, used, word(2 ** 31 - 1)))),
  strange("a priority of another length", (_, next) => frame(types.priority, 0, next, Buffer.alloc(4))),
  strange("another kind of priorities, in the midst of it", () => settings([9, 1])),
  strange("a stream that waits for itself", (_, next) => frame(types.priority, 0, next, Buffer.concat([word(next), Buffer.of(1)]))),
  strange("settings taken note of that nobody sent", () => times(3, () => frame(types.settings, flags.ack, 0))),
  strange("streams opened and reset", (random, next) =>
    times(random.pick([10, 200, 1500]), (at) =>
      Buffer.concat([get(random, next + 2 * at, random.chance(0.5)), frame(types.reset, 0, next + 2 * at, word(8))]),
    ),
  ),
  strange("more streams than may be open", (random, next) =>
    times(1100, (at) =>
      block(
        next + 2 * at,
        [
          ...headers(
            random,
            1,
            [
              [":method", "POST"],
              [":scheme", "http"],
              [":path", "/api/check/resources"],
            ],
            false,
          ).subarray(9),
        ],
        flags.endHeaders,
      ),
    ),
  ),
  strange("data without content", (_, _next, used) => times(2000, () => frame(types.data, 0, used))),
  strange("the last stream there can be", (random) => get(random, 2 ** 31 - 1)),
  strange("half a frame", (random, next) => get(random, next).subarray(0, 1 + random.whole(20))),
  // What follows it is a part of it.
  adding("a frame that is longer than what comes", (_, _next, used) => frame(types.data, 0, used, Buffer.of(1), 16000)),
  {
    name: "a farewell",
    ends: false,
    needs: "goaway",
    make: (random) =>
      frame(
        types.goaway,
        0,
        0,
        Buffer.concat([word(random.pick([0, 1, 2 ** 31 - 1])), word(random.pick([0, 2, 11, 99])), Buffer.alloc(random.whole(40))]),
      ),
  },
  {
    name: "farewells",
    ends: false,
    needs: "goaway",
    make: (random) => times(1 + random.whole(50), (at) => frame(types.goaway, 0, 0, Buffer.concat([word(2 ** 31 - 1 - 2 * at), word(0)]))),
  },
  {
    name: "a farewell of another length",
    ends: true,
    needs: "goaway",
    make: (random) => frame(types.goaway, 0, 0, Buffer.alloc(random.whole(8))),
  },
  { name: "a farewell of a stream", ends: true, needs: "goaway", make: () => frame(types.goaway, 0, 1, Buffer.alloc(8)) },
];
