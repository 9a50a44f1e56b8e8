/** `authz healthcheck`: whom it asks and trusts, what it presents, and with which code it exits. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { makeAuthority } from "../server/certificates.ts";
import { startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { expensePolicy } from "../server/policies.ts";
import { startProgram } from "../server/process.ts";

const authority = makeAuthority();
const stranger = makeAuthority("Somebody else");
const local = authority.issue({ names: ["127.0.0.1", "localhost"] });
const elsewhere = authority.issue({ names: ["authz.example.com"] });
const client = authority.issue({ names: ["a client"], client: true });
const unknown = stranger.issue({ names: ["a stranger"], client: true });

const folder = temporaryFolder({
  "local.pem": local.certificate,
  "local.key": local.key,
  "elsewhere.pem": elsewhere.certificate,
  "elsewhere.key": elsewhere.key,
  "ca.pem": authority.certificate,
  "stranger.pem": stranger.certificate,
  "client.pem": client.certificate,
  "client.key": client.key,
  "chain.pem": client.certificate + authority.certificate,
  "chain.key": client.key,
  "unknown.pem": unknown.certificate,
  "unknown.key": unknown.key,
  "text.pem": "nothing to see",
});
const policies = { "expense.yaml": expensePolicy };
const pair = (name: string) => ({ "server.tls.cert": join(folder, `${name}.pem`), "server.tls.key": join(folder, `${name}.key`) });

const servers = new Map<string, TestServer>();
let silent: Server;
beforeAll(async () => {
  chmodSync(folder, 0o700);
  const start = async (name: string, settings: Readonly<Record<string, string>>): Promise<void> =>
    void servers.set(name, await startServer({ policies, settings }));
  await start("plain", {});
  await start("tls", pair("local"));
  await start("elsewhere", pair("elsewhere"));
  await start("mutual", { ...pair("local"), "server.tls.caCert": join(folder, "ca.pem") });
  await start("unix", { "server.httpListenAddr": `unix:${folder}/http.sock`, "server.grpcListenAddr": `unix:${folder}/grpc.sock` });
  await start("unixTls", {
    ...pair("elsewhere"),
    "server.httpListenAddr": `unix:${folder}/https.sock`,
    "server.grpcListenAddr": `unix:${folder}/grpcs.sock`,
  });
  silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(join(folder, "silent.sock"), resolve));
});
afterAll(async () => {
  silent.close();
  for (const server of servers.values()) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What Node's servers do says no more: they end the connection without a word. */
const notAccepted =
  /the server hung up: perhaps it does not accept the client certificate: its server\.tls\.caCert must have signed it, and an extendedKeyUsage must name clientAuth$/m;

const untrusted = /: its certificate is not signed by a trusted authority \(--ca-cert names one to trust\)$/m;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command; `{tls}` is where the server of that name listens, `DIR` the folder of this test. */
async function healthcheck(words: string, environment: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  let [out, err] = ["", ""];
  const kind = /--kind=(\w+)/.exec(words)?.[1] ?? environment["AUTHZ_HC_KIND"] ?? "grpc";
  const here = (word: string): string =>
    word.replaceAll("DIR", folder).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const server = servers.get(name);
      return (kind === "http" ? server?.http.replace("http://", "") : server?.grpc) ?? "";
    });
  const argv = ["healthcheck", ...words.split(" ").filter((word) => word !== "")].map(here);
  const line = { out: (text: string) => void (out += text), err: (text: string) => void (err += text), terminal: false };
  const code = await run(argv, {
    ...line,
    environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)])),
  });
  return { code, out, err: err.replaceAll(folder, "DIR") };
}

