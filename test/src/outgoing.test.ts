/** Requests to other servers through a proxy: bundles, repositories, key sets and schemas; and what is said when the proxy fails. */
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ask } from "../../src/outgoing/ask.ts";
import { fetchText } from "../../src/outgoing/fetch-text.ts";
import { fetchBundle } from "../../src/store/bundle-fetch.ts";
import { startBundleServer, type BundleServer, type BundleServerOptions } from "../bundle/server.ts";
import { openGitFixture } from "../git/fixture.ts";
import { seen } from "../git/open-store.ts";
import { makeAuthority } from "../server/certificates.ts";
import { startProxy, type ProxyFault, type ProxyOptions, type ProxyServer } from "../server/proxy.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";

const after: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const put of after.splice(0)) await put();
});

/** A proxy that HTTPS_PROXY and HTTP_PROXY name; `written` stands before its host. */
async function proxied(options: ProxyOptions = {}, written = ""): Promise<ProxyServer> {
  const proxy = await startProxy(options);
  after.push(proxy.close);
  const address = `${options.pair === undefined ? "http" : "https"}://${written}localhost:${proxy.port}`;
  vi.stubEnv("HTTPS_PROXY", address);
  vi.stubEnv("HTTP_PROXY", address);
  return proxy;
}

/** A server of bundles that publishes one text; its name is known to nobody but the proxy. */
async function bundles(options: BundleServerOptions = {}): Promise<BundleServer & { readonly place: Parameters<typeof fetchBundle>[0] }> {
  const server = await startBundleServer(options);
  after.push(server.close);
  server.publish(Buffer.from("policies"));
  const url = new URL(server.url.replace("127.0.0.1", "bundles.example"));
  const authorities = readFileSync(server.caCert, "utf8");
  return { ...server, place: { url, authorization: undefined, authorities, milliseconds: 5000, maxBytes: 1000 } };
}

const fetched = async (place: Parameters<typeof fetchBundle>[0]): Promise<string> =>
  await fetchBundle(place, undefined).then((found) => (found.kind === "bytes" ? Buffer.from(found.bytes).toString() : found.kind), String);

const { serve, open } = openGitFixture();

describe("through a proxy", () => {
  test("a bundle is fetched, and no connection is left", async () => {
    const server = await bundles({ credentials: { token: "t0ken" } });
    const proxy = await proxied();
    expect(await fetched({ ...server.place, authorization: "Bearer t0ken" })).toBe("policies");
    expect(proxy.asked).toEqual([`CONNECT ${server.place.url.host}`]);
    await eventually(
      () => proxy.connections() + server.connections(),
      (count) => count === 0,
    );
  });

  test("with TLS of its own a bundle is fetched", async () => {
    const authority = makeAuthority();
    const server = await bundles({ authority });
    const proxy = await proxied({ pair: authority.issue({ names: ["localhost"] }) });
    expect(await fetched(server.place)).toBe("policies");
    expect(proxy.asked.length).toBe(1);
  });

  test("that asks for credentials a bundle is fetched, and the server does not see them", async () => {
    const server = await bundles();
    await proxied({ credentials: { username: "me", password: "p@ss:w" } }, "me:p%40ss%3Aw@");
    expect(await fetched(server.place)).toBe("policies");
    expect(server.requests().map((headers) => headers["proxy-authorization"])).toEqual([undefined]);
  });

  test("the certificate of the server is verified as without, whatever the environment says", async () => {
    const server = await bundles();
    await proxied();
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect(await fetched({ ...server.place, authorities: undefined })).toContain("its certificate is not signed by a trusted authority");
    const otherName = new URL(server.place.url.href.replace("bundles.example", "other.example"));
    expect(await fetched({ ...server.place, url: otherName })).toContain("its certificate is for another host");
    expect(server.requests()).toEqual([]);
  });

  test("a repository is cloned and followed", async () => {
    const server = await serve({ tls: true, files: { "a.yaml": "a" } });
    const proxy = await proxied();
    const store = open({
      url: server.url.replace("127.0.0.1", "git.example"),
      "https.caCert": join(temporaryFolder({ "ca.pem": server.caCert }), "ca.pem"),
    });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a" } });
    await server.commit({ "a.yaml": "b" });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "b" } });
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT git.example:${server.port}`]));
  });

  test("without TLS a text is fetched, by asking the proxy for the whole URL", async () => {
    const port = await listening((request, response) => response.end(JSON.stringify([request.url, request.headers.host])));
    const proxy = await proxied({ credentials: { username: "me", password: "x" } }, "me:x@");
    const { text } = await fetchText(new URL(`http://keys.example:${port}/a?b=c#d`), { milliseconds: 5000, bytes: 1000 });
    expect(JSON.parse(text)).toEqual(["/a?b=c", `keys.example:${port}`]);
    expect(proxy.asked).toEqual([`GET http://keys.example:${port}/a?b=c`]);
  });

  test("nothing is fetched of this machine, nor of whom NO_PROXY excepts", async () => {
    const server = await bundles();
    const proxy = await proxied();
    expect(await fetched({ ...server.place, url: new URL(server.url) })).toBe("policies");
    vi.stubEnv("NO_PROXY", ".example");
    expect(await fetched(server.place)).toMatch(/bundles\.example:\d+ cannot be reached: getaddrinfo/);
    expect(proxy.asked).toEqual([]);
  });
});

