/** Clients that mean ill, or are broken: each gets its due, and everybody else an answer. */
import { deflateRawSync, gzipSync } from "node:zlib";
import { once } from "node:events";
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { exchange, openRaw, statuses } from "./raw.ts";

const check = "/api/check/resources";
const body = JSON.stringify(request);
const post = (headers: string, content = ""): string => `POST ${check} HTTP/1.1\r\nhost: a\r\n${headers}\r\n${content}`;
const policies = { "expense.yaml": expensePolicy };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies,
    settings: {
      "server.advanced.http.readTimeout": "400ms",
      "server.advanced.http.readHeaderTimeout": "300ms",
      "server.advanced.http.idleTimeout": "500ms",
      "server.advanced.grpc.connectionTimeout": "300ms",
      "server.advanced.grpc.maxRecvMsgSizeBytes": 65536,
      "server.advanced.grpc.maxConcurrentStreams": 5,
    },
  });
});
afterEach(async () => {
  expect((await server.post(check, request)).status).toBe(200); // whatever was done to it
});
afterAll(() => server.stop());

/** Whether something ends long before anything but the limit that was set would end it. */
const cutOff = (end: Promise<unknown>): Promise<boolean> =>
  Promise.race([end.then(() => true), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 8000).unref())]);

describe("who dawdles is cut off:", () => {
  test.each([
    ["says nothing", "", 0],
    ["begins a request and stops", "POST /api", 408],
    ["sends headers without end", post("x: y\r\n").slice(0, -2), 408],
    ["sends no body", post(`content-length: ${body.length}\r\n`), 408],
    ["sends half a body", post(`content-length: ${body.length}\r\n`, body.slice(0, 20)), 408],
    ["sends half a chunk", post("transfer-encoding: chunked\r\n", "ff\r\n{"), 408],
    ["begins like HTTP/2 and stops", "PRI * HTTP/2.0\r\n", 0],
    ["begins HTTP/2 and sends no settings", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0],
  ])("one who %s", async (_sentence, text, status) => {
    const answer = await exchange(server.http, text);
    expect(statuses(answer)).toEqual(status === 0 ? [] : [status]);
  });

  test("one who sends a header every now and then", async () => {
    const { write, closed } = await openRaw(server.http, "GET / HTTP/1.1\r\nhost: a\r\n");
    const drip = setInterval(() => write("x: y\r\n"), 50);
    expect(statuses(await closed)).toEqual([408]);
    clearInterval(drip);
  });

  test.each([
    ["headers, where only these have a limit", "readHeaderTimeout", "readTimeout", "GET / HTTP/1.1\r\nhost: a\r\n", "x: y\r\n"],
    ["a body, where only the whole has a limit", "readTimeout", "readHeaderTimeout", post("content-length: 1000\r\n"), " "],
    ["headers, where only the whole has a limit", "readTimeout", "readHeaderTimeout", "GET / HTTP/1.1\r\nhost: a\r\n", "x: y\r\n"],
  ])("one who sends %s", async (_sentence, limit, none, begin, more) => {
    const own = await startServer({
      policies,
      settings: { [`server.advanced.http.${limit}`]: "300ms", [`server.advanced.http.${none}`]: "0s" },
    });
    onTestFinished(() => own.stop());
    const { write, closed } = await openRaw(own.http, begin);
    const drip = setInterval(() => write(more), 50);
    const isCutOff = await cutOff(closed);
    clearInterval(drip);
    expect(isCutOff).toBe(true);
    expect(statuses(await closed)).toEqual([408]);
  });

  test("one who sends his body a byte at a time", async () => {
    const { write, closed } = await openRaw(server.http, post("content-length: 1000\r\n"));
    const drip = setInterval(() => write(" "), 50);
    expect(statuses(await closed)).toEqual([408]);
    clearInterval(drip);
  });

  test("one who never asks again", async () => {
    expect(statuses(await exchange(server.http, "GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n"))).toEqual([200]);
  });

  test("one who never asks again, after the time that is set: it is told to him", async () => {
    const own = await startServer({ policies, settings: { "server.advanced.http.idleTimeout": "20s" } });
    onTestFinished(() => own.stop());
    const { socket, received } = await openRaw(own.http, "GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n");
    await eventually(received, (text) => text.includes("SERVING"));
    socket.destroy();
    expect(received()).toMatch(/\r\nkeep-alive: timeout=20\r\n/i);
  });

  test("one who says nothing to the gRPC port, or begins and stops", async () => {
    for (const text of ["", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]) {
      const { closed } = await openRaw(server.grpc, text);
      expect(await cutOff(closed)).toBe(true);
    }
  });

  test.each([
    ["does not end", {}, constants.NGHTTP2_CANCEL],
    ["is answered when its deadline comes, and does not end", { "grpc-timeout": "10m" }, constants.NGHTTP2_NO_ERROR],
    ["is refused, and does not end", { ":path": "/a/b" }, constants.NGHTTP2_NO_ERROR],
  ])("one whose gRPC call %s", async (_sentence, headers, code) => {
    const session = connectHttp2(`http://${server.grpc}`);
    const path = "/authz.svc.v1.AuthzService/CheckResources";
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers });
    stream.on("error", () => undefined).resume();
    stream.write(Buffer.from([0, 0, 0, 0, 9, 1]));
    expect([await cutOff(once(stream, "close")), stream.rstCode]).toEqual([true, code]);
    session.destroy();
  });

  test("one who does not read his answer", async () => {
    const own = await startServer({ policies, settings: { "server.advanced.http.writeTimeout": "300ms" } });
    const large = JSON.stringify({ ...request, requestId: "x".repeat(3_500_000) });
    const { socket, write, closed } = await openRaw(own.http);
    socket.pause();
    for (let at = 0; at < 3; at += 1) write(post(`content-length: ${large.length}\r\n`, large));
    await eventually(
      () => own.logged(),
      (lines) => lines.some((line) => line["authz.method"] === "CheckResources"),
    );
    // The server gives up while nobody reads; to see it, the client has to read at last.
    await new Promise((resolve) => setTimeout(resolve, 800));
    socket.resume();
    const answer = await closed;
    expect(answer.length).toBeLessThan(3 * large.length);
    await own.stop();
  });
});

