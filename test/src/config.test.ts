/** Configuration: a file, overrides and environment -> settings, or every problem with its place. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadConfig, type LoadedConfig } from "../../src/config/load.ts";
import { unsupportedKeys } from "../../src/config/unsupported-keys.ts";
import { parseDuration, printDuration } from "../../src/config/duration.ts";
import { areConflicting, parseAddress, printAddress } from "../../src/config/address.ts";
import { expand } from "../../src/config/expand.ts";
import { settings, type Config, type SettingKey } from "../../src/config/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "authz-config-"));
afterAll(() => rmSync(folder, { recursive: true }));
const environment = { PORT: "4000", YES: "true", EMPTY: "", DIRECTORY: "/srv/p", NUMBER: "7", LETTER: "a", SECRET: "hunter2!" };

function load(text: string | undefined, overrides: readonly string[] = []): LoadedConfig {
  if (text === undefined) return loadConfig(undefined, overrides, environment);
  const file = join(folder, "c.yaml");
  writeFileSync(file, text);
  const { problems, ...rest } = loadConfig(file, overrides, environment);
  return { ...rest, problems: problems.map((problem) => ({ ...problem, place: problem.place.replace(`${folder}/`, "") })) };
}

describe("what is read", () => {
  const cases: readonly (readonly [
    sentence: string,
    text: string | undefined,
    overrides: readonly string[],
    key: SettingKey,
    value: unknown,
  ])[] = [
    ["nothing at all means the defaults", undefined, [], "storage.disk.directory", "policies"],
    ["without a file changes are watched", undefined, [], "storage.disk.watchForChanges", true],
    ["with a file they are not, unless it says so", "server:\n", [], "storage.disk.watchForChanges", false],
    ["an empty file is a file", "", [], "storage.disk.watchForChanges", false],
    ["an override without a value", "storage: {disk: {directory: x}}\n", ["storage.disk.directory="], "storage.disk.directory", "policies"],
    ["an override alone is no file", undefined, ["storage.disk.directory=x"], "storage.disk.watchForChanges", true],
    [
      "an address with a host",
      "server:\n  httpListenAddr: 127.0.0.1:80\n",
      [],
      "server.httpListenAddr",
      { kind: "tcp", host: "127.0.0.1", port: 80 },
    ],
    [
      "an address of a socket",
      "server:\n  grpcListenAddr: unix:/run/a.sock\n",
      [],
      "server.grpcListenAddr",
      { kind: "unix", path: "/run/a.sock" },
    ],
    [
      "key sets of every kind",
      `auxData:
  jwt:
    keySets:
      - {id: a, local: {data: "e30K", pem: true}, insecure: {optionalAlg: true}}
      - {id: b, local: {file: k.json}}
      - {id: c, remote: {url: "https://x/keys", refreshInterval: 1h}}
      - {id: d, remote: {url: "https://x/keys"}, insecure: {optionalKid: true}}
`,
      [],
      "auxData.jwt.keySets",
      [
        { id: "a", source: { kind: "data", text: "{}\n", pem: true }, optionalAlg: true, optionalKid: false },
        { id: "b", source: { kind: "file", path: "k.json", pem: false }, optionalAlg: false, optionalKid: false },
        {
          id: "c",
          source: { kind: "remote", url: "https://x/keys", refreshMilliseconds: 3_600_000 },
          optionalAlg: false,
          optionalKid: false,
        },
        { id: "d", source: { kind: "remote", url: "https://x/keys", refreshMilliseconds: 0 }, optionalAlg: false, optionalKid: true },
      ],
    ],
    ["a list of words", "schema: {allowRefs: [store, file]}\n", [], "schema.allowRefs", ["store", "file"]],
    ["one word as a list of one", undefined, ["schema.allowRefs=file"], "schema.allowRefs", ["file"]],
    ["a duration in milliseconds", "server: {shutdownTimeout: 1m30s}\n", [], "server.shutdownTimeout", 90_000],
    ["a level below debug", "server: {logLevel: V2}\n", [], "server.logLevel", "trace"],
    ["a level in capitals", "server: {logLevel: WARN}\n", [], "server.logLevel", "warn"],
    ["a number as a text", "engine: {defaultPolicyVersion: 20210210}\n", [], "engine.defaultPolicyVersion", "20210210"],
    [
      "globals of any shape",
      "engine:\n  globals:\n    region: eu\n    limits: {max: 5, tags: [a, null]}\n",
      [],
      "engine.globals",
      { region: "eu", limits: { max: 5n, tags: ["a", null] } },
    ],
    ["a global from the command line", "engine:\n  globals: {a: 1}\n", ["engine.globals.b=true"], "engine.globals", { a: 1n, b: true }],
    ["an alias", "engine: {defaultScope: &d p1}\nstorage: {disk: {directory: *d}}\n", [], "storage.disk.directory", "p1"],
    ["a variable", "storage:\n  disk:\n    directory: ${DIRECTORY}\n", [], "storage.disk.directory", "/srv/p"],
    [
      "a variable inside a text",
      "server:\n  httpListenAddr: 127.0.0.1:${PORT}\n",
      [],
      "server.httpListenAddr",
      { kind: "tcp", host: "127.0.0.1", port: 4000 },
    ],
    ["a quoted variable of another type", 'storage:\n  disk:\n    watchForChanges: "${YES}"\n', [], "storage.disk.watchForChanges", true],
    [
      "a variable as a number",
      "server:\n  requestLimits:\n    maxActionsPerResource: ${NUMBER}\n",
      [],
      "server.requestLimits.maxActionsPerResource",
      7,
    ],
    [
      "a default for a variable that is not set",
      "storage:\n  disk:\n    directory: ${NOPE:/var/a:b}\n",
      [],
      "storage.disk.directory",
      "/var/a:b",
    ],
    ["an override wins over the file", "storage: {disk: {directory: a}}\n", ["storage.disk.directory=b"], "storage.disk.directory", "b"],
    ["the last override wins", undefined, ["storage.disk.directory=a", "storage.disk.directory=b"], "storage.disk.directory", "b"],
    ["several overrides in one", undefined, ["engine.defaultScope=acme,storage.disk.directory=b"], "storage.disk.directory", "b"],
    ["a comma in an override", undefined, ["storage.disk.directory=a\\,b"], "storage.disk.directory", "a,b"],
    ["an equals sign in an override", undefined, ["storage.disk.directory=a=b"], "storage.disk.directory", "a=b"],
    ["a variable in an override", undefined, ["storage.disk.directory=${DIRECTORY}"], "storage.disk.directory", "/srv/p"],
    ["a typed override", undefined, ["server.logRequestPayloads=true"], "server.logRequestPayloads", true],
    [
      "a merged mapping",
      "auxData: {jwt: &j {cacheSize: 7}}\nserver: {requestLimits: {<<: {maxActionsPerResource: 9}}}\n",
      [],
      "server.requestLimits.maxActionsPerResource",
      9,
    ],
    [
      "what stands beside a merge key wins",
      "engine:\n  globals: &g {a: 1}\n  <<: {defaultScope: x, globals: *g}\n",
      [],
      "engine.defaultScope",
      "x",
    ],
    ["a file with a byte order mark", "\uFEFFengine:\n  defaultScope: a\nserver: {workers: 1}\n", [], "engine.defaultScope", "a"],
    [
      "a file with lines as Windows ends them",
      "engine:\r\n  defaultScope: a\r\nserver:\r\n  workers: 1\r\n",
      [],
      "engine.defaultScope",
      "a",
    ],
    [
      "numbers in every notation of YAML",
      "engine: {globals: {a: 0x10, b: 017, c: 1_000, d: .5}}\n",
      [],
      "engine.globals",
      { a: 16n, b: 15n, c: 1000n, d: 0.5 },
    ],
    ["a text tagged as one", "engine: {globals: {a: !!str 5}}\n", [], "engine.globals", { a: "5" }],
    ["permissions of a socket", "server: {udsFileMode: 0o660}\n", [], "server.udsFileMode", 0o660],
    ["permissions without the letter", "server: {udsFileMode: 0600}\n", [], "server.udsFileMode", 0o600],
    ["a year", "audit: {file: {retentionPeriod: 8760h}}\n", [], "audit.file.retentionPeriod", 31_536_000_000],
    [
      "an item of a list from the command line",
      undefined,
      ["server.cors.allowedOrigins[0]=https://a", "server.cors.allowedOrigins[1]=https://b"],
      "server.cors.allowedOrigins",
      ["https://a", "https://b"],
    ],
    [
      "an item in place of another",
      "server: {cors: {allowedOrigins: [a, b, c]}}\n",
      ["server.cors.allowedOrigins[1]=x"],
      "server.cors.allowedOrigins",
      ["a", "x", "c"],
    ],
    ["a whole list from the command line", undefined, ["server.cors.allowedHeaders={a,b}"], "server.cors.allowedHeaders", ["a", "b"]],
    [
      "no list from the command line",
      "server: {cors: {allowedHeaders: [a]}}\n",
      ["server.cors.allowedHeaders={}"],
      "server.cors.allowedHeaders",
      [],
    ],
    [
      "a key inside of an item",
      undefined,
      ["auxData.jwt.keySets[0].id=a,auxData.jwt.keySets[0].local.file=k.json"],
      "auxData.jwt.keySets",
      [{ id: "a", source: { kind: "file", path: "k.json", pem: false }, optionalAlg: false, optionalKid: false }],
    ],
    ["a comma in the default of a variable", undefined, ["storage.disk.directory=${NOPE:a,b}"], "storage.disk.directory", "a,b"],
    ["a driver by its other name", "storage: {driver: sqlite3, sqlite3: {dsn: ':memory:'}}\n", [], "storage.driver", "sqlite3"],
    [
      "a section of the backend that is not in use",
      "audit: {enabled: true, backend: file, local: {storagePath: x}}\n",
      [],
      "audit.local.storagePath",
      "x",
    ],
    ["a certificate with its key", "server: {tls: {cert: a, key: b, caCert: c}}\n", [], "server.tls.key", "b"],
    ["the word that CEL keeps for itself elsewhere, as a field", "engine: {globals: {for: 1}}\n", [], "engine.globals", { for: 1n }],
    ["a key without a value is its default", "engine:\n  defaultPolicyVersion:\n", [], "engine.defaultPolicyVersion", "default"],
    ["a comment names no variable", "# ${NOPE}\nengine: {defaultScope: a.b} # ${NOPE}\n", [], "engine.defaultScope", "a.b"],
  ];
  test.each(cases)("%s", (_sentence, text, overrides, key, value) => {
    const { config, problems } = load(text, overrides);
    expect(problems).toEqual([]);
    expect(config?.[key]).toEqual(value);
  });

  test("a global called __proto__ is data", () => {
    const globals = load("engine:\n  globals:\n    __proto__: {admin: true}\n").config?.["engine.globals"];
    expect(Object.getOwnPropertyNames(globals)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(globals)).toBe(Object.prototype);
  });

  test("every default is of its own type", () => {
    const { config } = load("");
    for (const key of Object.keys(settings)) expect(config?.[key as keyof Config], key).toEqual(settings[key as SettingKey].default);
  });
});

describe("what is wrong", () => {
  const cases: readonly (readonly [
    sentence: string,
    text: string | undefined,
    overrides: readonly string[],
    problems: readonly string[],
  ])[] = [
    [
      "an unknown key, with the nearest",
      "server:\n  httpListenAdr: :80\n",
      [],
      ["c.yaml:2:3 unknown key `server.httpListenAdr` | did you mean `server.httpListenAddr`?"],
    ],
    ["an unknown section", "sever:\n  httpListenAddr: :80\n", [], ["c.yaml:1:1 unknown key `sever` | did you mean `server`?"]],
    [
      "a key in the wrong section",
      "server:\n  defaultScope: a\n",
      [],
      ["c.yaml:2:3 unknown key `server.defaultScope` | did you mean `engine.defaultScope`?"],
    ],
    // The reference leaves sections that it does not know unread, so files that serve have them.
    [
      "a section that is a part of another",
      "adminAPI: {enabled: false}\n",
      [],
      ["c.yaml:1:1 unknown key `adminAPI` | did you mean `server.adminAPI`?"],
    ],
    [
      "a section that begins as a part of another does",
      "admin: {enabled: false}\n",
      [],
      ["c.yaml:1:1 unknown key `admin` | did you mean `server.adminAPI`?"],
    ],
    [
      "what other servers call the log",
      "logging: {level: info}\nlog: {level: info}\n",
      [],
      [
        "c.yaml:1:1 unknown key `logging` | did you mean `server.logLevel`?",
        "c.yaml:2:1 unknown key `log` | did you mean `server.logLevel`?",
      ],
    ],
    [
      "the beginning of a key",
      "storage: {disk: {dir: x}}\n",
      [],
      ["c.yaml:1:18 unknown key `storage.disk.dir` | did you mean `storage.disk.directory`?"],
    ],
    [
      "a section like no part of any",
      "requestValidation: {enabled: true}\nla: 1\n",
      [],
      ["c.yaml:1:1 unknown key `requestValidation`", "c.yaml:2:1 unknown key `la`"],
    ],
    ["a key like nothing known", "server:\n  zzzzzz: 1\n", [], ["c.yaml:2:3 unknown key `server.zzzzzz`"]],
    [
      "a wrong type",
      "storage:\n  disk:\n    watchForChanges: maybe\n",
      [],
      ["c.yaml:3:22 `storage.disk.watchForChanges` must be true or false"],
    ],
    [
      "a quoted boolean",
      'storage:\n  disk:\n    watchForChanges: "true"\n',
      [],
      ["c.yaml:3:22 `storage.disk.watchForChanges` must be true or false"],
    ],
    ["a bad address", "server:\n  httpListenAddr: x\n", [], ["c.yaml:2:19 `server.httpListenAddr` must be host:port, :port or unix:/path"]],
    [
      "a port that cannot be",
      "server:\n  httpListenAddr: :70000\n",
      [],
      ["c.yaml:2:19 `server.httpListenAddr` must be host:port, :port or unix:/path"],
    ],
    [
      "a limit out of range",
      "server:\n  requestLimits: {maxActionsPerResource: 501}\n",
      [],
      ["c.yaml:2:42 `server.requestLimits.maxActionsPerResource` must be a whole number from 1 to 500"],
    ],
    ["workers without number", "server: {workers: many}\n", [], ["c.yaml:1:19 `server.workers` must be a whole number from 0 to 256"]],
    [
      "a driver that does not come",
      "storage: {driver: mysql}\n",
      [],
      [
        "c.yaml:1:19 the store `mysql` is not supported: there are disk, git, sqlite and bundle | export its policies to files, and use the driver `disk` or `sqlite` (docs/moving-in.md)",
      ],
    ],
    [
      "another one",
      "storage: {driver: postgres}\n",
      [],
      [
        "c.yaml:1:19 the store `postgres` is not supported: there are disk, git, sqlite and bundle | export its policies to files, and use the driver `disk` or `sqlite` (docs/moving-in.md)",
      ],
    ],
    [
      "a store of two stores",
      "storage: {driver: overlay}\n",
      [],
      [
        "c.yaml:1:19 the store `overlay` is not supported: there are disk, git, sqlite and bundle | use the driver of its base store: while that cannot be read, the last good policies stay in force (docs/moving-in.md)",
      ],
    ],
    ["a driver that nobody knows", "storage: {driver: nope}\n", [], ["c.yaml:1:19 `storage.driver` must be disk, git, sqlite or bundle"]],
    [
      "a backend that does not come",
      "audit: {backend: kafka}\n",
      [],
      ["c.yaml:1:18 the audit backend `kafka` is not supported: there are file and local"],
    ],
    [
      "globals that no condition can name",
      "engine:\n  globals: {a-b: 1, 1a: 1, true: 1, in: 1, null: 1, ok: 1}\n",
      [],
      [
        "c.yaml:2:13 no condition can use the name `a-b` | a name consists of letters, digits and underscores, and does not begin with a digit",
        "c.yaml:2:21 no condition can use the name `1a` | a name consists of letters, digits and underscores, and does not begin with a digit",
        "c.yaml:2:28 no condition can use the name `true` | `true` is a word of CEL: give it another name",
        "c.yaml:2:37 no condition can use the name `in` | `in` is a word of CEL: give it another name",
        "c.yaml:2:44 no condition can use the name `null` | `null` is a word of CEL: give it another name",
      ],
    ],
    [
      "globals that are a list",
      "engine:\n  globals: [a]\n",
      [],
      ["c.yaml:2:12 `engine.globals` must be a mapping from CEL identifiers to values"],
    ],
    [
      "keys mistyped two levels down",
      "server: {requestLimit: {maxActionsPerResource: 9}, adminAPI: {adminCredential: {username: a}}, advanced: {htpp: {}, grpc: {maxConnectionAg: 1h}}}\n",
      [],
      [
        "c.yaml:1:10 unknown key `server.requestLimit` | did you mean `server.requestLimits`?",
        "c.yaml:1:63 unknown key `server.adminAPI.adminCredential` | did you mean `server.adminAPI.adminCredentials`?",
        "c.yaml:1:107 unknown key `server.advanced.htpp` | did you mean `server.advanced.http`?",
        "c.yaml:1:124 unknown key `server.advanced.grpc.maxConnectionAg` | did you mean `server.advanced.grpc.maxConnectionAge`?",
      ],
    ],
    [
      "a key like none of few",
      "server: {tls: {pkcs12: x}}\n",
      [],
      ["c.yaml:1:16 unknown key `server.tls.pkcs12` | there are `cert`, `key`, `caCert`"],
    ],
    [
      "durations beyond their bounds",
      "server: {shutdownTimeout: -1s}\naudit: {local: {retentionPeriod: 10m, advanced: {flushInterval: 1ms, gcInterval: 1000h}}}\n",
      [],
      [
        "c.yaml:1:27 `server.shutdownTimeout` must be a duration such as 10s or 1h30m, from 0s to 596h",
        "c.yaml:2:34 `audit.local.retentionPeriod` must be a duration such as 10s or 1h30m, from 1h to 720h",
        "c.yaml:2:65 `audit.local.advanced.flushInterval` must be a duration such as 10s or 1h30m, from 1s to 1h",
        "c.yaml:2:82 `audit.local.advanced.gcInterval` must be a duration such as 10s or 1h30m, from 0s to 596h",
      ],
    ],
    [
      "permissions that are none",
      "server: {udsFileMode: abc}\n",
      [],
      ["c.yaml:1:23 `server.udsFileMode` must be file permissions such as 0o660"],
    ],
    [
      "permissions for nobody",
      "server: {udsFileMode: 0o0}\n",
      [],
      ["c.yaml:1:23 `server.udsFileMode` must be file permissions such as 0o660"],
    ],
    [
      "a null, which is not the default, as no value is",
      "server:\n  cors:\n    disabled: null\n    maxAge:\n",
      [],
      ["c.yaml:3:15 `server.cors.disabled` must be true or false"],
    ],
    [
      "a password hash that is none, which is not repeated",
      "server: {adminAPI: {enabled: true, adminCredentials: {passwordHash: aGVsbG8=}}}\n",
      [],
      [
        "c.yaml:1:69 `server.adminAPI.adminCredentials.passwordHash` must be base64 of a bcrypt hash, which `authz admin hash-password` makes",
      ],
    ],
    [
      "two documents",
      "server: {workers: 1}\n---\nengine: {defaultScope: a}\n",
      [],
      ["c.yaml:3:1 a configuration must be one document: remove the others"],
    ],
    [
      "an alias of nothing, which may be half a password",
      "engine: {globals: {p: *hunter2}}\n",
      [],
      ["c.yaml:1:23 this alias names no anchor before it | put the value in quotes if it is meant to start with `*`"],
    ],
    [
      "a deep nest",
      `engine: {globals: {a: ${"[".repeat(300)}${"]".repeat(300)}}}\n`,
      [],
      ["c.yaml:1:1 a configuration cannot be nested deeper than 200 levels"],
    ],
    [
      "a nest deeper than the stack",
      Array.from({ length: 2500 }, (_, level) => `${" ".repeat(level)}a:\n`).join(""),
      [],
      ["c.yaml:1:1 a configuration cannot be nested deeper than 200 levels"],
    ],
    [
      "keys that variables make equal",
      "engine: {globals: {a: 1, '${LETTER}': 2, '${NOPE}': 3}}\n",
      [],
      ["c.yaml:1:26 `${LETTER}` is already given at 1:20", "c.yaml:1:42 the environment variable `NOPE` is not set"],
    ],
    [
      "a variable that is not set is told once, whatever it was for",
      "server: {httpListenAddr: '127.0.0.1:${NOPE}', cors: {allowedOrigins: ['${NOPE}']}}\nauxData: {jwt: {keySets: [{id: '${NOPE}', local: {data: '${NOPE}', pem: '${NOPE}'}}]}}\n",
      [],
      [1, 2].flatMap((line) =>
        (line === 1 ? [26, 71] : [32, 57, 73]).map((column) => `c.yaml:${line}:${column} the environment variable \`NOPE\` is not set`),
      ),
    ],
    [
      "a mistake that aliases repeat is told once",
      "engine: {globals: {a: &n '${NOPE}', b: *n, c: *n}}\n",
      [],
      ["c.yaml:1:26 the environment variable `NOPE` is not set"],
    ],
    ["a section that is a text", "server: x\n", [], ["c.yaml:1:9 `server` must be a mapping"]],
    ["a list at the top", "- a\n", [], ["c.yaml:1:1 a configuration is a mapping from keys to values"]],
    ["a key twice", "server:\n  workers: 1\n  workers: 1\n", [], ["c.yaml:3:3 `workers` is already given at 2:3 | keep one of the two"]],
    [
      "a variable that is not set",
      "storage:\n  disk:\n    directory: ${NOPE}\n",
      [],
      ["c.yaml:3:16 the environment variable `NOPE` is not set"],
    ],
    ["an override without a value", undefined, ["server"], ["--set server no value: write --set key=value"]],
    [
      "an override without a key",
      undefined,
      ["=s3cret"],
      ["--set = no key: write --set key=value, or --set key[0]=value for an item of a list"],
    ],
    [
      "an override whose key is none",
      undefined,
      ["server..workers=1", "a[x]=1", "a[=1"],
      ["server..workers", "a[x]", "a["].map(
        (key) => `--set ${key} no key: write --set key=value, or --set key[0]=value for an item of a list`,
      ),
    ],
    [
      "keys that are variables, whose values may be secrets",
      `\${SECRET}: 1
server: {"\${SECRET}": 2}
engine: {globals: {"\${SECRET}!": 3}}
auxData: {jwt: {keySets: [{id: a, local: {file: k}, "\${SECRET}": 4}]}}
`,
      [],
      [
        "c.yaml:1:1 unknown key `${SECRET}`",
        "c.yaml:2:10 unknown key `server.${SECRET}`",
        "c.yaml:3:20 no condition can use the name `${SECRET}!` | a name consists of letters, digits and underscores, and does not begin with a digit",
        "c.yaml:4:53 unknown key `${SECRET}` in a key set | there are `id`, `remote`, `local`, `insecure`",
      ],
    ],
    [
      "an override deeper than any setting",
      undefined,
      [`a${"[0]".repeat(3000)}=1`],
      [`--set a${"[0]".repeat(3000)} a configuration cannot be nested deeper than 200 levels`],
    ],
    [
      "an item far behind the end of its list",
      undefined,
      ["server.cors.allowedOrigins[7]=a"],
      ["--set server.cors.allowedOrigins[7] there is no item 7: the list has 0 | items are counted from 0, and set one after the other"],
    ],
    [
      "the rest of a value after a comma, which may be half a password",
      undefined,
      ["engine.globals.password=hunter,2"],
      ["--set engine.globals.password=..., no value: write --set key=value | a comma in a value is written \\,"],
    ],
    [
      "an unknown override",
      undefined,
      ["server.worker=1"],
      ["--set server.worker unknown key `server.worker` | did you mean `server.workers`?"],
    ],
    [
      "a schema enforcement that there is not",
      "schema: {enforcement: maybe, allowRefs: [store, ftp]}\n",
      [],
      [
        "c.yaml:1:23 `schema.enforcement` must be none, warn or reject",
        "c.yaml:1:41 `schema.allowRefs` must be a list of store, file and http",
      ],
    ],
    [
      "key sets that are none",
      `auxData:
  jwt:
    acceptableTimeSkew: soon
    keySets:
      - {id: a, local: {data: "AA=="}}
      - {id: a, local: {data: "AA=="}}
      - {local: {file: x}}
      - {id: b}
      - {id: c, remote: {url: "http://x"}, local: {file: x}}
      - {id: d, local: {}}
      - {id: e, local: {data: "S3CR3T!"}}
      - {id: f, remote: {url: "ftp://x"}}
      - {id: g, remote: {refreshInterval: 1h}}
      - {id: h, remote: {url: "https://x", refreshInterval: often}}
      - {id: i, local: {file: x, pem: maybe}, insecure: {optionalAlgo: true}}
      - text
`,
      [],
      [
        "c.yaml:3:25 `auxData.jwt.acceptableTimeSkew` must be a duration such as 10s or 1h30m, from 0s to 596h",
        "c.yaml:6:9 there is another key set `a`",
        "c.yaml:7:9 a key set must have an `id`",
        "c.yaml:8:9 the key set `b` must have either `remote` or `local`",
        "c.yaml:9:9 the key set `c` must have either `remote` or `local`",
        "c.yaml:10:24 `local` must have either `data` or `file`",
        "c.yaml:11:31 `data` must be base64",
        "c.yaml:12:31 `url` must be an http or https URL",
        "c.yaml:13:25 `remote` must have a `url`",
        "c.yaml:14:61 `refreshInterval` must be a duration such as 1h",
        "c.yaml:15:39 `pem` must be true or false",
        "c.yaml:15:58 unknown key `optionalAlgo` in `insecure` | there are `optionalAlg`, `optionalKid`",
        "c.yaml:16:9 a key set must be a mapping",
      ],
    ],
    [
      "key sets that are no list",
      "auxData: {jwt: {keySets: {id: a}}}\n",
      [],
      ["c.yaml:1:26 `auxData.jwt.keySets` must be a list of key sets"],
    ],
    [
      "all problems, not the first",
      "server:\n  workers: -1\n  nope: 1\nengine: {defaultScope: a..b}\n",
      [],
      [
        "c.yaml:2:12 `server.workers` must be a whole number from 0 to 256",
        "c.yaml:3:3 unknown key `server.nope`",
        "c.yaml:4:24 `engine.defaultScope` must be a scope such as acme.hr",
      ],
    ],
  ];
  test.each(cases)("%s", (_sentence, text, overrides, wanted) => {
    const { config, problems } = load(text, overrides);
    expect(problems.map(({ place, message, hint }) => `${place} ${message}${hint === undefined ? "" : ` | ${hint}`}`)).toEqual(wanted);
    expect(config).toBeUndefined();
  });

  test.each([
    ["a file that is not there", "nothing.yaml", "the configuration file does not exist"],
    ["a folder", ".", "the configuration file is a directory"],
  ])("%s", (_sentence, file, message) => {
    expect(loadConfig(join(folder, file), [], {}).problems.map((problem) => problem.message)).toEqual([message]);
  });

  test("a file that cannot be read", () => {
    symlinkSync("loop.yaml", join(folder, "loop.yaml"));
    expect(loadConfig(join(folder, "loop.yaml"), [], {}).problems.map((problem) => problem.message)).toEqual([
      "the configuration file cannot be read (ELOOP)",
    ]);
  });

  test("a file that is no text", () => {
    writeFileSync(join(folder, "binary.yaml"), Buffer.from([0x61, 0x3a, 0xff, 0xfe]));
    expect(loadConfig(join(folder, "binary.yaml"), [], {}).problems.map((problem) => problem.message)).toEqual([
      "the configuration file is not UTF-8 text",
    ]);
  });

  test.each([
    ["a bracket that is not closed", "server: [\n", "c.yaml:2:1"],
    ["an indentation that fits nothing", "server:\n  - a\n b: c\n", "c.yaml:3:1"],
    ["a tab", "server:\n\tworkers: 1\n", "c.yaml:2:1"],
    ["a quote that is not closed", "engine:\n  defaultScope: 'a\n", "c.yaml:2:17"],
  ])("broken YAML is reported once, with its place: %s", (_sentence, text, place) => {
    expect(load(text).problems.map((problem) => [problem.place, problem.message.slice(0, 10)])).toEqual([[place, "not YAML: "]]);
  });

  test("an alias inside of what it repeats is a problem with a place, not an endless reading", () => {
    expect(load("engine:\n  globals: &all\n    again: [*all]\n").problems).toContainEqual(
      expect.objectContaining({ place: "c.yaml:3:13", message: "this alias names no anchor before it" }),
    );
  });

  test("aliases that multiply end in a message, not in a hanging server", () => {
    const lines = ["engine:", "  globals:", "    a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 9; level++)
      lines.push(
        `    a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(", ")}]`,
      );
    expect(load(lines.join("\n")).problems.map((problem) => problem.message)).toContain("aliases cannot repeat more than 100000 values");
  });

  test("a file of a megabyte is read", () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `    name${index}: ${"x".repeat(16)}`);
    const { config, problems } = load(`engine:\n  globals:\n${lines.join("\n")}\n  defaultScope: a\n`);
    expect([problems, config?.["engine.defaultScope"], Object.keys(config?.["engine.globals"] ?? {}).length]).toEqual([[], "a", 40_000]);
  });

  test("a file that is longer than any configuration is refused at once", () => {
    expect(load(`# ${"x".repeat(5_000_000)}`).problems.map((problem) => problem.message)).toEqual([
      "a configuration cannot be longer than 4194304 characters",
    ]);
  });
});

describe("keys that wait or mean nothing", () => {
  test.each([
    ["other drivers' sections lie there unused", "storage: {driver: disk, git: {branch: x}, sqlite: {path: y}}\n", []],
    ["usage reporting does not exist", "telemetry: {disabled: true}\n", ["`telemetry.disabled` has no meaning here and is ignored"]],
    ["one warning a key", "tracing: {sampleProbability: 1, serviceName: a}\n", ["`tracing` has no meaning here and is ignored"]],
    [
      "a key beside one that means something",
      "compile: {cacheSize: 1, cacheDuration: 1s}\n",
      ["compile.cacheSize", "compile.cacheDuration"].map((key) => `\`${key}\` has no meaning here and is ignored`),
    ],
    [
      "what is switched off needs no word",
      "audit: {enabled: false}\nserver: {adminAPI: {enabled: false}, metricsEnabled: false}\nschema: {enforcement: none}\n",
      [],
    ],
    [
      "what other backends and other drivers need lies there unused",
      "audit: {kafka: {topic: t, brokers: [a]}, hub: {mask: {}}}\nstorage: {blob: {bucket: b}, postgres: {url: u}}\n",
      ["audit.kafka", "audit.hub", "storage.blob", "storage.postgres"].map((key) => `\`${key}\` has no meaning here and is ignored`),
    ],
    [
      "what a bundle of the reference needs lies there unused",
      "storage: {driver: disk, bundle: {remote: {bundleLabel: l}, local: {bundlePath: p}, credentials: {clientID: c}}}\n",
      ["storage.bundle.remote", "storage.bundle.local", "storage.bundle.credentials"].map(
        (key) => `\`${key}\` has no meaning here and is ignored`,
      ),
    ],
    ["what is not there is off", "server: {playgroundEnabled: false}\n", []],
    [
      "a variable that is set and stands without braces is no variable here: the reference puts it in",
      "storage: {disk: {directory: $DIRECTORY/p}}\nengine: {globals: {a: $NOPE, b: $$PORT, c: x$5, d: '${PORT}', e: 'x$SECRET', f: $PORTS}}\n",
      Array<string>(2).fill(
        "this value is used as written: `$` and the name of a variable are not replaced, although that variable is set",
      ),
    ],
    [
      "a default as shells write it is taken with the character that it begins with; a negative number alone is one",
      "storage: {disk: {directory: '${NOPE:-policies}'}}\nengine: {globals: {a: '${NOPE:-5}', b: '${PORT:?set it}', c: 'x${NOPE:-5}', d: '${NOPE:a-b}'}}\n",
      Array<string>(3).fill("everything after the colon is the default of the variable, with the `-`, `+`, `=` or `?` that it begins with"),
    ],
    [
      "schemas from nowhere",
      "schema: {allowRefs: [store, http]}\n",
      ["`schema.allowRefs` has http, but `schema.allowedHosts` names no host: nothing will be fetched"],
    ],
  ])("%s", (_sentence, text, warnings) => {
    const { config, problems } = load(text);
    expect(problems.map((problem) => [problem.severity, problem.message])).toEqual(warnings.map((message) => ["warning", message]));
    expect(config).toBeDefined();
  });

  test("every key of the reference that means nothing brings exactly one warning", () => {
    for (const { key } of unsupportedKeys.filter(({ severity }) => severity === "warning")) {
      const { config, problems } = load(undefined, [`${key}.a=1`, `${key}.b=2`]);
      expect([key, problems.map(({ severity }) => severity), config !== undefined]).toEqual([key, ["warning"], true]);
    }
  });

  test.each([
    ["tracing: {exporter: otlp}\n", "set `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` in the environment instead"],
    ["telemetry: {disabled: true}\n", "remove it: usage is never reported"],
    ["server: {playgroundEnabled: true}\n", "remove it"],
    ["storage: {postgres: {url: u}}\n", "export its policies to files, and use the driver `disk` or `sqlite`"],
    ["storage: {mysql: {dsn: d}}\n", "export its policies to files, and use the driver `disk` or `sqlite`"],
    ["storage: {blob: {}}\n", "bring its files to a folder for the driver `disk`, or build a bundle of them for the driver `bundle`"],
    ["storage: {hub: {}}\n", "use the driver `git` for the repository of its policies, or `disk` or `bundle` for its files"],
    [
      "storage: {bundle: {remote: {bundleLabel: main}}}\n",
      "use the driver `git` for the repository of its policies, or `disk` or `bundle` for its files",
    ],
    [
      "storage: {bundle: {local: {bundlePath: p}}}\n",
      "use the driver `git` for the repository of its policies, or `disk` or `bundle` for its files",
    ],
    ["audit: {hub: {}}\n", undefined],
    ["compile: {cacheSize: 1}\n", undefined],
  ])("%s: a hint says what to do instead, where something can be done", (text, hint) => {
    expect(load(text).problems.map((problem) => problem.hint)).toEqual([hint]);
  });

  test("what would be relied on is refused", () => {
    const [problem, ...others] = load(undefined, ["server.playgroundEnabled=true"]).problems;
    expect([problem?.severity, problem?.message.includes("is not supported yet"), others]).toEqual(["error", true, []]);
  });

  test("no key is both a setting and absent", () => {
    const overlapping = unsupportedKeys.filter(({ key }) =>
      Object.keys(settings).some((setting) => setting === key || setting.startsWith(`${key}.`)),
    );
    expect(overlapping).toEqual([]);
  });
});

test.each([
  ["10s", 10_000],
  ["1h30m", 5_400_000],
  ["250ms", 250],
  ["1.5s", 1500],
  ["0", 0],
  [".5s", 500],
  ["1", undefined],
  ["", undefined],
  ["s", undefined],
  ["10 s", undefined],
  ["-1s", undefined],
])("the duration %j is %j ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  [0, "0s"],
  [250, "250ms"],
  [90_000, "1m30s"],
  [604_800_000, "168h"],
  [1.5, "1.5ms"],
  [3_661_001, "1h1m1s1ms"],
])("%j ms is the duration %j, and back", (milliseconds, text) => {
  expect([printDuration(milliseconds), parseDuration(text)]).toEqual([text, milliseconds]);
});

test.each([
  [":3592", ":3592"],
  [":65535", ":65535"],
  [":65536", undefined],
  ["localhost:1", "localhost:1"],
  ["[::1]:80", "[::1]:80"],
  ["unix:/a b", "unix:/a b"],
  ["unix:///a", "unix:/a"],
  ["::1:80", undefined],
  ["a", undefined],
  ["a:", undefined],
  ["a:b", undefined],
  ["unix:", undefined],
  ["http://a:1", undefined],
])("the address %j is %j", (text, printed) => {
  const address = parseAddress(text);
  expect(address === undefined ? undefined : printAddress(address)).toBe(printed);
});

test.each([
  ["unix:/a", "unix:/a", true],
  ["unix:/a", "unix:/b/../a", true],
  ["unix:/a", "unix:/b", false],
  ["unix:/a", ":1", false],
  [":1", "unix:/a", false],
  ["localhost:1", "localhost:1", true],
  ["localhost:1", "localhost:2", false],
  ["localhost:0", "localhost:0", false],
  ["10.0.0.1:1", "10.0.0.2:1", false],
  [":1", "10.0.0.1:1", true],
  ["10.0.0.1:1", "0.0.0.0:1", true],
  ["[::]:1", "localhost:1", true],
  ["0.0.0.0:1", "[::1]:1", false],
  ["[::1]:1", "0.0.0.0:1", false],
])("two listeners on %s and %s surely stand in each other's way: %j", (left, right, wanted) => {
  const [one, other] = [parseAddress(left), parseAddress(right)];
  expect(one !== undefined && other !== undefined && areConflicting(one, other)).toBe(wanted);
});

test.each([
  ["$NAME stays", "$NAME stays", []],
  ["$PORT stays, too", "$PORT stays, too", []],
  ["$$ and $5", "$ and $5", []],
  ["$${PORT}", "${PORT}", []],
  ["a${PORT}b${NUMBER}", "a4000b7", []],
  ["${EMPTY}", "", []],
  ["${NOPE:-x}", "-x", []],
  ["${NOPE:}", "", []],
  ['${NOPE:""}', "", []],
  ["${constructor}", "", ["the environment variable `constructor` is not set"]],
  ["${a b}", "", ["there is no name of an environment variable between `${` and `}`: write `$$` for a dollar"]],
  ...["${PORT:${NUMBER}}", "${NOPE:a${NUMBER}b}"].map((text): [string, string, string[]] => [
    text,
    text.slice(text.indexOf("}") + 1),
    ["the default of a variable cannot hold another variable: write `${NAME:default}` with a fixed default"],
  ]),
  ["${PORT", "", ["`${` has no closing brace: write `$$` for a dollar"]],
])("%j expands to %j", (text, expanded, errors) => {
  expect(expand(text, environment)).toMatchObject({ text: expanded, errors });
});
