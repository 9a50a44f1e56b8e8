/** TLS on both listeners: what stops a start, and who gets in. */
import { rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makeAuthority, type Pair } from "./certificates.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { exchange, openRaw } from "./raw.ts";
import { ask, authority, callGrpc, identity, portOf } from "./tls-client.ts";

const stranger = makeAuthority("Somebody else");
const names = ["127.0.0.1", "localhost"];
const own = authority.issue({ names });
const next = authority.issue({ names });
const known = authority.issue({ names: ["a client"], client: true });
const expired = authority.issue({ names: ["a client of before"], client: true, expired: true });
const unknown = stranger.issue({ names: ["a stranger"], client: true });

const folder = temporaryFolder({
  "own.pem": own.certificate,
  "own.key": own.key,
  "other.key": next.key,
  "ca.pem": authority.certificate,
  "text.pem": "nothing to see",
  "broken.pem": own.certificate.replace(/\n[^-\n]{20}/, `\n${"A".repeat(20)}`),
  "broken.key": own.key.replace(/\n[^-\n]{8}/, `\n${"A".repeat(8)}`),
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const policies = { "expense.yaml": expensePolicy };
const tls = { "server.tls.cert": `${folder}/own.pem`, "server.tls.key": `${folder}/own.key` };

describe("a start is refused", () => {
  test.each([
    [
      "when the certificate is missing",
      { "server.tls.cert": "DIR/no.pem", "server.tls.key": "DIR/own.key" },
      "the certificate file `DIR/no.pem` does not exist (setting server.tls.cert)",
    ],
    [
      "when the key is missing",
      { "server.tls.cert": "DIR/own.pem", "server.tls.key": "DIR/no.key" },
      "the key file `DIR/no.key` does not exist (setting server.tls.key)",
    ],
    [
      "when the authorities are missing",
      { "server.tls.cert": "DIR/own.pem", "server.tls.key": "DIR/own.key", "server.tls.caCert": "DIR/no.pem" },
      "the file of certificate authorities `DIR/no.pem` does not exist (setting server.tls.caCert)",
    ],
    [
      "when the certificate is a folder",
      { "server.tls.cert": "DIR", "server.tls.key": "DIR/own.key" },
      "the certificate file `DIR` is a directory (setting server.tls.cert)",
    ],
    [
      "when the certificate never ends",
      { "server.tls.cert": "/dev/zero", "server.tls.key": "DIR/own.key" },
      "the certificate file `/dev/zero` is larger than 1048576 bytes (setting server.tls.cert)",
    ],
    [
      "when the certificate is text",
      { "server.tls.cert": "DIR/text.pem", "server.tls.key": "DIR/own.key" },
      "the certificate file `DIR/text.pem` holds no certificate in PEM form (setting server.tls.cert)",
    ],
    [
      "when the certificate is broken",
      { "server.tls.cert": "DIR/broken.pem", "server.tls.key": "DIR/own.key" },
      "the certificate file `DIR/broken.pem` holds a certificate that cannot be read (setting server.tls.cert)",
    ],
    [
      "when the key is broken",
      { "server.tls.cert": "DIR/own.pem", "server.tls.key": "DIR/broken.key" },
      "the key file `DIR/broken.key` holds no private key in PEM form (setting server.tls.key)",
    ],
    [
      "when the authorities are text",
      { "server.tls.cert": "DIR/own.pem", "server.tls.key": "DIR/own.key", "server.tls.caCert": "DIR/text.pem" },
      "the file of certificate authorities `DIR/text.pem` holds no certificate in PEM form (setting server.tls.caCert)",
    ],
    [
      "when the key does not fit",
      { "server.tls.cert": "DIR/own.pem", "server.tls.key": "DIR/other.key" },
      "the key file `DIR/other.key` does not fit the certificate `DIR/own.pem` (settings server.tls.cert and server.tls.key)",
    ],
  ])("%s", async (_sentence, settings, sentence) => {
    const here = Object.fromEntries(Object.entries(settings).map(([key, path]) => [key, path.replace("DIR", folder)]));
    const refused = startServer({ policies, settings: here });
    await expect(refused).rejects.toMatchObject({ name: "Refusal", message: sentence.replaceAll("DIR", folder) });
  });
});

test.each([
  ["a key", ["server.tls.cert"], "`server.tls.cert` needs `server.tls.key` beside it"],
  ["a certificate", ["server.tls.key"], "`server.tls.key` needs `server.tls.cert` beside it"],
  ["either", ["server.tls.caCert"], "`server.tls.caCert` needs `server.tls.cert` beside it"],
])("the configuration is refused without %s", async (_sentence, keys, sentence) => {
  const settings = Object.fromEntries(keys.map((key) => [key, `${folder}/own.pem`]));
  await expect(startServer({ policies, settings })).rejects.toThrow(sentence);
});

describe("a server with a certificate", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies, settings: tls });
  });
  afterAll(() => server.stop());

  test("answers over HTTPS", async () => {
    const { status, protocol } = await ask(server, {});
    expect([status, protocol]).toEqual([200, "http/1.1"]);
  });

  test.each(["gRPC", "HTTP"])("answers gRPC on the %s port", async (port) => {
    expect(await callGrpc(port === "gRPC" ? server.grpc : portOf(server), {})).toBe(0);
  });

  test("answers JSON to a client that speaks HTTP/2 alone", async () => {
    const session = connectHttp2(`https://${portOf(server)}`, { ca: authority.certificate });
    const stream = session.request({ ":method": "POST", ":path": "/api/check/resources" });
    stream.end(JSON.stringify(request));
    let [text, status] = ["", 0];
    stream.on("response", (headers) => (status = headers[":status"] ?? 0));
    for await (const part of stream) text += String(part);
    expect([status, JSON.parse(text)]).toMatchObject([200, { requestId: "r1" }]);
    session.close();
  });

  test.each(["TLSv1.1", "TLSv1"] as const)("refuses %s", async (version) => {
    for (const address of [portOf(server), server.grpc]) {
      const [host = "", port = ""] = address.split(":");
      const refused = new Promise((resolve) => {
        const options = { host, port: Number(port), ca: authority.certificate, minVersion: version, maxVersion: version } as const;
        connectTls({ ...options, ciphers: "DEFAULT:@SECLEVEL=0", ALPNProtocols: ["h2"] }, () => resolve("let in")).on("error", () =>
          resolve("refused"),
        );
      });
      expect(await refused).toBe("refused");
    }
  });

  test("drops a connection to the gRPC port that agrees on nothing", async () => {
    const [host = "", port = ""] = server.grpc.split(":");
    const socket = connectTls({ host, port: Number(port), ca: authority.certificate });
    await new Promise((resolve) => socket.on("close", resolve).on("error", () => undefined));
    expect(socket.destroyed).toBe(true);
  });

  test("names the caller as it does without TLS", async () => {
    await callGrpc(server.grpc, {});
    const peers = server
      .logged()
      .filter((line) => line["network.protocol"] === "grpc")
      .map((line) => line["source.address"]);
    expect(peers.at(-1)).toMatch(/^127\.0\.0\.1:\d+$/);
  });
});