describe.each(["grpc", "http"] as const)("over %s", (kind) => {
  const said = kind === "http" ? '{"status":"SERVING"}\n' : "SERVING\n";
  const healthy: readonly (readonly [sentence: string, words: string, environment?: Readonly<Record<string, string>>])[] = [
    ["a server without TLS", "--host-port={plain} --no-tls"],
    ["one whose authority is given", "--host-port={tls} --ca-cert=DIR/ca.pem"],
    ["one whose own certificate is given", "--host-port={tls} --ca-cert=DIR/local.pem"],
    ["one that nobody vouches for, unverified", "--host-port={elsewhere} --insecure"],
    [
      "one that wants to know who asks",
      "--host-port={mutual} --ca-cert=DIR/ca.pem --client-cert=DIR/client.pem --client-key=DIR/client.key",
    ],
    ["a socket file", `--host-port=unix:DIR/${kind}.sock --no-tls`],
    ["a socket file with TLS", `--host-port=unix:DIR/${kind}s.sock --insecure`],
    ["everything in the environment", "", { AUTHZ_HC_HOSTPORT: "{plain}", AUTHZ_HC_NOTLS: "true", AUTHZ_HC_TIMEOUT: "5s" }],
    [
      "what is empty in the environment, as if it were not there",
      "",
      {
        AUTHZ_HC_HOSTPORT: "{plain}",
        AUTHZ_HC_NOTLS: "true",
        ...Object.fromEntries(
          ["CONFIG", "HC_TIMEOUT", "HC_INSECURE", "HC_CACERT", "HC_CLIENTCERT", "HC_CLIENTKEY"].map((name) => [`AUTHZ_${name}`, ""]),
        ),
      },
    ],
    ["one within a time that is no whole number of milliseconds", "--host-port={plain} --no-tls --timeout=10000500us"],
    ["one within a time that no timer can measure", "--host-port={plain} --no-tls --timeout=2000h"],
    ["an unverified one by the environment", "--host-port={tls}", { AUTHZ_HC_INSECURE: "1" }],
    [
      "certificates in the environment",
      "--host-port={mutual}",
      { AUTHZ_HC_CACERT: "DIR/ca.pem", AUTHZ_HC_CLIENTCERT: "DIR/client.pem", AUTHZ_HC_CLIENTKEY: "DIR/client.key" },
    ],
    [
      "a flag that wins over the environment",
      "--host-port={plain} --no-tls",
      { AUTHZ_HC_HOSTPORT: "127.0.0.1:1", AUTHZ_CONFIG: "DIR/no.yaml" },
    ],
    [
      "every flag that wins over the environment",
      "--host-port={mutual} --ca-cert=DIR/ca.pem --client-cert=DIR/client.pem --client-key=DIR/client.key --timeout=10s",
      {
        AUTHZ_HC_KIND: kind === "http" ? "grpc" : "http",
        AUTHZ_HC_CACERT: "DIR/stranger.pem",
        AUTHZ_HC_CLIENTCERT: "DIR/unknown.pem",
        AUTHZ_HC_CLIENTKEY: "DIR/unknown.key",
        AUTHZ_HC_TIMEOUT: "1ms",
      },
    ],
  ];
  const cases = healthy.map(([sentence, words, environment = {}]) => [sentence, words, environment] as const);
  test.each(cases)("finds %s healthy", async (_, words, environment) => {
    const way = environment["AUTHZ_HC_HOSTPORT"] === "{plain}" ? { ...environment, AUTHZ_HC_KIND: kind } : environment;
    expect(await healthcheck(`${words}${way === environment ? ` --kind=${kind}` : ""}`, way)).toEqual({ code: 0, out: said, err: "" });
  });

  test("variables by their names in Cerbos are not read, and that is told", async () => {
    const former = { CERBOS_HC_KIND: "http", CERBOS_HC_HOSTPORT: "127.0.0.1:1", CERBOS_HC_NOTLS: "true", CERBOS_HC_TIMEOUT: "1ms" };
    const { code, out, err } = await healthcheck(`--host-port={plain} --kind=${kind} --timeout=10s`, { ...former, AUTHZ_HC_NOTLS: "true" });
    expect([code, out, err]).toEqual([0, said, ""]);
    const without = await healthcheck("--host-port={plain} --no-tls", { ...former, CERBOS_CONFIG: "pdp.yaml", AUTHZ_HC_KIND: kind });
    expect(without).toEqual({ code: 0, out: said, err: "warning: CERBOS_HC_TIMEOUT is not read: set AUTHZ_HC_TIMEOUT\n" });
  });

  test.each([
    ["one whose certificate another authority signed", "--host-port={tls} --ca-cert=DIR/stranger.pem", untrusted],
    ["one whose certificate is for another name", "--host-port={elsewhere} --ca-cert=DIR/ca.pem", /altnames|127\.0\.0\.1/],
    ["one that the machine does not trust", "--host-port={tls}", untrusted],
    [
      "one that wants to know who asks, and nobody says",
      "--host-port={mutual} --ca-cert=DIR/ca.pem",
      /(hung up: perhaps it|the server) requires a client certificate \(--client-cert and --client-key\)$/m,
    ],
    [
      "one to which a stranger comes",
      "--host-port={mutual} --ca-cert=DIR/ca.pem --client-cert=DIR/unknown.pem --client-key=DIR/unknown.key",
      notAccepted,
    ],
    [
      "one to which a certificate is shown that is for servers alone",
      "--host-port={mutual} --ca-cert=DIR/ca.pem --client-cert=DIR/local.pem --client-key=DIR/local.key",
      notAccepted,
    ],
    ["nothing", "--host-port=127.0.0.1:1 --no-tls", /: 127\.0\.0\.1:1: nothing listens there$/m],
    ["a socket file that is not there", "--host-port=unix:DIR/no.sock --no-tls", /no\.sock: there is no such socket$/m],
    ["a host that nobody knows", "--host-port=nobody.invalid:1 --no-tls", /: nobody\.invalid:1: its name is not known$/m],
    [
      "one with TLS, asked without",
      "--host-port={tls} --no-tls",
      /: the server hung up: perhaps it uses TLS \(then leave out --no-tls or AUTHZ_HC_NOTLS\)$/m,
    ],
    [
      "a server that says nothing",
      "--host-port=unix:DIR/silent.sock --no-tls --timeout=300ms",
      /: unix:DIR\/silent\.sock did not answer within 300 ms$/m,
    ],
    [
      "one that says nothing when TLS begins",
      "--host-port=unix:DIR/silent.sock --insecure --timeout=300ms",
      /DEADLINE_EXCEEDED|did not answer within 300 ms|UNAVAILABLE/,
    ],
  ])("does not find %s healthy", async (_, words, says) => {
    const { code, out, err } = await healthcheck(`${words} --kind=${kind}`);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^authz: error: the server is not healthy: [^\n]+\n$/);
    expect(err).toMatch(says);
  });

  test("the configuration says where the server is, and the pair it uses there", async () => {
    const addresses = (name: string): string => {
      const server = servers.get(name);
      return `server:\n  httpListenAddr: ${server?.http.replace("http://", "")}\n  grpcListenAddr: ${server?.grpc}\n`;
    };
    const tls = (name: string, more = ""): string => `  tls: { cert: ${folder}/${name}.pem, key: ${folder}/${name}.key${more} }\n`;
    const files = temporaryFolder({
      "plain.yaml": addresses("plain"),
      "tls.yaml": addresses("tls") + tls("local"),
      "elsewhere.yaml": addresses("elsewhere") + tls("elsewhere"),
      "other.yaml": addresses("elsewhere") + tls("client"),
      "chain.yaml": addresses("elsewhere") + tls("chain"),
      "unix.yaml": `server:\n  httpListenAddr: unix:${folder}/http.sock\n  grpcListenAddr: unix:${folder}/grpc.sock\n`,
      "unixtls.yaml": `server:\n  httpListenAddr: unix:${folder}/https.sock\n  grpcListenAddr: unix:${folder}/grpcs.sock\n${tls("elsewhere")}`,
    });
    const codeOf = async (name: string): Promise<number> => (await healthcheck(`--config=${files}/${name}.yaml --kind=${kind}`)).code;
    expect(await Promise.all(["plain", "tls", "elsewhere", "unix", "unixtls"].map(codeOf))).toEqual([0, 0, 0, 0, 0]);
    expect(await codeOf("other")).toBe(1);
    // The authority that signed both does not make one server the other.
    expect(await codeOf("chain")).toBe(1);
    for (const name of ["other", "chain"])
      expect((await healthcheck(`--config=${files}/${name}.yaml --kind=${kind}`)).err).toMatch(
        /: the server shows another certificate than that of the configuration \(server\.tls\.cert\)$/m,
      );
    const environment = { AUTHZ_CONFIG: `${files}/other.yaml` };
    expect((await healthcheck(`--config=${files}/plain.yaml --kind=${kind}`, environment)).code).toBe(0);
    expect((await healthcheck(`--kind=${kind}`, environment)).code).toBe(1);
    rmSync(files, { recursive: true });
  });
});

