/** The command line: arguments in, output and exit code out. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examples } from "../../src/cli/examples.ts";
import { run } from "../../src/cli/index.ts";
import { parseLogLevel, type LogLevel } from "../../src/config/setting-types.ts";
import { decideLevel } from "../../src/observe/log.ts";
import { startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { brokenPolicy, expensePolicy } from "../server/policies.ts";
import { ctl } from "./ctl-harness.ts";

const folder = temporaryFolder({
  "good/expense.yaml": expensePolicy,
  "broken/expense.yaml": brokenPolicy,
  "empty/readme.txt": "",
  "warned/album.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: R.attr.n + 1 > 2.0 } } }]
`,
  "schemas/album.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  schemas: { resourceSchema: { ref: "authz:///albun.json" }, principalSchema: { ref: "cerbos:///user.json" } }
`,
  "schemas/_schemas/album.json": '{"type": "object"}',
  "schemas/_schemas/user.json": '{"type": "object"}',
  "types/acme.yaml": `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: ann
  version: default
  rules: [{ resource: album, actions: [{ action: "*", effect: EFFECT_ALLOW }] }]
`,
  "types/role.yaml": `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  version: default
  parentRoles: [user]
  rules: [{ resource: album, allowActions: [view] }]
`,
  "types/album.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user] }]
`,
  "misplaced/deep/_schemas/album.json": "{}",
  "ambiguous/expense.yaml": expensePolicy,
  "ambiguous/testdata/principals.yaml": "principals: {ann: {id: ann, roles: [employee], attr: {active: yes}}}\n",
  "ambiguous/testdata/resources.yaml": "resources: {e: {kind: expense, id: e}}\n",
  ...Object.fromEntries(
    ["a", "b"].map((name) => [
      `ambiguous/${name}_test.yaml`,
      `name: ${name}\ntests:\n  - name: one\n    input: {principals: [ann], resources: [e], actions: [fly]}\n    expected: [{principal: ann, resource: e, actions: {fly: EFFECT_DENY}}]\n`,
    ]),
  ),
  "authz.yaml": "server:\n  httpListenAddr: :1\n",
  "ignored.yaml": "hub: {credentials: {clientID: a}}\n",
  "broken.yaml": "server: {]\n",
  "wrong.yaml": "server:\n  workers: -1\nnope: 1\n",
});
mkdirSync(join(folder, "binary"));
writeFileSync(join(folder, "binary", "a.yaml"), Buffer.from([0xff, 0xfe]));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command in this process. */
async function authz(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await run(
    argv.map((word) => word.replace("DIR", folder)),
    { out: (text) => void (out += text), err: (text) => void (err += text), terminal: false, environment },
  );
  return { code, out: out.replaceAll(folder, "DIR"), err: err.replaceAll(folder, "DIR") };
}

