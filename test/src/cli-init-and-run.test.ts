/** `authz init` and `authz run`: a folder to begin with, and a command in the company of a server. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "../../src/cli/index.ts";
import { editorSchemas } from "../../src/editor/index.ts";
import { makeAuthority } from "../server/certificates.ts";
import { eventually, startServer, temporaryFolder } from "../server/harness.ts";
import { runProgram, startProgram } from "../server/process.ts";
import { brokenPolicy, expensePolicy } from "../server/policies.ts";

const folder = temporaryFolder({ "policies/expense.yaml": expensePolicy, "broken/expense.yaml": brokenPolicy, "file.txt": "" });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function authz(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await run(
    argv.map((word) => word.replaceAll("DIR", folder)),
    {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      terminal: false,
      environment: { PATH: process.env["PATH"], ...environment },
    },
  );
  return { code, out: out.replaceAll(folder, "DIR"), err: err.replaceAll(folder, "DIR") };
}

interface Suite {
  readonly principals: { readonly [name: string]: { readonly id: string } };
  readonly resources: { readonly [name: string]: { readonly id: string } };
  readonly tests: readonly {
    readonly input: { readonly principals: readonly string[]; readonly resources: readonly string[]; readonly actions: readonly string[] };
    readonly expected: readonly {
      readonly principal: string;
      readonly resource: string;
      readonly actions: { readonly [action: string]: string };
    }[];
  }[];
}

describe("init", () => {
  beforeAll(async () => {
    const { code, out } = await authz(["init", "DIR/shop"]);
    expect([code, out]).toEqual([
      0,
      `wrote DIR/shop/policies/document.yaml
wrote DIR/shop/policies/document_test.yaml
wrote DIR/shop/.authz.yaml
wrote DIR/shop/.github/workflows/policies.yaml

Compile the policies:   cd DIR/shop && authz compile policies
Serve them:             cd DIR/shop && authz server --config .authz.yaml
`,
    ]);
  });
  const text = (path: string): string => readFileSync(join(folder, "shop", path), "utf8");

  test("writes policies that compile without a word, and whose tests pass", async () => {
    expect(await authz(["compile", "DIR/shop/policies", "--warnings-as-errors"])).toEqual({
      code: 0,
      out: "1 policy file, no errors, no warnings\nTest results\n└──documents (document_test.yaml) [12 OK]\n\n12 tests executed [12 OK]\n",
      err: "",
    });
  });

  test("writes a configuration that is valid, and takes a file beside it", async () => {
    expect(await authz(["config", "validate", "DIR/shop/.authz.yaml"])).toEqual({ code: 0, out: "DIR/shop/.authz.yaml: valid\n", err: "" });
  });

  test("writes a suite of the language of suites, and what it expects is what the server answers", async () => {
    const suite = parse(text("policies/document_test.yaml")) as Suite;
    expect(new Ajv({ strict: false }).validate(editorSchemas.suite(), suite)).toBe(true);
    const server = await startServer({ policies: join(folder, "shop", "policies") });
    try {
      let asked = 0;
      for (const { input, expected } of suite.tests) {
        expect(expected).toHaveLength(input.principals.length * input.resources.length);
        for (const { principal, resource, actions } of expected) {
          expect(Object.keys(actions)).toEqual(input.actions);
          const body = {
            principal: suite.principals[principal],
            resources: [{ actions: input.actions, resource: suite.resources[resource] }],
          };
          const { json } = await server.post("/api/check/resources", body);
          expect([principal, resource, json.results[0].actions]).toEqual([principal, resource, actions]);
          asked++;
        }
      }
      expect(asked).toBe(4);
    } finally {
      await server.stop();
    }
  });

  interface Step {
    readonly run?: string;
    readonly uses?: string;
    readonly with?: { readonly policies?: string; readonly config?: string };
  }

  test("writes a workflow that runs commands there are", async () => {
    const workflow = parse(text(".github/workflows/policies.yaml")) as {
      readonly jobs: { readonly compile: { readonly steps: readonly Step[] } };
    };
    const commands = workflow.jobs.compile.steps.flatMap(({ run: line }) =>
      line?.startsWith("npx --no authz ") ? [line.split(" ").slice(3)] : [],
    );
    expect(commands).toEqual([["config", "validate", ".authz.yaml"]]);
    const action = workflow.jobs.compile.steps.find(({ uses }) => uses?.startsWith("./node_modules/authz/") === true);
    const { inputs } = parse(readFileSync(join(action?.uses?.slice("./node_modules/authz/".length) ?? "", "action.yml"), "utf8")) as {
      readonly inputs: object;
    };
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(action?.with ?? { nothing: "" })));
    commands.push(["compile", String(action?.with?.policies), "--config", String(action?.with?.config), "--warnings-as-errors"]);
    for (const argv of commands) {
      const there = argv.map((word) => (existsSync(join(folder, "shop", word)) ? join(folder, "shop", word) : word));
      expect([argv, (await authz(there)).code]).toEqual([argv, 0]);
    }
  });

  test("overwrites nothing, and says what is in its way", async () => {
    mkdirSync(join(folder, "taken", "policies"), { recursive: true });
    writeFileSync(join(folder, "taken", "policies", "document.yaml"), "mine");
    writeFileSync(join(folder, "taken", ".authz.yaml"), "mine");
    expect(await authz(["init", "DIR/taken"])).toEqual({
      code: 1,
      out: "",
      err: "authz: error: nothing is written, because these files are there:\n  DIR/taken/policies/document.yaml\n  DIR/taken/.authz.yaml\n",
    });
    expect(readdirSync(join(folder, "taken"), { recursive: true, encoding: "utf8" }).toSorted()).toEqual([
      ".authz.yaml",
      "policies",
      "policies/document.yaml",
    ]);
    expect(readFileSync(join(folder, "taken", ".authz.yaml"), "utf8")).toBe("mine");
  });

  test("follows no link, neither one that leads nowhere nor a folder that lies elsewhere", async () => {
    for (const name of ["dangling/policies", "led", "elsewhere"]) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync(join(folder, "elsewhere", "new.yaml"), join(folder, "dangling", "policies", "document.yaml"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "led", "policies"));
    expect((await authz(["init", "DIR/dangling"])).err).toBe(
      "authz: error: nothing is written, because these files are there:\n  DIR/dangling/policies/document.yaml\n",
    );
    expect((await authz(["init", "DIR/led"])).err).toBe(
      "authz: error: nothing is written, because these folders are links to others:\n  DIR/led/policies\n",
    );
    expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
    expect(readdirSync(join(folder, "led"))).toEqual(["policies"]);
  });

  test("shows commands that a shell takes for no others, whatever the folder is called", async () => {
    expect((await authz(["init", "DIR/it's $(id);a"])).out).toContain("cd 'DIR/it'\\''s $(id);a' && authz compile policies\n");
  });

  test("says in one line that it cannot write", async () => {
    expect((await authz(["init", "DIR/file.txt/a"])).err).toMatch(
      /^authz: error: `DIR\/file\.txt\/a\/policies\/document\.yaml` cannot be written: [^\n]+\n$/,
    );
  });
});

const free = ["--set", "server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0"];
const served = [...free, "--set", "storage.disk.directory=DIR/policies"];
const shell = (script: string): readonly string[] => ["--", "sh", "-c", script];

describe("run", () => {
  test("gives the command the two addresses of a server that answers, and exits as the command does", async () => {
    const { code, out, err } = await authz([
      "run",
      ...served,
      ...shell("echo $AUTHZ_HTTP $AUTHZ_GRPC > DIR/found; exec curl -sf -o DIR/health $AUTHZ_HTTP/_authz/health"),
    ]);
    expect([code, out]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "found"), "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+ 127\.0\.0\.1:\d+\n$/);
    expect(readFileSync(join(folder, "health"), "utf8")).toContain("SERVING");
    for (const line of err.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ message: expect.any(String) });
    expect(err).toContain("shutdown complete");
  });

  test.each([
    ["its exit code", shell("exit 7"), 7, /^$/],
    ["128 and the signal that ended it", shell("kill -TERM $$"), 143, /^$/],
    ["options of the command are the command's", ["sh", "-c", "exit $#", "--", "--config", "--log-level"], 2, /^$/],
    [
      "127 where there is no such command",
      ["--", "DIR/no-such-command"],
      127,
      /^authz: error: `DIR\/no-such-command` cannot be started: there is no such command\n$/,
    ],
    ["80 where it is empty", ["--", ""], 80, /^authz: error: the command to run is empty\n/],
    [
      "127 where it is not executable",
      ["--", "DIR/file.txt"],
      127,
      /^authz: error: `DIR\/file\.txt` cannot be started: it is not executable\n$/,
    ],
  ] as const)("%s", async (_sentence, command, code, says) => {
    const result = await authz(["run", ...served, "--log-level=error", ...command]);
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(says)]);
  });

  test.each([
    [{ AUTHZ_LOG_LEVEL: "loud" }, "AUTHZ_LOG_LEVEL must be debug, info, warn, error or V1, V2, ..., not `loud`: it is ignored"],
    [{ CERBOS_CONFIG: "a.yaml" }, "CERBOS_CONFIG is not read: set AUTHZ_CONFIG"],
  ])("%j is not passed over in silence", async (environment, says) => {
    const { code, err } = await authz(["run", ...served, "--log-level=warn", ...shell("exit 3")], environment);
    expect([code, err.split("\n").filter((line) => line.includes(`"message":"${says}"`)).length]).toEqual([3, 1]);
  });

  test("says to the command that the server speaks TLS", async () => {
    const { certificate, key } = makeAuthority().issue({ names: ["127.0.0.1"] });
    for (const [name, text] of [
      ["tls.crt", certificate],
      ["tls.key", key],
    ] as const)
      writeFileSync(join(folder, name), text);
    const tls = ["--set", "server.tls.cert=DIR/tls.crt,server.tls.key=DIR/tls.key"];
    const { code } = await authz(["run", ...served, ...tls, "--log-level=error", ...shell("echo $AUTHZ_HTTP > DIR/over-tls")]);
    expect([code, readFileSync(join(folder, "over-tls"), "utf8")]).toEqual([0, expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\n$/)]);
  });

  test("does not run the command when the server cannot start", async () => {
    const { code, err } = await authz([
      "run",
      ...free,
      "--log-level=error",
      "--set",
      "storage.disk.directory=DIR/broken",
      ...shell("touch DIR/ran"),
    ]);
    expect([code, existsSync(join(folder, "ran"))]).toEqual([1, false]);
    expect(err).toContain("authz: error: ");
  });

  test("does not wait for ever for the server", async () => {
    const { code, err } = await authz(["run", ...served, "--log-level=error", "--timeout=1ms", ...shell("touch DIR/ran-late")]);
    expect([code, err, existsSync(join(folder, "ran-late"))]).toEqual([
      1,
      "authz: error: the server did not start within 0.001 s (--timeout)\n",
      false,
    ]);
  });

  test("makes ./policies where there is nothing, and takes ./.authz.yaml where it is", async () => {
    mkdirSync(join(folder, "bare"));
    const bare = await runProgram(["run", ...free, "--log-level=error", "--", "sh", "-c", "ls -d policies"], { cwd: join(folder, "bare") });
    expect(bare).toEqual({ code: 0, stdout: "policies\n", stderr: "" });
    const [directory, ...more] = [
      join(folder, "configured"),
      "server:",
      "  httpListenAddr: 127.0.0.1:0",
      "  grpcListenAddr: unix:grpc.sock",
      "storage:",
      "  disk:",
      "    directory: ../policies",
    ];
    mkdirSync(directory ?? "");
    writeFileSync(join(directory ?? "", ".authz.yaml"), more.join("\n"));
    const { code, stdout } = await runProgram(["run", "--log-level=error", "--", "sh", "-c", "echo $AUTHZ_GRPC; ls"], { cwd: directory });
    expect([code, stdout]).toEqual([0, "unix:grpc.sock\ngrpc.sock\n"]);
  });

  test("makes no folder that somebody names: it may be mistyped", async () => {
    const { code, err } = await authz([
      "run",
      ...free,
      "--log-level=error",
      "--set",
      "storage.disk.directory=DIR/polices",
      ...shell("touch DIR/ran-beside-nothing"),
    ]);
    expect([code, existsSync(join(folder, "polices")), existsSync(join(folder, "ran-beside-nothing"))]).toEqual([1, false, false]);
    expect(err).toBe("authz: error: the policies directory `DIR/polices` does not exist (setting storage.disk.directory)\n");
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const)(
    "passes %s on, and stops the server after the command",
    async (signal) => {
      const script = `trap 'echo heard; exit 5' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
      const started = startProgram(["run", ...free, "--set", `storage.disk.directory=${folder}/policies`, "--", "sh", "-c", script]);
      await eventually(started.output, ({ stdout }) => stdout.includes("ready"));
      started.process.kill(signal);
      const { code, stdout, stderr } = await started.exited;
      expect([code, stdout]).toEqual([5, "ready\nheard\n"]);
      expect(stderr).toContain("shutdown complete");
    },
  );
});
