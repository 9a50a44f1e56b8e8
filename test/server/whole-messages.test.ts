/** grpc-js hears whole messages, one at a time: neither many small chunks nor many messages in one chunk make it hold or do much at once. */
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wholeMessages } from "../../src/server/grpc/whole-messages.ts";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";

const maxBytes = 10;
const message = (text: string, flag = 0, length = text.length): Buffer =>
  Buffer.concat([Buffer.of(flag, 0, 0, 0, length), Buffer.from(text)]);
const bytes = (whole: Buffer): readonly Buffer[] => Array.from(whole, (byte) => Buffer.of(byte));

describe("a reader that pauses with every message and then wants another one hears", () => {
  test.each<readonly [sentence: string, chunks: readonly Buffer[], heard: readonly Buffer[]]>([
    ["a message at once", [message("abc")], [message("abc")]],
    ["a message in bytes once", bytes(message("abc")), [message("abc")]],
    ["a compressed message in bytes once", bytes(message("abc", 1)), [message("abc", 1)]],
    [
      "messages of one chunk one after the other",
      [Buffer.concat(["a", "bc", "", "d"].map((text) => message(text)))],
      ["a", "bc", "", "d"].map((text) => message(text)),
    ],
    [
      "messages that are cut anywhere",
      [
        message("a"),
        message("bcd").subarray(0, 3),
        Buffer.concat([message("bcd").subarray(3), message("e").subarray(0, 5)]),
        Buffer.from("e"),
      ],
      [message("a"), message("bcd"), message("e")],
    ],
    ["nothing of a message that does not end", [message("ab", 0, 3)], []],
    ["as many bytes as are allowed", bytes(message("0123456789")), [message("0123456789")]],
    [
      "the prefix of a message that is too large, and nothing behind it",
      [message("a"), message("01234567890"), message("b")],
      [message("a"), message("", 0, 11)],
    ],
    ["the same where it is cut in the prefix", bytes(message("01234567890")), [message("", 0, 11)]],
  ])("%s", async (_, chunks, heard) => {
    const stream = new PassThrough();
    const found: Buffer[] = [];
    stream.on(
      "data",
      wholeMessages(stream, maxBytes, (whole) => {
        found.push(whole);
        stream.pause();
        setImmediate(() => stream.resume());
      }),
    );
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
    await once(stream, "end");
    expect(found.map(String)).toEqual(heard.map(String));
  });

  test("nothing more when it did not pause: its call is over", async () => {
    const stream = new PassThrough();
    const found: Buffer[] = [];
    stream.on(
      "data",
      wholeMessages(stream, maxBytes, (whole) => void found.push(whole)),
    );
    stream.end(Buffer.concat(Array.from({ length: 20_000 }, () => message(""))));
    await once(stream, "end");
    expect(found).toEqual([message("")]);
  });
});

describe("many compressed messages in every frame", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  });
  afterAll(() => server.stop());

  const frame = (type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  };
  const headers = Buffer.concat(
    Object.entries({
      ":method": "POST",
      ":scheme": "http",
      ":path": "/authz.svc.v1.AuthzService/CheckResources",
      ":authority": "x",
      "content-type": "application/grpc",
      "grpc-encoding": "gzip",
    }).map(([name, value]) =>
      Buffer.concat([Buffer.of(0x10, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]),
    ),
  );
  test("do not keep others waiting", async () => {
    const frames = Array.from({ length: 30 }, (_none, at) =>
      Buffer.concat([
        frame(1, 4, 2 * at + 1, headers),
        frame(0, 0, 2 * at + 1, Buffer.concat(Array.from({ length: 3000 }, () => message("", 1)))),
      ]),
    );
    const [hostname = "", port] = server.grpc.split(":");
    const socket = connectTcp(Number(port), hostname);
    socket.on("error", () => undefined).resume();
    await once(socket, "connect");
    const began = performance.now();
    socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0), ...frames]));
    await once(socket, "data");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await server.get("/_authz/health")).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(5000);
    socket.destroy();
  });
});