test("who begins no handshake is dropped in the time that there is for the first bytes", async () => {
  const limits = { "server.advanced.http.readHeaderTimeout": "300ms", "server.advanced.grpc.connectionTimeout": "300ms" };
  const server = await startServer({ policies, settings: { ...tls, ...limits } });
  onTestFinished(() => server.stop());
  for (const address of [portOf(server), server.grpc]) {
    const { closed } = await openRaw(address);
    // Node alone would wait two minutes.
    const late = new Promise<string>((resolve) => setTimeout(() => resolve("still open"), 8000).unref());
    expect(await Promise.race([closed, late])).toBe("");
  }
});

test("who uses no TLS on a TLS port, or an old version, is told of in the log, once a minute for each reason", async () => {
  const server = await startServer({ policies, settings: tls });
  onTestFinished(() => server.stop());
  const turnedAway = (): readonly string[] =>
    server
      .logged()
      .map((line) => String(line["message"]))
      .filter((message) => message.startsWith("a client was turned away"));
  const old = { host: "127.0.0.1", minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  for (const address of [portOf(server), server.grpc]) {
    await exchange(address, "POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n");
    await exchange(address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    const [socket] = [connectTls({ ...old, port: Number(address.split(":").at(-1)), rejectUnauthorized: false })];
    await new Promise<void>((resolve) => socket.on("error", () => undefined).on("close", () => resolve()));
  }
  await eventually(turnedAway, (found) => found.length >= 3);
  expect(turnedAway().toSorted((one, other) => one.localeCompare(other))).toEqual([
    "a client was turned away: it offers no TLS version from 1.2 on (logged once a minute)",
    "a client was turned away: it sent plain HTTP to a TLS port: its address must begin with https:// (logged once a minute)",
    "a client was turned away: it sent to a TLS port what is not TLS, such as gRPC without TLS (logged once a minute)",
  ]);
});

describe("a server that knows whose certificates it trusts", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies, settings: { ...tls, "server.tls.caCert": `${folder}/ca.pem` } });
  });
  afterAll(() => server.stop());

  test.each<readonly [sentence: string, pair: Pair | undefined, served: boolean]>([
    ["a client that it knows", known, true],
    ["a client without a certificate", undefined, false],
    ["a client that another authority knows", unknown, false],
  ])("treats %s alike on every way in", async (_sentence, pair, served) => {
    const ways = [
      () => ask(server, identity(pair)).then(({ status }) => status === 200),
      () => callGrpc(server.grpc, identity(pair)).then((code) => code === 0),
      () => callGrpc(portOf(server), identity(pair)).then((code) => code === 0),
    ];
    for (const way of ways) expect(await way().catch(() => false)).toBe(served);
  });

  test("says why it turns somebody away, once a minute for each reason", async () => {
    const turnedAway = (): readonly string[] =>
      server
        .logged()
        .map((line) => String(line["message"]))
        .filter((message) => message.startsWith("a client was turned away"));
    for (const pair of [undefined, own, expired, unknown, unknown, own]) await ask(server, identity(pair)).catch(() => undefined);
    await eventually(turnedAway, (found) => found.length >= 4);
    expect(turnedAway().toSorted((one, other) => one.localeCompare(other))).toEqual([
      "a client was turned away: it showed no certificate (logged once a minute)",
      "a client was turned away: its certificate has expired (logged once a minute)",
      "a client was turned away: its certificate is not for clients: an extendedKeyUsage must name clientAuth (logged once a minute)",
      "a client was turned away: server.tls.caCert does not vouch for its certificate (logged once a minute)",
    ]);
  });
});
