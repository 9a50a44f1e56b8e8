/** `authz config validate` on files that are wrong: every mistake at once, each where it stands, and no secret in any of them. */
import { writeFileSync, rmSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { temporaryFolder } from "../server/harness.ts";

const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true }));

async function validate(text: string, more: readonly string[] = []): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const file = join(folder, "authz.yaml");
  writeFileSync(file, text);
  let [out, err] = ["", ""];
  const line = { out: (written: string) => void (out += written), err: (written: string) => void (err += written), terminal: false };
  const code = await run(["config", "validate", file, ...more], { ...line, environment: {} });
  return { code, lines: (out + err).replaceAll(`${folder}/`, "").trimEnd().split("\n") };
}

test("twelve mistakes are twelve, each with its line and column", async () => {
  const { code, lines } = await validate(`server:
  httpListenAddr: localhost
  requestLimit:
    maxActionsPerResource: 10
  requestLimits:
    maxResourcesPerRequest: 501
  shutdownTimeout: -5s
  metricsEnabled: maybe
  logLevel: info
  logLevel: debug
servr:
  workers: 1
engine:
  globals:
    max-amount: 1000
schema:
  enforcement: sometimes
storage:
  driver: sqlite
  disk:
    directory: \${POLICIES_DIRECTORY}
  sqlite:
    path: policies.db
  sqlite3:
    dsn: file:policies.db
audit:
  enabled: true
  backend: local
`);
  expect(lines).toEqual([
    "authz.yaml:2:19: error: `server.httpListenAddr` must be host:port, :port or unix:/path",
    "authz.yaml:3:3: error: unknown key `server.requestLimit`",
    "  = hint: did you mean `server.requestLimits`?",
    "authz.yaml:6:29: error: `server.requestLimits.maxResourcesPerRequest` must be a whole number from 1 to 500",
    "authz.yaml:7:20: error: `server.shutdownTimeout` must be a duration such as 10s or 1h30m, from 0s to 596h",
    "authz.yaml:8:19: error: `server.metricsEnabled` must be true or false",
    "authz.yaml:10:3: error: `logLevel` is already given at 9:3",
    "  = hint: keep one of the two",
    "authz.yaml:11:1: error: unknown key `servr`",
    "  = hint: did you mean `server`?",
    "authz.yaml:15:5: error: no condition can use the name `max-amount`",
    "  = hint: a name consists of letters, digits and underscores, and does not begin with a digit",
    "authz.yaml:17:16: error: `schema.enforcement` must be none, warn or reject",
    "authz.yaml:21:16: error: the environment variable `POLICIES_DIRECTORY` is not set",
    "authz.yaml:23:5: error: `storage.sqlite.path` and `storage.sqlite3.dsn` exclude each other",
    "  = hint: they name the same thing: keep `storage.sqlite.path`",
    "authz.yaml:28:3: error: `audit.backend: local` needs `audit.local.storagePath`",
    "  = hint: name a folder for the entries",
    "authz: error: 12 mistakes in the configuration",
  ]);
  expect(code).toBe(1);
});

