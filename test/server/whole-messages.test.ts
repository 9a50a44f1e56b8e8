/** grpc-js hears whole messages, one at a time, and decompressed: neither small chunks nor many or compressed messages make it hold or do much at once. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import { PassThrough } from "node:stream";
import { deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { wholeMessages } from "../../src/server/grpc/whole-messages.ts";
import { enabled } from "./admin-harness.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { startProgram } from "./process.ts";
import { framed, part } from "./protobuf.ts";
import { requestMessage } from "./request-message.ts";

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

const check = "/authz.svc.v1.AuthzService/CheckResources";
const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const usual = requestMessage({
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "expense", id: "one" } }],
});
/** A request of four megabytes in four thousand bytes. */
const swollen = framed(gzipSync(part(1, "a".repeat(2 ** 22 - 100))), 1);
const packed = framed(gzipSync(usual), 1);

interface Heard {
  readonly stream: ClientHttp2Stream;
  readonly status: Promise<string>;
}

function ask(session: ClientHttp2Session, path: string, encoding: string): Heard {
  const names = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", "grpc-encoding": encoding };
  const stream = session.request(names);
  const status = new Promise<string>((resolve) => {
    const take = (headers: IncomingHttpHeaders): void => {
      if (headers["grpc-status"] !== undefined) resolve([headers["grpc-status"]].flat().join());
    };
    stream.on("response", take).on("trailers", take);
  });
  stream.on("error", () => undefined).resume();
  return { stream, status };
}

describe("compressed messages", () => {
  let server: TestServer;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: enabled });
    session = connect(`http://${server.grpc}`);
  });
  afterAll(async () => {
    session.destroy();
    await server.stop();
  });

  test.each<readonly [sentence: string, writes: readonly Uint8Array[], status: string, encoding: string]>([
    ["are decompressed", [packed], "0", "gzip"],
    ["of the other encoding too", [framed(deflateSync(usual), 1)], "0", "deflate"],
    ["may arrive in bytes", bytes(packed), "0", "gzip"],
    ["may hold as much as others", [swollen], "3", "gzip"],
    ["may not hold more", [framed(gzipSync(Buffer.alloc(2 ** 22 + 1)), 1)], "8", "gzip"],
    ["may not be damaged", [framed(Buffer.from("hello"), 1)], "13", "gzip"],
    ["may not be two", [packed, packed], "12", "gzip"],
    ["may not be two at once", [Buffer.concat([packed, packed])], "12", "gzip"],
    ["may not be three at once", [Buffer.concat([packed, packed, packed])], "12", "gzip"],
    ["may not follow others", [framed(usual), packed], "12", "gzip"],
    ["may not come before others", [packed, framed(usual)], "12", "gzip"],
    ["of an unknown encoding are refused", [packed], "12", "br"],
    ["need not be there where they are announced", [framed(usual)], "0", "gzip"],
    ["may be missed", [], "12", "gzip"],
  ])("%s", async (_, writes, status, encoding) => {
    const asked = ask(session, check, encoding);
    for (const one of writes) asked.stream.write(one);
    asked.stream.end();
    expect(await asked.status).toBe(status);
  });

  test("of a conversation are answered one by one, before it ends", async () => {
    const asked = ask(session, reflection, "gzip");
    const list = framed(gzipSync(part(7, "")), 1);
    const answered = async (): Promise<void> => void (await once(asked.stream, "data"));
    asked.stream.write(list);
    await answered();
    asked.stream.write(Buffer.concat([list, list]));
    await answered();
    asked.stream.end();
    expect(await asked.status).toBe("0");
  });

  test("by the thousand in every frame do not keep others waiting", async () => {
    const began = performance.now();
    const many = Buffer.concat(Array.from({ length: 3000 }, () => message("", 1)));
    const all = Array.from({ length: 60 }, () => {
      const asked = ask(session, check, "gzip");
      asked.stream.end(many);
      return asked.status;
    });
    expect(new Set(await Promise.all(all))).toEqual(new Set(["12"]));
    expect(performance.now() - began).toBeLessThan(15_000); // it was half a minute and more
  });
});

test.runIf(process.platform === "linux")("calls that do not end hold what was sent of them, not what becomes of it", async () => {
  const listens = ["http", "grpc"].map((kind) => `--set=server.${kind}ListenAddr=127.0.0.1:0`);
  const folder = temporaryFolder({ "expense.yaml": expensePolicy });
  const run = startProgram(["server", "--set=server.workers=1", `--set=storage.disk.directory=${folder}`, ...listens]);
  onTestFinished(() => void run.process.kill());
  const said = await eventually(
    () => run.output().stdout,
    (text) => text.includes("HTTP is served at"),
  );
  /** The most memory that the server has had so far, in megabytes. */
  const most = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${run.process.pid}/status`, "utf8"))?.[1]) / 1024;
  const session = connect(`http://${/gRPC is served at ([^"]+)"/.exec(said)?.[1]}`);
  const before = most();
  for (let at = 0; at < 200; at++) ask(session, check, "gzip").stream.write(swollen);
  const last = ask(session, check, "gzip");
  // As large as the others, so that it is not done before they would be.
  last.stream.end(swollen);
  expect(await last.status).toBe("3");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(most() - before).toBeLessThan(150);
  session.destroy();
});