describe("requests that two readers might read differently are refused:", () => {
  const inner = "GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n";
  test.each([
    ["a length and chunks", post("content-length: 4\r\ntransfer-encoding: chunked\r\n", `0\r\n\r\n${inner}`)],
    ["chunks and a length", post("transfer-encoding: chunked\r\ncontent-length: 4\r\n", `0\r\n\r\n${inner}`)],
    ["two lengths", post("content-length: 2\r\ncontent-length: 40\r\n", `{}${inner}`)],
    ["two lengths in one", post("content-length: 2, 40\r\n", `{}${inner}`)],
    ["a length with a sign", post("content-length: +2\r\n", `{}${inner}`)],
    ["a length in hexadecimal", post("content-length: 0x2\r\n", `{}${inner}`)],
    ["a transfer encoding that is none", post("transfer-encoding: xchunked\r\n", `0\r\n\r\n${inner}`)],
    ["chunked, but not last", post("transfer-encoding: chunked, gzip\r\n", `0\r\n\r\n${inner}`)],
    ["a space before the colon", post("content-length : 2\r\n", `{}${inner}`)],
    ["a header without a name", post(": x\r\n")],
    ["a NUL in a header", post("x: a\0b\r\n")],
    ["a lone CR in a header", post("x: a\rcontent-length: 2\r\n", "{}")],
    ["lines that end in LF alone", post(`content-length: ${body.length}\r\n`, body).replaceAll("\r\n", "\n")],
    ["a chunk whose length is no number", post("transfer-encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")],
    ["a chunk longer than it says", post("transfer-encoding: chunked\r\n", "2\r\n{}x\r\n0\r\n\r\n")],
    ["a chunk's length that overflows", post("transfer-encoding: chunked\r\n", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n")],
    ["a version of HTTP that there is not", `GET / HTTP/3.7\r\nhost: a\r\n\r\n${inner}`],
    ["no host", "GET /_authz/health HTTP/1.1\r\n\r\n"],
    ["two hosts", "GET /_authz/health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"],
    ["two hosts with thousands of headers between them", `GET / HTTP/1.1\r\nhost: a\r\n${"x: y\r\n".repeat(5000)}host: b\r\n\r\n`],
    ["a method with a space in it", "GE T / HTTP/1.1\r\nhost: a\r\n\r\n"],
  ])("%s", async (_sentence, text) => {
    const answer = await exchange(server.http, text);
    expect(statuses(answer)).toEqual([400]);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: 3, message: expect.any(String) });
  });

  test("a header that goes on in the next line is one header, or none", async () => {
    const answer = await exchange(
      server.http,
      `GET /_authz/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx: a\r\n content-length: 5\r\n\r\n${inner}`,
    );
    expect(statuses(answer).length).toBe(1);
  });

  test("a chunk with an extension is a chunk", async () => {
    const chunked = `${body.length.toString(16)};name=value\r\n${body}\r\n0\r\n\r\n`;
    expect(statuses(await exchange(server.http, post("transfer-encoding: chunked\r\nconnection: close\r\n", chunked)))).toEqual([200]);
  });

  test("chunk extensions without end are not", async () => {
    const answer = await exchange(server.http, post("transfer-encoding: chunked\r\n", `2;${"x".repeat(40_000)}\r\n{}\r\n0\r\n\r\n`));
    expect(statuses(answer)).toEqual([413]);
  });
});