describe("a proxy that", () => {
  test.each<[sentence: string, fault: ProxyFault, said: RegExp]>([
    ["does not answer", { kind: "hang" }, /^Refusal: bundles\.example:\d+ did not answer within 0\.3 s$/],
    ["hangs up", { kind: "drop" }, /^Refusal: the proxy localhost:\d+ \(HTTPS_PROXY\) cannot be reached \(ECONNRESET\)$/],
    [
      "asks for credentials",
      { kind: "status", status: 407 },
      /\(HTTPS_PROXY\) asks for credentials: write them into HTTPS_PROXY, as in http:/,
    ],
    ["forbids the host", { kind: "status", status: 403 }, /\(HTTPS_PROXY\) does not connect to bundles\.example:\d+: status 403$/],
    ["finds no host", { kind: "status", status: 502 }, /\(HTTPS_PROXY\) does not connect to bundles\.example:\d+: status 502$/],
    ["connects, and hangs up", { kind: "connected", next: "reset" }, /^Refusal: bundles\.example:\d+ cannot be reached: .*ECONNRESET/],
    ["connects, and ends", { kind: "connected", next: "end" }, /^Refusal: bundles\.example:\d+ cannot be reached: .*ECONNRESET/],
    ["connects, and says nothing", { kind: "connected", next: "nothing" }, /did not answer within 0\.3 s$/],
    ["connects, and answers itself", { kind: "connected", next: "garbage" }, /cannot be reached: it answers without TLS/],
  ])("%s is told of, no connection is left, and the next request finds it mended", async (_sentence, fault, said) => {
    const server = await bundles();
    const proxy = await proxied();
    proxy.setFault(fault);
    expect(await fetched({ ...server.place, milliseconds: 300 })).toMatch(said);
    await eventually(
      () => proxy.connections() + server.connections(),
      (count) => count === 0,
    );
    proxy.setFault({ kind: "none" });
    expect(await fetched(server.place)).toBe("policies");
  });

  test("does not accept the credentials is told of without them", async () => {
    const server = await bundles();
    await proxied({ credentials: { username: "me", password: "right" } }, "me:hunter2@");
    const said = await fetched(server.place);
    expect(said).toMatch(/^Refusal: the proxy localhost:\d+ \(HTTPS_PROXY\) does not accept the credentials in HTTPS_PROXY$/);
    expect(said).not.toContain("hunter2");
  });

  test("does not listen is told of, with TLS behind it and without", async () => {
    const { port, close } = await startProxy();
    await close();
    vi.stubEnv("HTTPS_PROXY", `localhost:${port}`);
    vi.stubEnv("HTTP_PROXY", `localhost:${port}`);
    const asking = (url: string): Promise<string> =>
      ask({ url: new URL(url), headers: {}, signal: AbortSignal.timeout(5000) }).then(() => "an answer", String);
    expect(await asking("https://a.example/")).toBe(`Refusal: the proxy localhost:${port} (HTTPS_PROXY) cannot be reached (ECONNREFUSED)`);
    expect(await asking("http://a.example/")).toBe(`Refusal: the proxy localhost:${port} (HTTP_PROXY) cannot be reached (ECONNREFUSED)`);
  });

  test("asks for credentials without TLS is told of", async () => {
    const proxy = await proxied({ credentials: { username: "me", password: "x" } });
    const url = new URL("http://keys.example/");
    await expect(fetchText(url, { milliseconds: 5000, bytes: 1000 })).rejects.toThrow("(HTTP_PROXY) asks for credentials: write them into");
    await eventually(proxy.connections, (count) => count === 0);
  });
});

describe("a text that is fetched", () => {
  const bounds = { milliseconds: 5000, bytes: 1000 } as const;
  test.each<[sentence: string, listener: RequestListener, found: string | RegExp]>([
    ["is compressed", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("text")), "text"],
    [
      "is compressed, and larger than it may be",
      (_, response) => response.writeHead(200, { "content-encoding": "GZIP" }).end(gzipSync("a".repeat(1_000_000))),
      "Error: the answer is larger than 1000 bytes",
    ],
    [
      "is said to be compressed, and is not",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("text"),
      /^Error: 127\.0\.0\.1:\d+ sends what cannot be decompressed \(Z_DATA_ERROR\)$/,
    ],
    [
      "is compressed, and cut off",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("text").subarray(0, 15)),
      /^Error: 127\.0\.0\.1:\d+ sends what cannot be decompressed \(Z_BUF_ERROR\)$/,
    ],
    [
      "is encoded in an unknown way",
      (_, response) => response.writeHead(200, { "content-encoding": "aes128gcm" }).end("text"),
      "Error: the answer is encoded (aes128gcm), which was not asked for",
    ],
    [
      "breaks off",
      (_, response) => void response.writeHead(200, { "content-length": "9" }).write("text", () => response.destroy()),
      /^Error: 127\.0\.0\.1:\d+ cannot be reached \(ECONNRESET\)$/,
    ],
    [
      "breaks off, compressed",
      (_, response) =>
        void response.writeHead(200, { "content-length": "99", "content-encoding": "gzip" }).write("", () => response.destroy()),
      /^Error: 127\.0\.0\.1:\d+ cannot be reached \(\w+\)$/,
    ],
  ])("and %s", async (_sentence, listener, found) => {
    const url = new URL(`http://127.0.0.1:${await listening(listener)}/`);
    const said = await fetchText(url, bounds).then(({ text }) => text, String);
    if (typeof found === "string") expect(said).toBe(found);
    else expect(said).toMatch(found);
  });
});

/** Starts a server without TLS until the test has ended, and returns its port; at the end it has no connection. */
async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const count = (): Promise<number> =>
    new Promise((resolve, reject) => server.getConnections((error, found) => (error ? reject(error) : resolve(found))));
  after.push(async () => {
    await eventually(count, (open) => open === 0);
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