describe("what settings must be true of each other", () => {
  const hash = Buffer.from(`$2b$10$${"a".repeat(53)}`).toString("base64");
  const cases: readonly (readonly [sentence: string, text: string, told: readonly string[]])[] = [
    ["a certificate without its key", "server: {tls: {cert: a}}", ["1:16: error: `server.tls.cert` needs `server.tls.key` beside it"]],
    ["a key without its certificate", "server: {tls: {key: a}}", ["1:16: error: `server.tls.key` needs `server.tls.cert` beside it"]],
    [
      "authorities of clients without TLS",
      "server: {tls: {caCert: a}}",
      ["1:16: error: `server.tls.caCert` needs `server.tls.cert` beside it"],
    ],
    [
      "audit entries that no string can be as long as",
      "audit: {maxEntrySize: 268435457}",
      ["1:23: error: `audit.maxEntrySize` must be a whole number from 1024 to 268435456"],
    ],
    ["audit entries as long as may be", "audit: {maxEntrySize: 268435456}", []],
    ["a certificate and its key", "server: {tls: {cert: a, key: b}}", []],
    [
      "a key that is there but wrong is not called missing",
      "server: {tls: {cert: a, key: [b]}}",
      ["1:30: error: `server.tls.key` must be a string"],
    ],
    [
      "an administrator without a password",
      "server: {adminAPI: {enabled: true}}",
      ["1:21: error: `server.adminAPI.enabled` needs `server.adminAPI.adminCredentials.passwordHash`: there is no default password"],
    ],
    ["an administrator with one", `server: {adminAPI: {enabled: true, adminCredentials: {passwordHash: ${hash}}}}`, []],
    [
      "two listeners at one address",
      "server: {httpListenAddr: ':80', grpcListenAddr: ':80'}",
      ["1:33: error: `server.grpcListenAddr` and `server.httpListenAddr` are the same address"],
    ],
    [
      "one listener at the default of the other",
      "server: {httpListenAddr: ':3593'}",
      ["`server.grpcListenAddr` and `server.httpListenAddr` are the same address"],
    ],
    [
      "one listener at an interface of the other",
      "server: {httpListenAddr: ':80', grpcListenAddr: '127.0.0.1:80'}",
      ["1:33: error: `server.grpcListenAddr` and `server.httpListenAddr` lead to the same address"],
    ],
    [
      "two listeners at one socket file",
      "server: {httpListenAddr: 'unix:/run/a.sock', grpcListenAddr: 'unix:/run/./a.sock'}",
      ["`server.grpcListenAddr` and `server.httpListenAddr` lead to the same address"],
    ],
    ["two listeners at one port of two interfaces", "server: {httpListenAddr: '127.0.0.1:80', grpcListenAddr: '127.0.0.2:80'}", []],
    ["a listener at a name that may lead elsewhere", "server: {httpListenAddr: '0.0.0.0:80', grpcListenAddr: 'localhost:80'}", []],
    ["two listeners at one port of two kinds of interfaces", "server: {httpListenAddr: '0.0.0.0:80', grpcListenAddr: '[::1]:80'}", []],
    ["two listeners at ports that the system chooses", "server: {httpListenAddr: 'a:0', grpcListenAddr: 'a:0'}", []],
    [
      "one listener at an address that is none",
      "server: {httpListenAddr: 'x', grpcListenAddr: 'x'}",
      [
        "1:26: error: `server.httpListenAddr` must be host:port, :port or unix:/path",
        "1:47: error: `server.grpcListenAddr` must be host:port, :port or unix:/path",
      ],
    ],
    ...["yes", "Off", "n", "1e3", ".NaN"].map((value): (typeof cases)[number] => [
      `a global that readers of YAML read differently, ${value}`,
      `engine: {globals: {a: {b: [${value}]}}}`,
      ["1:28: error: this is a string here, and "],
    ]),
    ["one that none can read", "engine: {globals: {a: 18446744073709551615}}", ["1:23: error: this number is too large for an integer"]],
    ["globals that all read alike", "engine: {globals: {a: 'yes', b: 1.5, c: 2024-01-31, d: 1.2.3, e: true, f: -3, g: 10.0.0.1}}", []],
    [
      "lines that end for some alone",
      "engine: {}\n# a\rserver: {}",
      ["2:4: error: not YAML: a carriage return stands here without a line feed"],
    ],
    [
      "two names of one database",
      "storage: {sqlite: {path: a}, sqlite3: {dsn: 'file:a'}}",
      ["1:20: error: `storage.sqlite.path` and `storage.sqlite3.dsn` exclude each other"],
    ],
    ["a database without a name", "storage: {driver: sqlite}", ["1:11: error: `storage.driver: sqlite` needs `storage.sqlite.path`"]],
    ["one by the other name", "storage: {driver: sqlite3}", ["1:11: error: `storage.driver: sqlite3` needs `storage.sqlite.path`"]],
    ["one with a source name", "storage: {driver: sqlite3, sqlite3: {dsn: 'file:a'}}", []],
    [
      "an administrator whose name ends too soon",
      "server: {adminAPI: {adminCredentials: {username: 'a:b'}}}",
      ["1:50: error: `server.adminAPI.adminCredentials.username` must be a name without a colon"],
    ],
    [
      "hosts that no address has",
      "schema: {allowedHosts: [EXAMPLE.com, 'example.com:8080', '[::1]:80', 'http://example.com']}",
      ["`schema.allowedHosts` must be a list of hosts such as example.com or example.com:8080"],
    ],
    ["hosts", "schema: {allowedHosts: [EXAMPLE.com, 'example.com:8080', '[::1]:80']}", []],
    [
      "a local audit log without a folder",
      "audit: {enabled: true, backend: local}",
      ["1:24: error: `audit.backend: local` needs `audit.local.storagePath`"],
    ],
    ["one that is switched off", "audit: {enabled: false, backend: local}", []],
    ["one with a folder", "audit: {enabled: true, backend: local, local: {storagePath: a}}", []],
  ];
  test.each(cases)("%s", async (_sentence, text, told) => {
    const { code, lines } = await validate(text);
    expect(code).toBe(told.length === 0 ? 0 : 1);
    for (const each of told)
      expect(
        lines.some((line) => line.includes(each)),
        `${each}\n${lines.join("\n")}`,
      ).toBe(true);
    expect(lines.filter((line) => /: error: /.test(line) && !line.startsWith("authz: "))).toHaveLength(told.length);
  });
});