describe("sizes have ends:", () => {
  test.each([
    ["one header", `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(80_000)}\r\n\r\n`, 431],
    ["many headers", `GET / HTTP/1.1\r\nhost: a\r\n${"x: y\r\n".repeat(40_000)}\r\n`, 431],
    ["a path", `GET /${"y".repeat(80_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431],
    ["a path that is not too long, of nothing", `GET /${"y".repeat(60_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 404],
    ["a body that says its length", post("content-length: 70000\r\n", "x".repeat(70_000)), 413],
    ["a body in chunks", post("transfer-encoding: chunked\r\n", `11170\r\n${"x".repeat(70_000)}\r\n0\r\n\r\n`), 413],
  ])("%s", async (_sentence, text, status) => {
    const { received } = await openRaw(server.http, text);
    expect(statuses(await eventually(received, (answer) => answer.includes("\r\n\r\n")))).toEqual([status]);
  });

  test("what is compressed is not even unpacked over HTTP", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { status } = await server.post(check, new Uint8Array(bomb), { "content-type": "application/json", "content-encoding": "gzip" });
    expect(status).toBe(415);
  });
});

describe("expectations:", () => {
  test("100-continue is met", async () => {
    const { received, write, closed } = await openRaw(
      server.http,
      post(`expect: 100-continue\r\nconnection: close\r\ncontent-length: ${body.length}\r\n`),
    );
    await eventually(received, (answer) => answer.includes("100 Continue"));
    write(body);
    expect(statuses(await closed)).toEqual([100, 200]);
  });

  test("any other is not", async () => {
    const answer = await exchange(server.http, post(`expect: foo\r\ncontent-length: ${body.length}\r\n`, body));
    expect(statuses(answer)).toEqual([417]);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: 3 });
  });
});

describe("over gRPC", () => {
  const path = "/authz.svc.v1.AuthzService/CheckResources";
  const framed = (message: Uint8Array, compressed = 0, length = message.length): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(compressed, 0);
    head.writeUInt32BE(length, 1);
    return Buffer.concat([head, message]);
  };

  /** Sends frames as they are and returns the gRPC status. */
  async function send(frames: Uint8Array, headers: { readonly [name: string]: string } = {}): Promise<string> {
    const session = connectHttp2(`http://${server.grpc}`);
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers });
    let status = "";
    const take = (received: IncomingHttpHeaders): void => void (status ||= [received["grpc-status"] ?? ""].flat().join());
    stream
      .on("response", take)
      .on("trailers", take)
      .on("error", () => undefined);
    stream.resume();
    stream.end(frames);
    await new Promise((resolve) => stream.on("close", resolve));
    session.destroy();
    return status;
  }

  test.each<readonly [sentence: string, frames: Uint8Array, headers: { readonly [name: string]: string }, status: string]>([
    ["a message that is too large", framed(Buffer.alloc(70_000)), {}, "8"],
    ["a message that says it is", framed(Buffer.alloc(10), 0, 2 ** 31), {}, "8"],
    ["a message that becomes too large", framed(gzipSync(Buffer.alloc(50_000_000)), 1), { "grpc-encoding": "gzip" }, "8"],
    ["a compressed message", framed(gzipSync(Buffer.alloc(0)), 1), { "grpc-encoding": "gzip" }, "3"],
    ["a message in an unknown encoding", framed(deflateRawSync(Buffer.alloc(9)), 1), { "grpc-encoding": "br" }, "12"],
    ["a message that only says it is compressed", framed(Buffer.from("hello"), 1), { "grpc-encoding": "gzip" }, "13"],
    ["bytes that are no message", framed(Buffer.from([0xff, 0xff])), {}, "13"],
    ["two messages where one is due", Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]), {}, "12"],
    ["no message", Buffer.alloc(0), {}, "12"],
    ["a deadline that is none", framed(Buffer.alloc(0)), { "grpc-timeout": "soon" }, "13"],
    ["a method that there is not", framed(Buffer.alloc(0)), { ":path": "/a/b" }, "12"],
  ])("%s", async (_sentence, frames, headers, status) => {
    expect(await send(frames, headers)).toBe(status);
  });

  test("what is not gRPC is 415", async () => {
    const session = connectHttp2(`http://${server.grpc}`);
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    stream.end("{}");
    expect(await new Promise((resolve) => stream.on("response", (headers) => resolve(headers[":status"])))).toBe(415);
    session.destroy();
  });

  test("a hundred calls that are cancelled at once leave nothing behind", async () => {
    const client = new Client(server.grpc, credentials.createInsecure());
    const same = (bytes: Buffer): Buffer => bytes;
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, at) => {
        return new Promise<number>((resolve) => {
          const options = at % 2 === 0 ? { deadline: Date.now() } : {};
          const call = client.makeUnaryRequest(path, same, same, Buffer.alloc(0), new Metadata(), options, (error) =>
            resolve(error?.code ?? 0),
          );
          if (at % 2 === 1) call.cancel();
        });
      }),
    );
    expect(new Set(codes)).toEqual(new Set([4, 1]));
    client.close();
  });

  test("more calls at a time than it allows wait, or are refused", async () => {
    const session = connectHttp2(`http://${server.grpc}`);
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(5);
    session.destroy();
  });
});

test("a thousand connections that say nothing keep nobody from being answered", async () => {
  const idle = await Promise.all(Array.from({ length: 1000 }, (_, at) => openRaw(at % 2 === 0 ? server.http : server.grpc)));
  expect((await server.post(check, request)).status).toBe(200);
  await Promise.all(idle.map(({ closed }) => closed));
});
