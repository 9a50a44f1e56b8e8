/** The console as a program: its options, its exit code, its terminal, its history. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { openHistory, historyFile, noHistory } from "../../src/repl/history.ts";
import { maxWork } from "../../runtime/cel/work.ts";
import { noStyles } from "../../src/repl/styles.ts";
import { noPolicyFiles } from "../../src/repl/answer.ts";
import { runAtTerminal } from "../../src/repl/terminal.ts";
import { temporaryFolder } from "../server/harness.ts";
import { expenseFiles, expenseRequest, stateOf } from "./repl-harness.ts";

const folder = temporaryFolder({
  ...expenseFiles,
  "request.json": JSON.stringify(expenseRequest),
  "single.json": '{"principal": {"id": "ann"}, "resource": {"kind": "k"}}',
  "wrong.json": '{"principal": {"id": "ann", "role": []}}',
  "broken.json": '{"principal": }',
  "comma.json": '{\n  "principal": {},\n}',
  "token.json": '{"auxData": {"jwt": {"token": "x.y.z"}}}',
  "entry.json": JSON.stringify({
    decisionLogEntry: {
      callId: "01M8HCZ6KJA66GMF1JBYMMC2V4",
      timestamp: "2026-01-31T12:00:00.5Z",
      checkResources: {
        inputs: [
          {
            principal: { id: "ann", roles: ["manager"] },
            resource: { kind: "expense", id: "1" },
            actions: ["approve"],
            auxData: { jwt: { sub: "ann" }, jwts: { web: { claims: { aud: ["a"] } } } },
          },
          { principal: { id: "ann", roles: ["manager"] }, resource: { kind: "expense", id: "2" }, actions: ["view"] },
        ],
        outputs: [],
      },
    },
  }),
  "oversized.json":
    '{"timestamp": "noon", "oversized": true, "checkResources": {"inputs": [{"principal": {"id": "a", "roles": ["b"]}, "resource": {"kind": "k", "id": "1"}}]}}',
  "refused.json": '{"callId": "x", "checkResources": {"error": "a fault"}}',
  "access.json": '{"callId": "x", "method": "/authz.svc.v1.AuthzService/CheckResources"}',
  "listed-access.json": '{"accessLogEntry": {"callId": "x", "method": "/authz.svc.v1.AuthzService/CheckResources"}}',
  "several.json": '{"callId": "x", "method": "a"}\n{"callId": "x", "checkResources": {}}\n',
  "two-lines.json": '{"principal": {"id": "ann"}}\n]\n',
  "scoped/root.yaml":
    "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: doc\n  version: v1\n  rules:\n    - {name: all, actions: [view, edit], roles: [user], effect: EFFECT_ALLOW}\n    - {name: strict, actions: [edit], roles: [user], effect: EFFECT_DENY, condition: {match: {expr: R.attr.nope}}}\n",
  "scoped/acme.yaml": "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: doc\n  version: v1\n  scope: acme\n",
  "validated/item.yaml":
    "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: item\n  version: default\n  schemas:\n    principalSchema: {ref: authz:///who.json}\n    resourceSchema: {ref: authz:///item.json, ignoreWhen: {actions: [list]}}\n  rules:\n    - {name: all, actions: [view, list], roles: [user], effect: EFFECT_ALLOW}\n",
  "validated/_schemas/who.json": '{"type": "object", "required": ["team"]}',
  "validated/_schemas/item.json": '{"type": "object", "properties": {"size": {"type": "number"}}}',
  "deep/below/item.yaml":
    "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: item\n  version: default\n  schemas:\n    resourceSchema: {ref: authz:///item.json}\n  rules:\n    - {name: all, actions: [view], roles: [user], effect: EFFECT_ALLOW}\n",
  "deep/_schemas/item.json": '{"type": "object", "properties": {"size": {"type": "number"}}}',
  "lacking/item.yaml":
    "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: item\n  version: default\n  schemas:\n    resourceSchema: {ref: authz:///gone.json}\n  rules:\n    - {name: all, actions: [view], roles: [user], effect: EFFECT_ALLOW}\n",
  "item.json":
    '{"principal": {"id": "ann", "roles": ["user"], "attr": {"team": "a"}}, "resource": {"kind": "item", "id": "1", "attr": {"size": "10"}}, "actions": ["view", "list"]}',
  "view.json": '{"principal": {"id": "ann", "roles": ["user"]}, "resource": {"kind": "doc", "id": "1"}, "actions": ["view"]}',
  "edit.json": '{"principal": {"id": "ann", "roles": ["user"]}, "resource": {"kind": "doc", "id": "1"}, "actions": ["edit"]}',
  "below.json":
    '{"principal": {"id": "ann", "roles": ["user"]}, "resource": {"kind": "doc", "id": "1", "scope": "acme.hr"}, "actions": ["view"]}',
  "globals.yaml": "home: de\nlimit: 10\n",
  "binary.json": Buffer.from([0xff]).toString("latin1"),
  "bad/policy.yaml": "resourcePolicy: {}\n",
});
const ofServer = (storage: string): string =>
  `engine: {globals: {home: de}, defaultPolicyVersion: v1, defaultScope: acme, lenientScopeSearch: true, strictEvaluation: true}\n${storage}`;
writeFileSync(
  join(folder, "authz.yaml"),
  ofServer(`storage: {driver: disk, disk: {directory: ${JSON.stringify(join(folder, "scoped"))}}}\n`),
);
writeFileSync(join(folder, "database.yaml"), ofServer("storage: {driver: sqlite3, sqlite3: {dsn: 'file:x.db'}}\n"));
for (const enforcement of ["none", "warn", "reject"])
  writeFileSync(
    join(folder, `${enforcement}.yaml`),
    `schema: {enforcement: ${enforcement}}\nstorage: {driver: disk, disk: {directory: ${JSON.stringify(join(folder, "validated"))}}}\n`,
  );
writeFileSync(join(folder, "mistake.yaml"), "engine: {defaultScop: acme}\n");
writeFileSync(join(folder, "binary.json"), Buffer.from([0xff, 0xfe]));
afterAll(() => rmSync(folder, { recursive: true }));

async function authz(argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await run(
    argv.map((word) => word.replace("DIR", folder)),
    { out: (text) => void (out += text), err: (text) => void (err += text), terminal: false, environment: {} },
  );
  return { code, out: out.replaceAll(folder, "DIR"), err: err.replaceAll(folder, "DIR") };
}

describe("options", () => {
  const all = "--request=DIR/request.json --policies=DIR/policies --use=resource.expense.vdefault";
  test.each([
    // options                                      code  out             err
    ["-e 1+1", 0, "2\n", ""],
    ["-e 1+1 -e _*2", 0, "2\n4\n", ""],
    ["-e 1/0", 1, "", "-e:1:1: error: division by zero\n  |\n1 | 1/0\n  | ^^^\n"],
    ["-e 1 -e 1/0 -e 2", 1, "1\n2\n", "-e 2:1:1: error: division by zero"],
    ["-e 1+1 --output=json", 0, '{"expression":"1+1","value":2,"type":"int"}\n', ""],
    ["--request=DIR/single.json -e P.id", 0, '"ann"\n', ""],
    [`${all} -e V.isSmall`, 0, "true\n", ""],
    [`${all} -e :exec`, 0, "small: allow approve to manager: holds\n", ""],
    ["DIR/policies --use=resource.expense.vdefault -e V.isSmall --request=DIR/request.json", 0, "true\n", ""],
    ["DIR/policies --policies=DIR/policies -e 1", 1, "", "policies are given twice: `DIR/policies` and --policies=DIR/policies"],
    ["--globals=DIR/globals.yaml -e G.limit+1", 0, "11\n", ""],
    ["--config=DIR/authz.yaml -e G.home", 0, '"de"\n', ""],
    ["--config=DIR/authz.yaml --globals=DIR/globals.yaml -e G.limit", 0, "10\n", ""],
    [
      "--config=DIR/authz.yaml --request=DIR/view.json -e :check",
      0,
      "view: EFFECT_ALLOW by resource.doc.vv1/acme\n  allow  resource.doc.vv1#all  as user  satisfied\n",
      "",
    ],
    ["--config=DIR/authz.yaml --request=DIR/edit.json -e :check", 0, "edit: EFFECT_DENY by resource.doc.vv1\n", ""],
    ["--config=DIR/authz.yaml --request=DIR/below.json -e :check", 0, "view: EFFECT_ALLOW by resource.doc.vv1/acme\n", ""],
    [
      "--config=DIR/database.yaml --request=DIR/view.json -e :check",
      0,
      "view: EFFECT_DENY by NO_MATCH\n  = note: no policies are loaded\n",
      "",
    ],
    [
      "--config=DIR/authz.yaml --policies=DIR/policies --use=resource.expense.vdefault -e V.isSmall --request=DIR/request.json",
      0,
      "true\n",
      "",
    ],
    ["--config=DIR/mistake.yaml -e 1", 1, "", "DIR/mistake.yaml:1:10: error: unknown key `engine.defaultScop`"],
    ["--config=DIR/nowhere.yaml -e 1", 1, "", "DIR/nowhere.yaml: error: the configuration file does not exist"],
    ["--config=DIR/authz.yaml --config=DIR/authz.yaml -e 1", 80, "", "The configuration is one file"],
    ["--request=DIR/token.json -e request.auxData.jwt", 0, "{}\n", "tokens are not verified here"],
    ["--request=DIR/entry.json -e request.auxData.jwt.sub+request.auxData.jwts.web.claims.aud[0]", 0, '"anna"\n', ""],
    [
      "--request=DIR/entry.json -e now() -e :reset -e now()",
      0,
      'timestamp("2026-01-31T12:00:00.5Z")\neverything is as it was at the start\ntimestamp("2026-01-31T12:00:00.5Z")\n',
      "",
    ],
    ["--request=DIR/entry.json -e :resource", 0, "*  1  expense  1  approve\n   2  expense  2  view\n", ""],
    ["--request=DIR/oversized.json -e R.kind", 0, '"k"\n', "DIR/oversized.json: the entry was too large to be written with its attributes"],
    ["--request=DIR/refused.json -e 1", 1, "", "DIR/refused.json: this entry has no request: the check failed before it was decided"],
    [
      "--request=DIR/access.json -e 1",
      1,
      "",
      "DIR/access.json: this is an access entry of the audit log, which has no request: take the decision entry with the same `callId`",
    ],
    [
      "--request=DIR/listed-access.json -e 1",
      1,
      "",
      "DIR/listed-access.json: this is an access entry of the audit log, which has no request: take the decision entry with the same `callId`",
    ],
    [
      "--request=DIR/several.json -e 1",
      1,
      "",
      "DIR/several.json: this is one JSON document a line, as in an audit log: put the line of one decision into a file of its own",
    ],
    ["--request=DIR/two-lines.json -e 1", 1, "", "DIR/two-lines.json: line 2, column 1: expected the end of the text, found `]`"],
    [
      "--request=DIR/wrong.json -e 1",
      1,
      "",
      "authz: error: DIR/wrong.json: unknown field `request.principal.role` (did you mean `roles`?)",
    ],
    ["--request=DIR/broken.json -e 1", 1, "", "DIR/broken.json: line 1, column 15: expected a value"],
    [
      "--request=DIR/comma.json -e 1",
      1,
      "",
      "DIR/comma.json: line 3, column 1: expected a field name in double quotes, found `}`: remove the comma",
    ],
    ["--request=DIR/nothing.json -e 1", 1, "", "`DIR/nothing.json` does not exist"],
    ["--request=DIR/binary.json -e 1", 1, "", "`DIR/binary.json` is not UTF-8 text"],
    ["--request=DIR -e 1", 1, "", "`DIR` is a directory"],
    ["--policies=DIR/bad -e 1", 1, "", "DIR/bad/policy.yaml:1:"],
    ["--policies=DIR/nowhere -e 1", 1, "", "`DIR/nowhere` does not exist"],
    ["--policies=DIR/policies --use=nope -e 1", 1, "", "no policy `nope`"],
    ["--output=xml -e 1", 80, "", "Allowed choices are text, json"],
  ])("authz repl %s", async (options, code, out, err) => {
    const found = await authz(["repl", ...options.split(" ")]);
    expect(found.code).toBe(code);
    expect(found.out.startsWith(out)).toBe(true);
    if (out === "") expect(found.out).toBe("");
    if (err === "") expect(found.err).toBe("");
    else expect(found.err).toContain(err);
    expect(found.err).not.toMatch(/\n\s+at /);
  });
});

describe("policies are the same however their path is written", () => {
  const here = process.cwd();
  const tour = ["golden/tour/policies/expense_roles.yaml:", "golden/tour/policies/expense.yaml:"];
  test.each<readonly [first: string, second: string, listed: readonly string[]]>([
    ["golden/tour/policies", "./golden/tour/policies/", tour],
    ["golden/tour/policies", `${here}/golden/tour/policies`, tour],
    [`${here}/golden/tour/policies`, "golden/tour/../tour/policies/expense.yaml", tour],
    ["golden/tour/policies/expense.yaml", `${here}/golden/tour/policies`, tour],
    ["DIR/policies", "DIR/validated/../policies/", ["DIR/policies/roles.yaml:", "DIR/policies/expense.yaml:"]],
  ])("%s and %s", async (first, second, files) => {
    const { out, err } = await authz(["repl", "-e", `:load ${first}`, "-e", `:load ${second}`, "-e", ":use none", "-e", ":use"]);
    expect(err).toBe("");
    const lines = out.trimEnd().split("V and C are empty\n")[1]?.split("\n");
    expect(lines).toEqual(files.map((file) => expect.stringContaining(` ${file}`)));
  });
});

describe("attributes are validated by their schemas as the configuration says", () => {
  const view = "view: EFFECT_ALLOW by resource.item.vdefault\n  allow  resource.item.vdefault#all  as user  satisfied\n";
  const list = view.replace("view", "list");
  const denied = ": EFFECT_DENY by resource.item.vdefault\n  = note: schema validation rejects the attributes of the";
  const size = " resource at `/size`: must be a number, not a string";
  test.each<readonly [configuration: string, entries: readonly string[], out: string]>([
    ["", [":load DIR/validated", ":check"], `loaded 1 policy file\nusing resource.item.vdefault\n${view}${list}`],
    ["none", [":check"], view + list],
    [
      "warn",
      [":check"],
      `${view}${list}  = note: schema validation rejects the attributes of the${size} (\`schema.enforcement: warn\` only reports it)\n`,
    ],
    ["reject", [":check"], `view${denied}${size}\nlist${denied}${size}\n`],
    // The schema is ignored for `list` alone.
    ["reject", [":check list"], list],
    ["reject", [":let R.attr.size = 10", ":check view"], view],
    [
      "reject",
      [":let P.attr = {}", ":check view"],
      `view${denied} principal at \`/\`: \`team\` is missing\n  = note: schema validation rejects the attributes of the${size}\n`,
    ],
    // A file alone is validated by the schemas of the folder that it belongs to.
    ["reject --policies=DIR/scoped", [":load DIR/validated/item.yaml", ":check view"], `view${denied}${size}\n`],
    ["reject --policies=DIR/scoped", [":load DIR/deep/below/item.yaml", ":check view"], `view${denied}${size}\n`],
    // What is loaded besides takes nothing away.
    ["reject", [":load DIR/policies", ":check view"], `view${denied}${size}\n`],
    ["reject --policies=DIR/lacking", [":check view"], `view${denied} resource: the schema \`authz:///gone.json\` cannot be used: `],
  ])("%s: %j", async (configuration, entries, out) => {
    const [name = "", ...more] = configuration.split(" ");
    const given = name === "" ? [] : [`--config=DIR/${name}.yaml`, ...more];
    const found = await authz(["repl", "--request=DIR/item.json", ...given, ...entries.flatMap((entry) => ["-e", entry])]);
    expect(found.err).toBe("");
    expect(found.out).toContain(out);
  });
});

/** Runs the built program with a text on its standard input. */
function piped(
  input: string,
  argv: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(process.execPath, ["dist/main.js", "repl", ...argv], { stdio: "pipe", env: { PATH: process.env["PATH"] } });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text));
  child.stdin.end(input);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