describe("a secret is in no message", () => {
  const secret = "hunter2hunter2";
  test.each([
    ["a hash that is none", `server: {adminAPI: {adminCredentials: {passwordHash: ${secret}}}}`, []],
    ["a hash that is a list", `server: {adminAPI: {adminCredentials: {passwordHash: [${secret}]}}}`, []],
    ["a mistyped key", `server: {adminAPI: {adminCredentials: {passwordHas: ${secret}}}}`, []],
    ["a key set's data that is not base64", `auxData: {jwt: {keySets: [{id: a, local: {data: "${secret}!"}}]}}`, []],
    ["a hash given twice", `server: {adminAPI: {adminCredentials: {passwordHash: ${secret}, passwordHash: ${secret}}}}`, []],
    ["a hash that looks like an alias", `server: {adminAPI: {adminCredentials: {passwordHash: *${secret}}}}`, []],
    [
      "a hash that looks like an anchor",
      `server: {adminAPI: {adminCredentials: {passwordHash: &${secret} a, username: &${secret} b}}}`,
      [],
    ],
    ["a hash that looks like a variable", `server: {adminAPI: {adminCredentials: {passwordHash: "\${ ${secret} }"}}}`, []],
    ["a hash that looks like the start of one", `server: {adminAPI: {adminCredentials: {passwordHash: "\${ ${secret}"}}}`, []],
    ["a hash that breaks the file", `server: {adminAPI: {adminCredentials: {passwordHash: "${secret}" ${secret}}}}`, []],
    ["an override", "", ["--set", `server.adminAPI.adminCredentials.passwordHash=${secret}`]],
    ["a mistyped override", "", ["--set", `server.adminAPI.adminCredentials.passwordHas=${secret}`]],
    ["an override with a comma in it", "", ["--set", `server.adminAPI.adminCredentials.passwordHash=a,${secret}`]],
    ["an override without a key", "", ["--set", `=${secret}`]],
  ] as const)("%s", async (_sentence, text, more) => {
    const { code, lines } = await validate(text, more);
    expect([code, lines.filter((line) => line.includes(secret))]).toEqual([1, []]);
    expect(readFileSync(join(folder, "authz.yaml"), "utf8") + more.join(" ")).toContain(secret);
  });
});