test.each<[sentence: string, answer: (to: Socket) => void, says: RegExp]>([
  [
    "a page of whoever else listens there",
    (to) => to.end("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>"),
    /answers 200, and nothing about its health: <html><\/html>$/m,
  ],
  [
    "the health of another protocol",
    (to) => to.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    /answers 101$/m,
  ],
  [
    "half of an answer",
    (to) => to.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":"SERVING"}', () => void setTimeout(() => to.destroy(), 20)),
    /: the answer was cut off$/m,
  ],
  ["an answer that does not end", (to) => to.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), /did not answer within 300 ms$/m],
])("%s is not healthy, and it is said why", async (_, answer, says) => {
  const other = createServer((socket) => void socket.on("error", () => undefined).once("data", () => answer(socket)));
  await new Promise<void>((resolve) => other.listen(join(folder, "other.sock"), resolve));
  const { code, out, err } = await healthcheck("--host-port=unix:DIR/other.sock --no-tls --kind=http --timeout=300ms");
  await new Promise((resolve) => other.close(resolve));
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(says);
});

test.each([
  ["--config=a.yaml --host-port=a:1", 80, /'--config <file>' cannot be used with option '--host-port/],
  ["--config=a.yaml --no-tls", 80, /'--config <file>' cannot be used with option '--no-tls'/],
  ["--config=a.yaml --ca-cert=a.pem", 80, /'--config <file>' cannot be used with option '--ca-cert/],
  ["--config=a.yaml --client-cert=a.pem", 80, /'--config <file>' cannot be used with option '--client-cert/],
  ["--config=a.yaml --client-key=a.key", 80, /'--config <file>' cannot be used with option '--client-key/],
  ["--client-cert=DIR/client.pem", 80, /'--client-cert <file>' needs '--client-key <file>' beside it/],
  ["--client-key=DIR/client.key", 80, /'--client-key <file>' needs '--client-cert <file>' beside it/],
  ["--kind=udp", 80, /Allowed choices are grpc, http/],
  ["--timeout=soon", 80, /It must be a duration such as 2s/],
  ["--timeout=0s", 80, /It must be a duration such as 2s/],
  ["more", 80, /too many arguments/],
  ["--host-port=nowhere", 1, /`nowhere` is not an address/],
  ["--config=DIR/no.yaml", 1, /DIR\/no\.yaml/],
  ["--ca-cert=DIR/no.pem", 1, /the certificate `DIR\/no\.pem` cannot be read/],
  ["--ca-cert=DIR/text.pem", 1, /`DIR\/text\.pem` holds no certificate/],
])("healthcheck %s exits with %d", async (words, code, says) => {
  const found = await healthcheck(words);
  expect([found.code, found.out]).toEqual([code, ""]);
  expect(found.err).toMatch(says);
});

test.each([
  ["AUTHZ_HC_KIND", "udp", /AUTHZ_HC_KIND is `udp`/],
  ["AUTHZ_HC_TIMEOUT", "soon", /AUTHZ_HC_TIMEOUT is `soon`/],
])("the variable %s=%s is refused like the flag", async (name, value, says) => {
  const found = await healthcheck("", { [name]: value });
  expect(found.code).toBe(80);
  expect(found.err).toMatch(says);
});

/** Orchestrators start it every few seconds: what it loads is what a health check costs a server's machine. */
test.each([
  ["http", ["commander"]],
  ["grpc", ["@bufbuild/protobuf", "@grpc/grpc-js", "@js-sdsl/ordered-map", "commander"]],
] as const)("over %s it loads no package but these: %s", async (kind, packages) => {
  const traces = join(folder, `loaded-${kind}`);
  mkdirSync(traces);
  const server = servers.get("plain");
  const address = (kind === "http" ? server?.http.replace("http://", "") : server?.grpc) ?? "";
  // What Node writes there names every script that was run.
  const { exited } = startProgram(["healthcheck", `--kind=${kind}`, `--host-port=${address}`, "--no-tls"], {
    environment: { NODE_V8_COVERAGE: traces },
  });
  expect(await exited).toMatchObject({ code: 0 });
  const loaded = readdirSync(traces).map((name) => readFileSync(join(traces, name), "utf8"));
  const names = loaded.flatMap((text) =>
    Array.from(text.matchAll(/"url":"[^"]*\/node_modules\/((?:@[^/"]+\/)?[^/"]+)/g), ([, name]) => name),
  );
  expect(new Set(names)).toEqual(new Set(packages));
});