describe("exit codes", () => {
  const cases: readonly (readonly [argv: string, code: number, says: RegExp])[] = [
    ["version", 0, /^authz \d+\.\d+\.\d+/],
    ["--version", 0, /^authz \d+\.\d+\.\d+\n(commit [0-9a-f]{40,64}\n)?node \d+\.\d+\.\d+\n$/],
    ["-V", 0, /^authz \d/],
    ["help", 0, /^Usage: authz \[options\]/],
    ["help compile", 0, /^Usage: authz compile/],
    ["config", 80, /^Usage: authz config/],
    ["config vaildate", 80, /unknown command 'vaildate'\n\(Did you mean validate\?\)/],
    ["server --confg x", 80, /unknown option '--confg'\n\(Did you mean --config\?\)/],
    ["server --set", 80, /'--set <key=value>' argument missing/],
    ["run", 80, /missing required argument 'command'/],
    ...[
      "server",
      "run",
      "compile",
      "types",
      "build",
      "golden record",
      "golden check",
      "golden accept",
      "healthcheck",
      "compile-store",
      "config validate",
      "config print",
    ].map(
      (command) =>
        [
          `${command} --config DIR/authz.yaml --config DIR/ignored.yaml`,
          80,
          /'--config <file>' argument 'DIR\/ignored\.yaml' is invalid\. The configuration is one file, and 'DIR\/authz\.yaml' is given already\.\n/,
        ] as const,
    ),
    [
      "config validate DIR/authz.yaml --config DIR/wrong.yaml",
      1,
      /^authz: error: the configuration is given twice: `DIR\/authz\.yaml` and /,
    ],
    ["config print DIR/authz.yaml --config DIR/wrong.yaml", 1, /^authz: error: the configuration is given twice: /],
    ["run --config DIR/nothing.yaml -- true", 80, /the configuration file `DIR\/nothing\.yaml` does not exist/],
    ["run --config DIR/wrong.yaml -- true", 1, /^authz: error: the configuration cannot be used\nDIR\/wrong\.yaml:2:12: /],
    ["run --timeout never -- true", 80, /It must be a duration such as 2s/],
    ["run --timeout 1000h -- true", 80, /It must be a duration such as 2s/],
    ["init DIR/authz.yaml", 1, /^authz: error: `DIR\/authz\.yaml` is not a directory\n$/],
    ["init a b", 80, /too many arguments/],
    ["schema config", 0, /"title": "Configuration of authz"/],
    ["config print", 0, /^server:\n  httpListenAddr: :3592\n/],
    ["config print --changed DIR/authz.yaml", 0, /^server:\n  httpListenAddr: :1\n$/],
    ["config print --changed", 0, /^storage:\n  disk:\n    watchForChanges: true\n$/],
    ["config print DIR/wrong.yaml", 1, /^authz: error: the configuration cannot be used\n/],
    ["config validate", 0, /^the defaults: valid\n$/],
    [
      "config validate DIR/ignored.yaml",
      0,
      /^DIR\/ignored\.yaml: valid\nDIR\/ignored\.yaml:1:1: warning: `hub` has no meaning here and is ignored\n$/,
    ],
    ["--help", 0, /compile .*[\s\S]*server .*[\s\S]*healthcheck/],
    ["compile --help", 0, /--emit <what>/],
    ["", 80, /Usage: authz/],
    ["nope", 80, /^authz: error: unknown command 'nope'\n\(see authz --help\)\n$/],
    ["compil DIR/good", 80, /Did you mean compile\?/],
    ["server --nope", 80, /unknown option '--nope'/],
    ["server --log-level loud", 80, /It must be debug, info, warn, error/],
    ["compile", 80, /^authz: error: missing required argument 'directory'\n\(see authz compile --help\)\n$/],
    ["golden record DIR/good", 80, /^authz: error: [^\n]+\n\(see authz golden record --help\)\n$/],
    ["types", 80, /missing required argument 'directory'/],
    ["types DIR/nothing", 1, /^authz: error: the policies directory `DIR\/nothing` does not exist\n$/],
    ["types DIR/broken", 3, /authz: error: 1 error: no types are written/],
    ["types DIR/good", 0, /export interface Policies \{/],
    ["compile DIR/good --output=xml", 80, /Allowed choices are text, tree, list, json/],
    ["compile DIR/good", 0, /^1 policy file, no errors, no warnings\n$/],
    ["compile DIR/empty", 0, /^no policy files, no errors, no warnings\n$/],
    ["compile DIR/broken", 3, /expense\.yaml:14:\d+: error \S+: [\s\S]*authz: error: 1 error in 1 policy file/],
    ["compile DIR/binary", 3, /^a\.yaml: error unreadable-file: the file is not UTF-8 text/],
    ["compile DIR/nothing", 1, /^authz: error: the policies directory `DIR\/nothing` does not exist\n$/],
    ["compile DIR/authz.yaml", 1, /is not a directory/],
    ["compile DIR/warned", 0, /album\.yaml:5:\d+: warning failing-operation: [\s\S]*1 policy file, no errors, 1 warning\n$/],
    ["compile DIR/warned --warnings-as-errors", 3, /authz: error: 1 warning \(--warnings-as-errors\) in 1 policy file\n$/],
    ["compile DIR/good --warnings-as-errors", 0, /^1 policy file, no errors, no warnings\n$/],
    ["compile DIR/schemas", 3, /album\.yaml:5:\d+: error invalid-schema: [^\n]*albun\.json[\s\S]*did you mean `authz:\/\/\/album\.json`\?/],
    ["compile DIR/schemas --ignore-schemas", 0, /^1 policy file, no errors, no warnings\n$/],
    ["compile DIR/misplaced", 3, /^deep\/_schemas: error misplaced-schemas: /],
    ["migrate --help", 0, /--dry-run/],
    ["migrate", 80, /missing required argument 'directory'/],
    ["schema policy", 0, /"\$schema": "http:\/\/json-schema\.org\/draft-07\/schema#"/],
    ["schema suite", 0, /"title": "A test suite"/],
    ["schema fixtures", 0, /"principalGroups"/],
    ["schema nope", 80, /Allowed choices are policy, suite, fixtures/],
    ["config validate DIR/authz.yaml", 0, /^DIR\/authz\.yaml: valid\n$/],
    [
      "config validate DIR/wrong.yaml",
      1,
      /^DIR\/wrong\.yaml:2:12: error: [^\n]*\nDIR\/wrong\.yaml:3:1: error: unknown key `nope`\nauthz: error: 2 mistakes in the configuration\n$/,
    ],
    ["config validate DIR/nothing.yaml", 1, /^DIR\/nothing\.yaml: error: the configuration file does not exist\n/],
    ["server --config DIR", 1, /^authz: error: the configuration cannot be used\nDIR: error: the configuration file is a directory\n$/],
    ["server --config DIR/nothing.yaml", 1, /DIR\/nothing\.yaml: error: the configuration file does not exist\n$/],
    ["server --config DIR/broken.yaml", 1, /DIR\/broken\.yaml:1:10: error: not YAML: /],
    [
      "server --config DIR/wrong.yaml",
      1,
      /^authz: error: the configuration cannot be used\nDIR\/wrong\.yaml:2:12: [^\n]*\nDIR\/wrong\.yaml:3:1: /,
    ],
    ["server --set server.worker=1", 1, /did you mean `server\.workers`\?/],
    ["server --set server", 1, /--set server: error: no value: write --set key=value/],
    ["healthcheck --kind=ftp", 80, /Allowed choices are grpc, http/],
    ["healthcheck --timeout=soon", 80, /It must be a duration such as 2s/],
    ["healthcheck --host-port=x", 1, /`x` is not an address/],
    ["healthcheck --config=DIR/authz.yaml --host-port=a:1", 80, /cannot be used with/],
  ];
  test.each(cases)("authz %s exits with %d", async (argv, code, says) => {
    const { code: found, out, err } = await authz(argv.split(" ").filter((word) => word !== ""));
    expect(out + err).toMatch(says);
    expect(out + err).not.toMatch(/\n\s+at /); // no stack trace
    expect(found).toBe(code);
  });
});

describe("help", () => {
  test("shows examples whose commands and options there are", async () => {
    for (const [command, lines] of Object.entries(examples)) {
      const [program, ...words] = command.split(" ");
      const { code, out } = await (program === "authzctl" ? ctl : authz)([...words, "--help"]);
      expect([command, code]).toEqual([command, 0]);
      for (const [example, does] of lines) {
        expect(out).toContain(`  # ${does}\n  ${example}\n`);
        const own = example.split(" -- ")[0]?.split(" > ")[0] ?? "";
        const names: readonly string[] =
          (command === "authz" ? (await authz([...own.split(" ").slice(1, 2), "--help"])).out : out).match(/--[a-z-]+/g) ?? [];
        expect([example, (own.match(/(?<= )--[a-z-]+/g) ?? []).filter((flag) => !names.includes(flag))]).toEqual([example, []]);
      }
    }
  });

  test("of every command fits into 80 columns, and says what is required, not that a switch is off", async () => {
    const short = async (program: typeof authz, words: readonly string[]): Promise<void> => {
      const { out } = await program([...words, "--help"]);
      const [described = ""] = out.split("\nExamples:");
      expect([words, described.split("\n").filter((line) => line.length > 80)]).toEqual([words, []]);
      expect(out).not.toContain("default: false");
      const listed = described.split("\nCommands:\n")[1] ?? "";
      for (const [, name = ""] of listed.matchAll(/^ {2}([a-z_-]+)/gm)) if (name !== "help") await short(program, [...words, name]);
    };
    await short(authz, []);
    await short(ctl, []);
    expect((await authz(["build", "--help"])).out).toMatch(/-o, --out <file> [^-]*\(required\)/);
  });

  test("lists of every command what the command says of itself", async () => {
    // Where a command is named, the commands are asked; else a table is printed.
    expect(await authz(["--help"])).toEqual(await authz(["--help", "version"]));
  });

  test("of every command is there, and says what the command does", async () => {
    const { out } = await authz(["--help"]);
    const listed = out.slice(out.indexOf("Commands:"), out.indexOf("Examples:"));
    const names = [...listed.matchAll(/^ {2}([a-z]+)(?:\|[a-z]+)?(?: .*)?$/gm)].flatMap(([, name]) =>
      name === undefined || name === "help" ? [] : [name],
    );
    expect(names).toEqual(
      expect.arrayContaining(["init", "compile", "server", "run", "repl", "migrate", "schema", "healthcheck", "config", "version"]),
    );
    for (const name of names) {
      const help = await authz([name, "--help"]);
      expect([name, help.code, help.out.startsWith(`Usage: authz ${name}`)]).toEqual([name, 0, true]);
    }
  });
});

describe("the level of the log", () => {
  const cases: readonly (readonly [environment: string | undefined, flag: string | undefined, file: string, level: string])[] = [
    [undefined, undefined, "warn", "warn"],
    [undefined, "error", "warn", "error"],
    ["debug", "error", "warn", "debug"],
    ["debug", undefined, "warn", "debug"],
    ["V3", "error", "warn", "trace"],
    ["", "error", "warn", "error"],
    ["loud", "error", "warn", "error"],
  ];
  test.each(cases)("AUTHZ_LOG_LEVEL=%s, --log-level %s, server.logLevel %s: it is %s", (fromEnvironment, flag, file, level) => {
    const read = (text: string): LogLevel => parseLogLevel(text) ?? "info";
    expect(decideLevel(fromEnvironment, flag === undefined ? undefined : read(flag), read(file))).toBe(level);
  });
});

describe("the configuration file", () => {
  test.each([
    ["is the one that AUTHZ_CONFIG names", [], "DIR/authz.yaml", "DIR/authz.yaml: valid\n"],
    ["is none where that is empty", [], "", "the defaults: valid\n"],
    ["is the one of the command line where both name one", ["--config", "DIR/authz.yaml"], "DIR/wrong.yaml", "DIR/authz.yaml: valid\n"],
  ] as const)("%s", async (_sentence, argv, named, out) => {
    const result = await authz(["config", "validate", ...argv], { AUTHZ_CONFIG: named.replace("DIR", folder) });
    expect(result).toEqual({ code: 0, out, err: "" });
  });
});

describe("compile", () => {
  test("prints problems as JSON", async () => {
    const { code, out } = await authz(["compile", "DIR/broken", "--output=json"]);
    expect([code, JSON.parse(out)]).toEqual([
      3,
      {
        diagnostics: [
          expect.objectContaining({
            severity: "error",
            code: expect.any(String),
            file: "expense.yaml",
            line: 14,
            column: expect.any(Number),
            message: expect.any(String),
          }),
        ],
        errors: 1,
        warnings: 0,
        files: 1,
      },
    ]);
  });

  const ambiguous = /testdata\/principals\.yaml:1:63: warning ambiguous-value: `yes` is read as a string/g;
  test.each<[argv: string, out: number, err: number]>([
    ["", 1, 0],
    ["--warnings-as-errors", 1, 0],
    ["--test-filter suite=b", 1, 0],
    ["--test-output=junit", 0, 1],
    ["--test-output=list", 0, 1],
    ["--emit=table", 0, 1],
    ["--skip-tests", 0, 0],
    ["--test-filter suite=c", 0, 0],
  ])("warns once of ambiguous values in fixtures: %s", async (flags, out, err) => {
    const said = await authz(["compile", "DIR/ambiguous", ...flags.split(" ").filter((flag) => flag !== "")]);
    const times = (text: string): number => text.match(ambiguous)?.length ?? 0;
    expect([said.code, times(said.out), times(said.err)]).toEqual([0, out, err]);
  });

  test.each([["--output=json"], ["--output=json", "--test-output=json"]])("prints warnings of fixtures as JSON: %j", async (...flags) => {
    const { code, out, err } = await authz(["compile", "DIR/ambiguous", ...flags]);
    const told: unknown = JSON.parse(err === "" ? out : err);
    expect([code, told]).toEqual([
      0,
      expect.objectContaining({
        diagnostics: [],
        warnings: 0,
        testWarnings: [expect.objectContaining({ file: "testdata/principals.yaml", line: 1, column: 63, code: "ambiguous-value" })],
      }),
    ]);
  });

  test.each([["compile"], ["build", "-o", "-"]])("%s warns of a folder that is called like a policy", async (command, ...flags) => {
    mkdirSync(join(folder, "folder", "album.yaml"), { recursive: true });
    writeFileSync(join(folder, "folder", "expense.yaml"), expensePolicy);
    const { code, err } = await authz([command, "DIR/folder", ...flags]);
    expect(code).toBe(0);
    expect(err).toContain(`authz: warning: \`album.yaml\` in the folder \`DIR/folder\` is a folder, of which only what lies in it is read`);
  });

  test("frames the place in the source", async () => {
    expect((await authz(["compile", "DIR/broken"])).out).toMatch(/14 \| +expr: R\.attr\.amount </);
  });

  test("prints the generated functions, headed by the policy's own words", async () => {
    const { code, out } = await authz(["compile", "DIR/good", "--emit=js"]);
    expect(code).toBe(0);
    expect(out).toContain("R.attr.amount < 1000");
    expect(out).toContain("=>");
  });

  test.each([
    ["js", [/ann/, /clerk/, /album/]],
    ["table", [/^principal\.ann\.vdefault /m, /^role\.clerk\.vdefault /m, /^resource\.album\.vdefault /m]],
  ] as const)("prints the %s of all three types of policy", async (what, says) => {
    const { code, out } = await authz(["compile", "DIR/types", `--emit=${what}`]);
    expect(code).toBe(0);
    for (const each of says) expect(out).toMatch(each);
  });

  test("prints the decision table", async () => {
    const { code, out } = await authz(["compile", "DIR/good", "--emit=table"]);
    expect([code, out.includes("approve")]).toEqual([0, true]);
  });
});

describe("healthcheck", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  });
  afterAll(() => server.stop());

  test.each([
    ["grpc", "SERVING\n"],
    ["http", '{"status":"SERVING"}\n'],
  ] as const)("over %s finds a server that serves", async (kind, out) => {
    const address = kind === "grpc" ? server.grpc : server.http.replace("http://", "");
    expect(await authz(["healthcheck", `--kind=${kind}`, `--host-port=${address}`, "--no-tls"])).toEqual({ code: 0, out, err: "" });
  });

  test.each(["grpc", "http"] as const)("over %s takes the address from the configuration", async (kind) => {
    const [http, grpc] = [server.http.replace("http://", ""), server.grpc];
    writeFileSync(join(folder, "running.yaml"), `server:\n  httpListenAddr: ${http}\n  grpcListenAddr: ${grpc}\n`);
    expect((await authz(["hc", `--kind=${kind}`, "--config=DIR/running.yaml"])).code).toBe(0);
    expect((await authz(["hc", `--kind=${kind}`], { AUTHZ_CONFIG: join(folder, "running.yaml") })).code).toBe(0);
  });

  test.each(["grpc", "http"] as const)("over %s says plainly that the server does not use TLS", async (kind) => {
    const address = (kind === "grpc" ? server.grpc : server.http.replace("http://", "")).replace("127.0.0.1", "localhost");
    const { code, err } = await authz(["healthcheck", `--kind=${kind}`, `--host-port=${address}`]);
    expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*the server does not use TLS there \(use --no-tls\)\n$/)]);
  });

  test.each(["grpc", "http"] as const)("over %s fails in one line where nothing listens", async (kind) => {
    const { code, out, err } = await authz(["healthcheck", `--kind=${kind}`, "--host-port=127.0.0.1:1", "--no-tls", "--timeout=500ms"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^authz: error: the server is not healthy: 127\.0\.0\.1:1[ :][^\n]+\n$/);
  });
});
