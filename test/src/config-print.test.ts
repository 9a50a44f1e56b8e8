/** `authz config print`: what it prints is a configuration file that says the same, and secrets are not in it. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { printConfig } from "../../src/config/print.ts";
import { isSecretName, mask } from "../../src/config/url-secrets.ts";
import { settingsByKey, type Config } from "../../src/config/settings.ts";
import { temporaryFolder } from "../server/harness.ts";

const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "c.yaml");

function load(text: string | undefined, overrides: readonly string[] = []): Config {
  if (text !== undefined) writeFileSync(file, text);
  const { config, problems } = loadConfig(text === undefined ? undefined : file, overrides, { PLACE: "/srv/p" });
  if (config === undefined) throw new Error(problems.map(({ place, message }) => `${place} ${message}`).join("\n"));
  return config;
}

const hash = Buffer.from(`$2b$10$${"a".repeat(53)}`).toString("base64");

test("the defaults, printed, are the defaults", () => {
  const printed = printConfig(load(""), "all");
  expect(load(printed)).toEqual(load(""));
  const leaves = (tree: object): number =>
    Object.values(tree).reduce(
      (sum: number, part: unknown) => sum + (typeof part === "object" && part !== null && Object.keys(part).length > 0 ? leaves(part) : 1),
      0,
    );
  expect(leaves(parse(printed))).toBe(Object.keys(settingsByKey).length);
});

describe("a configuration, printed, says the same", () => {
  test.each([
    ["addresses", "server: {httpListenAddr: '[::1]:80', grpcListenAddr: 'unix:/run/a b.sock'}"],
    ["permissions and durations", "server: {udsFileMode: 0o600, shutdownTimeout: 1h1m1s1ms, advanced: {http: {idleTimeout: 0}}}"],
    ["a level below debug", "server: {logLevel: V3}"],
    ["lists", "server: {cors: {allowedOrigins: [a, 'true', '5']}}"],
    [
      "texts that look like something else",
      "engine: {defaultPolicyVersion: '017', globals: {a: 'true', b: '1_0', c: '~', d: '0x1', e: '', f: '- x: y', g: '*a', h: '.5', i: '<<', j: '# no'}}",
    ],
    [
      "texts that other readers take for something else",
      "engine: {globals: {a: 'n', b: 'Yes', c: 'off', d: '017', e: '1_0.5', f: '0b1', g: '+.INF', h: {'no': ['y']}}}",
    ],
    ["dollars", "storage: {disk: {directory: '$${PLACE}$$$$x$5'}}"],
    [
      "globals of any shape",
      "engine: {globals: {a: 5, b: 5.5, c: 9223372036854775807, d: [null, true, {e: []}], __proto__: 1, constructor: {x: 1}}}",
    ],
    [
      "key sets that are no secret",
      "auxData: {jwt: {keySets: [{id: a, local: {file: k, pem: true}}, {id: b, remote: {url: 'https://x/k', refreshInterval: 1h}, insecure: {optionalAlg: true}}]}}",
    ],
  ])("%s", (_sentence, text) => {
    const config = load(text);
    for (const which of ["all", "changed"] as const) expect(load(printConfig(config, which))).toEqual(config);
  });

  test("whatever texts its globals hold", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.stringMatching(/^[a-z]{1,5}$/).filter((name) => !["in", "true", "null", "false"].includes(name) && !isSecretName(name)),
          fc.string({ unit: "grapheme" }),
        ),
        (globals) => {
          const text = `engine:\n  globals: ${JSON.stringify(globals).replaceAll("$", "$$$$")}\n`;
          const config = load(text);
          expect({ ...config["engine.globals"] }).toEqual({ ...globals });
          expect(load(printConfig(config, "all"))).toEqual(config);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("only what differs", () => {
  test.each([
    ["nothing", "", [], "# every setting has its default\n"],
    ["without a file, that changes are watched", undefined, [], "storage:\n  disk:\n    watchForChanges: true\n"],
    [
      "what the file changes, and nothing that it repeats",
      "server: {logLevel: debug, workers: 0, tls: {cert: '', key: ''}}",
      [],
      "server:\n  logLevel: debug\n",
    ],
    [
      "an override, and a variable that is put in",
      "storage: {disk: {directory: '${PLACE}'}}",
      ["server.metricsEnabled=false"],
      "server:\n  metricsEnabled: false\nstorage:\n  disk:\n    directory: /srv/p\n",
    ],
  ] as const)("%s", (_sentence, text, overrides, printed) => {
    expect(printConfig(load(text, overrides), "changed")).toBe(printed);
  });
});

test("secrets are masked", () => {
  const config = load(`server: {adminAPI: {adminCredentials: {passwordHash: ${hash}}}}
auxData: {jwt: {keySets: [{id: a, local: {data: c2VjcmV0}}, {id: b, remote: {url: "https://me:secret@x/k"}},
  {id: c, remote: {url: "https://secret@x/k?tenant=a&api-key=secret&sig=secret"}}]}}
storage: {driver: sqlite3, sqlite3: {dsn: "file:/x.db?_fk=1&_auth_user=me&_auth_pass=secret"}}
`);
  const printed = printConfig(config, "all");
  expect(printed).not.toMatch(/secret|c2VjcmV0|JDJi/);
  expect(printed).toContain(`passwordHash: "${mask}"`.replaceAll('"', printed.includes(`"${mask}"`) ? '"' : ""));
  expect(parse(printed)).toMatchObject({
    server: { adminAPI: { adminCredentials: { passwordHash: mask } } },
    auxData: {
      jwt: {
        keySets: [
          { id: "a", local: { data: mask } },
          { id: "b", remote: { url: `https://me:${mask}@x/k` } },
          { id: "c", remote: { url: `https://${mask}@x/k?tenant=a&api-key=${mask}&sig=${mask}` } },
        ],
      },
    },
    storage: { sqlite3: { dsn: `file:/x.db?_fk=1&_auth_user=me&_auth_pass=${mask}` } },
  });
});

test("a global whose name speaks of a secret is masked, others are not", () => {
  const printed = printConfig(
    load("engine: {globals: {webhookToken: s3cret, apiKey: s3cret, limit: 5, password: 7, region: eu}}"),
    "changed",
  );
  expect(parse(printed)).toEqual({ engine: { globals: { webhookToken: mask, apiKey: mask, limit: 5, password: 7, region: "eu" } } });
});

test("wherever in a global such a name stands", () => {
  const written =
    "engine: {globals: {db: {host: a, password: s3cret, hooks: [{url: u, token: s3cret}]}, apiKey: [s3cret, {current: s3cret}]}}";
  expect(parse(printConfig(load(written), "changed"))).toEqual({
    engine: {
      globals: { db: { host: "a", password: mask, hooks: [{ url: "u", token: mask }] }, apiKey: [mask, { current: mask }] },
    },
  });
});

test("a setting whose name speaks of a secret is marked as one", () => {
  const speaking = Object.entries(settingsByKey).filter(([key]) => /password|secret|token$|hash/i.test(key));
  expect(speaking.map(([key, { isSecret }]) => [key, isSecret])).toEqual([
    ["server.adminAPI.adminCredentials.passwordHash", true],
    ["storage.git.https.password", true],
    ["storage.git.ssh.password", true],
    ["storage.bundle.password", true],
  ]);
});
