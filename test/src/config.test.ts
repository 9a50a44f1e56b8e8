/** Configuration: a file, overrides and environment -> settings, or every problem with its place. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadConfig, type LoadedConfig } from "../../src/config/load.ts";
import { absentKeys } from "../../src/config/absent.ts";
import { parseDuration } from "../../src/config/duration.ts";
import { parseAddress, printAddress } from "../../src/config/address.ts";
import { expand } from "../../src/config/expand.ts";
import { settings, type Config, type SettingKey } from "../../src/config/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "authz-config-"));
afterAll(() => rmSync(folder, { recursive: true }));
const environment = { PORT: "4000", YES: "true", EMPTY: "", DIRECTORY: "/srv/p", NUMBER: "7" };

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
    ["a list of words", "schema: {allowRefs: [store, http]}\n", [], "schema.allowRefs", ["store", "http"]],
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
    [
      "two workers",
      "server: {workers: 2}\n",
      [],
      ["c.yaml:1:19 `server.workers` must be 1: serving with several workers is not supported yet"],
    ],
    ["another driver", "storage: {driver: git}\n", [], ["c.yaml:1:19 `storage.driver` must be disk: other stores are not supported yet"]],
    [
      "a global that is no identifier",
      "engine:\n  globals: {a-b: 1}\n",
      [],
      ["c.yaml:2:12 `engine.globals` must be a mapping from CEL identifiers to values"],
    ],
    ["a section that is a text", "server: x\n", [], ["c.yaml:1:9 `server` must be a mapping"]],
    ["a list at the top", "- a\n", [], ["c.yaml:1:1 a configuration is a mapping from keys to values"]],
    ["a key twice", "server:\n  workers: 1\n  workers: 1\n", [], ["c.yaml:3:3 not YAML: map keys must be unique"]],
    [
      "a variable that is not set",
      "storage:\n  disk:\n    directory: ${NOPE}\n",
      [],
      ["c.yaml:3:16 the environment variable `NOPE` is not set"],
    ],
    ["an override without a value", undefined, ["server"], ["--set server no value: write --set key=value"]],
    ["an override without a key", undefined, ["=1"], ["--set =1 no key: write --set key=value"]],
    ["an override of a list", undefined, ["a[0]=1"], ["--set a[0]=1 lists cannot be set on the command line"]],
    [
      "an unknown override",
      undefined,
      ["server.worker=1"],
      ["--set server.worker=1 unknown key `server.worker` | did you mean `server.workers`?"],
    ],
    ["TLS, which is not there yet", "server:\n  tls: {cert: a, key: b}\n", [], ["c.yaml:2:3 `server.tls` is not supported yet"]],
    ["an audit log, which is not there yet", "audit:\n  enabled: true\n", [], ["c.yaml:2:3 `audit.enabled` is not supported yet"]],
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
        "c.yaml:3:25 `auxData.jwt.acceptableTimeSkew` must be a duration such as 10s or 1h30m",
        "c.yaml:7:9 a key set must have an `id`",
        "c.yaml:8:9 the key set `b` must have either `remote` or `local`",
        "c.yaml:9:9 the key set `c` must have either `remote` or `local`",
        "c.yaml:10:24 `local` must have either `data` or `file`",
        "c.yaml:11:31 `data` must be base64",
        "c.yaml:12:31 `url` must be an http or https URL",
        "c.yaml:13:25 `remote` must have a `url`",
        "c.yaml:14:61 `refreshInterval` must be a duration such as 1h",
        "c.yaml:15:58 unknown key `optionalAlgo` in `insecure` | there are `optionalAlg`, `optionalKid`",
        "c.yaml:15:39 `pem` must be true or false",
        "c.yaml:16:9 a key set must be a mapping",
        "c.yaml:6:9 there is another key set `a`",
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
      "server:\n  workers: 2\n  nope: 1\nengine: {defaultScope: a..b}\n",
      [],
      [
        "c.yaml:2:12 `server.workers` must be 1: serving with several workers is not supported yet",
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

  test("broken YAML is reported with its place", () => {
    const { problems } = load("server:\n  - a\n b: c\n");
    expect(problems[0]?.place).toMatch(/^c\.yaml:\d+:\d+$/);
    expect(problems[0]?.message).toMatch(/^not YAML: /);
  });

  test("an alias inside of what it repeats is a problem with a place, not an endless reading", () => {
    expect(load("engine:\n  globals: &all\n    again: [*all]\n").problems).toContainEqual(
      expect.objectContaining({ place: "c.yaml:3:13", message: "`*all` stands inside of what it repeats" }),
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
    expect(load(lines.join("\n")).problems.map((problem) => problem.message)).toContain("the configuration has more than 10000 parts");
  });
});

describe("keys that wait or mean nothing", () => {
  test.each([
    [
      "other drivers' sections lie there unused",
      "storage: {driver: disk, git: {url: x}}\n",
      ["`storage.git` is not supported yet and is ignored"],
    ],
    ["usage reporting does not exist", "telemetry: {disabled: true}\n", ["`telemetry.disabled` has no meaning here and is ignored"]],
    ["one warning a key", "compile: {cacheSize: 1, cacheDuration: 1s}\n", ["`compile` has no meaning here and is ignored"]],
    [
      "what is switched off needs no word",
      "audit: {enabled: false}\nserver: {adminAPI: {enabled: false}, metricsEnabled: false}\nschema: {enforcement: none}\n",
      [],
    ],
    [
      "the details of what is off are ignored",
      "audit: {enabled: false, backend: file, file: {path: x}}\n",
      ["`audit.backend` is not supported yet and is ignored"],
    ],
  ])("%s", (_sentence, text, warnings) => {
    const { config, problems } = load(text);
    expect(problems.map((problem) => [problem.severity, problem.message])).toEqual(warnings.map((message) => ["warning", message]));
    expect(config).toBeDefined();
  });

  test("no key is both a setting and absent", () => {
    const overlapping = absentKeys.filter(({ key }) =>
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
  [":3592", ":3592"],
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
  ["$NAME stays", "$NAME stays", []],
  ["$$ and $5", "$ and $5", []],
  ["$${PORT}", "${PORT}", []],
  ["a${PORT}b${NUMBER}", "a4000b7", []],
  ["${EMPTY}", "", []],
  ["${NOPE:-x}", "-x", []],
  ["${NOPE:}", "", []],
  ['${NOPE:""}', "", []],
  ["${constructor}", "", ["the environment variable `constructor` is not set"]],
  ["${a b}", "", ["`a b` is not the name of an environment variable"]],
  ["${PORT", "", ["`${PORT` has no closing brace"]],
])("%j expands to %j", (text, expanded, errors) => {
  expect(expand(text, environment)).toMatchObject({ text: expanded, errors });
});
