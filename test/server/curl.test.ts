/** The service as curl meets it: plain, over TLS with and without a certificate, through a socket file, over HTTP/2, compressed. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAuthority } from "./certificates.ts";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { runAside } from "./run-aside.ts";

const authority = makeAuthority("Curl");
const [own, client] = [authority.issue({ names: ["localhost"] }), authority.issue({ names: ["caller"], client: true })];
const folder = temporaryFolder({
  "ca.pem": authority.certificate,
  "own.pem": own.certificate,
  "own.key": own.key,
  "client.pem": client.certificate,
  "client.key": client.key,
});
const file = (name: string): string => join(folder, name);

let plain: TestServer;
let secure: TestServer;
let hidden: TestServer;
beforeAll(async () => {
  const policies = { "expense.yaml": expensePolicy };
  const tls = { "server.tls.cert": file("own.pem"), "server.tls.key": file("own.key"), "server.tls.caCert": file("ca.pem") };
  plain = await startServer({ policies });
  secure = await startServer({ policies, settings: { ...tls, "server.httpListenAddr": "localhost:0" } });
  hidden = await startServer({ policies, settings: { "server.httpListenAddr": `unix:${file("socket")}` } });
});
afterAll(async () => {
  await Promise.all([plain, secure, hidden].map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const json = ["-H", "content-type: application/json", "-d", JSON.stringify(request)];
const withClient = (): readonly string[] => ["--cacert", file("ca.pem"), "--cert", file("client.pem"), "--key", file("client.key")];
const port = (server: TestServer): string => /\d+$/.exec(server.http)?.[0] ?? "";
const check = "/api/check/resources";

type Row = readonly [sentence: string, argv: () => readonly string[], code: number, text: string];
const rows: readonly Row[] = [
  ["a check", () => [...json, plain.http + check], 0, '"view":"EFFECT_ALLOW"'],
  ["a check to read", () => [...json, `${plain.http + check}?pretty`], 0, '"view": "EFFECT_ALLOW"'],
  ["health", () => [`${plain.http}/_authz/health`], 0, '{"status":"SERVING"}'],
  ["what there is not", () => ["--fail", `${plain.http}/nowhere`], 22, ""],
  ["metrics, compressed", () => ["--compressed", `${plain.http}/_authz/metrics`], 0, "authz_dev_engine_check_latency"],
  ["a check over HTTP/2", () => ["--http2-prior-knowledge", ...json, plain.http + check], 0, '"view":"EFFECT_ALLOW"'],
  ["a check with a certificate", () => [...withClient(), ...json, `https://localhost:${port(secure)}${check}`], 0, '"view":"EFFECT_ALLOW"'],
  ["a check without a certificate", () => ["--cacert", file("ca.pem"), ...json, `https://localhost:${port(secure)}${check}`], 56, ""],
  ["a check of a server that it does not know", () => [...json, `https://localhost:${port(secure)}${check}`], 60, ""],
  [
    "a check through a socket file",
    () => ["--unix-socket", file("socket"), ...json, `http://localhost${check}`],
    0,
    '"view":"EFFECT_ALLOW"',
  ],
];

if (spawnSync("curl", ["--version"]).status !== 0) console.warn("left out: the service as curl meets it, because there is no curl");
else
  test.each(rows)("curl gets %s", async (_sentence, argv, code, text) => {
    const got = await runAside("curl", ["--silent", "--max-time", "20", ...argv()]);
    expect([got.code, got.stdout.includes(text)]).toEqual([code, true]);
  });
test("so does any other client", async () => expect((await plain.post(check, request)).status).toBe(200));