describe("the built program, piped", () => {
  test("answers a line with a line, says where something failed, and exits with 1", async () => {
    const { code, out, err } = await piped("1 + 1\n:let x = [\n 1]\nx.size() + _\n\nnope\n_\n", [
      "--request",
      join(folder, "request.json"),
    ]);
    expect([code, out]).toEqual([1, "2\n3\n3\n"]);
    expect(err).toMatch(/^<stdin>:6:1: error: `nope` is not declared\n/);
  });

  test("exits with 0 when every line is answered, and keeps no history", async () => {
    expect(await piped('R.attr.amount > 5.0\n"no line end"', ["--request", join(folder, "request.json")])).toEqual({
      code: 0,
      out: 'true\n"no line end"\n',
      err: "",
    });
  });

  test("reads to the end of a large input", async () => {
    const { out, code } = await piped("1 + 1\n".repeat(5_000));
    expect([code, out.length]).toEqual([0, 10_000]);
  });
});

/** Types keys at a terminal made of two streams, each once the one before has been answered. */
async function type(keys: readonly string[]): Promise<string> {
  const input = new PassThrough();
  const output = new PassThrough();
  let seen = "";
  output.setEncoding("utf8").on("data", (text: string) => void (seen += text));
  const running = {
    host: { now: () => 0, maxWork, styles: noStyles, width: 80, readPolicies: async () => noPolicyFiles },
    output: "text",
    out: (text: string) => void output.write(text),
    err: (text: string) => void output.write(text),
  } as const;
  const history = { lines: ["6 * 7"], add: () => undefined };
  const done = runAtTerminal({ input, output }, stateOf({ request: expenseRequest }), history, running);
  for (const key of keys) {
    input.write(key);
    await quiet(() => seen.length);
  }
  await done;
  // What moves the cursor or clears the line says nothing here.
  return seen.replaceAll(/\u001B\[\d*[A-Za-z]/g, "").replaceAll("\r", "");
}

/** Waits until everything that was waiting has run and nothing more is written. */
async function quiet(written: () => number): Promise<void> {
  for (let before = -1; before !== written();) {
    before = written();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("at a terminal", () => {
  test.each([
    ["a line is answered", ["1+1\r"], "= 2  : int\n"],
    ["Tab completes", ["R.att\t", ".amo\t", "\r"], "= 250.0  : double (dyn)\n"],
    ["an arrow brings back what was typed", ["\u001B[A", "\r"], "= 42  : int\n"],
    ["an open bracket goes on", ["[1,\r", "2]\r"], "    .. 2]\n= [1, 2]  : list(int)\n"],
    ["an error is framed", ["1 + nope\r"], "error: `nope` is not declared\n  |\n1 | 1 + nope\n  |     ^^^^\n"],
    ["Ctrl-C clears a line", ["nope", "\u0003", "2\r"], "= 2  : int\n"],
    ["Ctrl-C leaves an open entry", ["(1 +\r", "\u0003", "3\r"], "= 3  : int\n"],
    ["Ctrl-C on an empty line says how to end", ["\u0003"], "(Ctrl-D or :quit ends the session)\n"],
  ] as const)("%s", async (_, keys, shown) => {
    expect(await type([...keys, "\u0004"])).toContain(shown);
  });

  test(":quit ends the session", async () => {
    expect(await type([":quit\r"])).toContain("authz> :quit\n");
  });
});

describe("history", () => {
  test("is kept for its owner alone, without repetition, and without what begins with a space", () => {
    const file = join(folder, "state", "deep", "history");
    const history = openHistory(file, () => expect.unreachable());
    for (const line of ["1", "1", "", " secret", "2", "x".repeat(20_000)]) history.add(line);
    expect(readFileSync(file, "utf8")).toBe("1\n2\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openHistory(file, () => expect.unreachable()).lines).toEqual(["2", "1"]);
  });

  test("is cut where it has become long, and closed to others where it was open", () => {
    const file = join(folder, "long-history");
    writeFileSync(file, Array.from({ length: 3_000 }, (_, at) => `${at}\n`).join(""));
    chmodSync(file, 0o644);
    const { lines } = openHistory(file, () => expect.unreachable());
    expect([lines.length, lines[0], readFileSync(file, "utf8").split("\n").length]).toEqual([1_000, "2999", 1_001]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("that cannot be kept is said once, and is no reason to stop", () => {
    mkdirSync(join(folder, "is-a-folder"));
    const warnings: string[] = [];
    openHistory(join(folder, "is-a-folder"), (message) => void warnings.push(message)).add("1");
    expect(warnings).toEqual([expect.stringContaining("the history cannot be kept in")]);
  });

  test.each([
    [{ HOME: "/home/ann" }, "/home/ann/.local/state/authz/repl-history"],
    [{ HOME: "/home/ann", XDG_STATE_HOME: "/state" }, "/state/authz/repl-history"],
    [{ HOME: "/home/ann", XDG_STATE_HOME: "relative" }, "/home/ann/.local/state/authz/repl-history"],
    [{}, undefined],
  ])("of %j is in %s", (environment, file) => {
    expect(historyFile(environment)).toBe(file);
  });

  test("named by nothing is off", () => {
    expect(openHistory("", () => expect.unreachable())).toBe(noHistory);
  });

  test("in a device is none, and the device stays open to others", () => {
    const { mode } = statSync("/dev/null");
    try {
      expect(openHistory("/dev/null", () => expect.unreachable())).toBe(noHistory);
      expect(statSync("/dev/null").mode).toBe(mode);
    } finally {
      if (statSync("/dev/null").mode !== mode) chmodSync("/dev/null", mode & 0o777);
    }
  });
});
