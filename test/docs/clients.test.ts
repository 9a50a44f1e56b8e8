/** docs/clients.md is true: its programs, run by their languages, get decisions; its values of attributes are what conditions see. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settings } from "../../src/config/settings.ts";
import { startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { runAside } from "../server/run-aside.ts";

const page = readFileSync("docs/clients.md", "utf8");
const fenced = (language: string): string =>
  [...page.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].find(([, kind]) => kind === language)?.[2] ?? expect.fail(`no block of ${language}`);

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer({ policies: "golden/tour/policies" });
  folder = mkdtempSync(join(tmpdir(), "authz-test-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

/** A program of the page, with the addresses of the server that runs here. */
const program = (language: string): string =>
  fenced(language).replaceAll("http://localhost:3592", server.http).replaceAll("localhost:3593", server.grpc);

/** A test of a program that needs something outside this project; without it, its name says that nothing is shown. */
function testWith(needed: readonly [command: string, ...argv: readonly string[]], title: string, run: () => Promise<void>): void {
  const [command, ...argv] = needed;
  const isHere = spawnSync(command, argv).status === 0;
  test(isHere ? title : `NOT SHOWN HERE: ${title}, because \`${needed.join(" ")}\` fails`, async () => {
    if (isHere) await run();
  });
}

describe("over HTTP", () => {
  testWith(["python3", "--version"], "the program in Python gets a decision, or the reason why there is none", async () => {
    const ask = program("python");
    expect(await runAside("python3", ["-c", ask])).toEqual({ code: 0, stdout: "{'approve': True, 'delete': False}\n" });
    const refused = ask.replace("print(check(", "try: print(check(").concat("except RuntimeError as error: print(error)\n");
    const { stdout } = await runAside("python3", ["-c", refused.replace('"id": "maria", ', "")]);
    expect(stdout).toBe("invalid request: principal.id: a principal id is required\n");
  });

  testWith(["java", "--version"], "the program in Java gets a decision", async () => {
    writeFileSync(join(folder, "Check.java"), program("java"));
    const { code, stdout } = await runAside("java", [join(folder, "Check.java")]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^200 \{"results":\[.*"actions":\{"approve":"EFFECT_ALLOW"\}/)]);
  });
});

describe("over gRPC", () => {
  testWith(["python3", "-c", "import grpc_tools"], "the program in Python gets a decision from code made as the page says", async () => {
    cpSync("proto", join(folder, "proto"), { recursive: true });
    const [before = "", files = ""] = [/`(mkdir -p gen)`/.exec(page)?.[1], /`(FILES=[^`]*)`/.exec(page)?.[1]];
    const generate = /`(python -m grpc_tools[^`]*)`/.exec(page)?.[1] ?? "";
    const place = `cd '${folder}'`;
    const made = spawnSync("sh", ["-euc", `${place}; ${before}; ${files}; ${generate.replace("python", "python3")}`], {
      encoding: "utf8",
    });
    expect([made.status, made.stderr]).toEqual([0, ""]);
    writeFileSync(join(folder, "program.py"), program("python grpc"));
    expect(await runAside("sh", ["-c", `${place}; python3 program.py`])).toEqual({ code: 0, stdout: "True\n" });
  });

  test("the service config is one that clients take", async () => {
    const client = new Client(server.grpc, credentials.createInsecure(), {
      "grpc.service_config": JSON.stringify(JSON.parse(fenced("json"))),
    });
    await new Promise<void>((resolve, reject) => client.waitForReady(Date.now() + 5000, (error) => (error ? reject(error) : resolve())));
    client.close();
  });
});

describe("attributes", () => {
  const conditions = {
    date: 'timestamp(R.attr.created) < timestamp("2026-11-28T09:00:00Z")',
    duration: 'duration(R.attr.age) == duration("5400s")',
    bytes: 'base64.decode(R.attr.digest) == b"hello"',
    absent: "!has(R.attr.owner)",
    nothing: "R.attr.owner == null",
    double: "R.attr.id == 9007199254740992.0",
    string: 'R.attr.id == "9007199254740993"',
  };
  let own: TestServer;
  const policy = {
    apiVersion: "api.authz.dev/v1",
    resourcePolicy: {
      resource: "thing",
      version: "default",
      rules: [
        ...Object.entries(conditions).map(([action, expr]) => ({
          actions: [action],
          effect: "EFFECT_ALLOW",
          roles: ["user"],
          condition: { match: { expr } },
        })),
        {
          actions: ["large"],
          effect: "EFFECT_ALLOW",
          roles: ["user"],
          output: { when: { ruleActivated: "[9007199254740993, 9007199254740991]" } },
        },
      ],
    },
  };
  const policies = temporaryFolder({ "thing.yaml": JSON.stringify(policy) });
  beforeAll(async () => void (own = await startServer({ policies })));
  afterAll(async () => {
    await own.stop();
    rmSync(policies, { recursive: true });
  });
  const ask = (action: string, attr: string): ReturnType<TestServer["post"]> =>
    own.post(
      "/api/check/resources",
      `{"principal":{"id":"a","roles":["user"]},"resources":[{"actions":["${action}"],"resource":{"kind":"thing","id":"1","attr":${attr}}}]}`,
      { "content-type": "application/json" },
    );

  // oxfmt-ignore
  test.each<readonly [what: keyof typeof conditions, attr: string]>([
    ["date",     '{"created":"2026-11-28T09:30:00+01:00"}'],
    ["duration", '{"age":"1h30m"}'],
    ["bytes",    '{"digest":"aGVsbG8="}'],
    ["absent",   "{}"],
    ["nothing",  '{"owner":null}'],
    ["double",   '{"id":9007199254740993}'],
    ["string",   '{"id":"9007199254740993"}'],
  ])("%s, sent as %s, are what the page says", async (what, attr) => {
    expect((await ask(what, attr)).text).toContain(`"${what}":"EFFECT_ALLOW"`);
  });

  test.each(["NaN", "Infinity", '"x"]'])("%s is refused", async (value) => {
    expect((await ask("date", `{"n":${value}}`)).status).toBe(400);
  });

  test("an empty list in place of attributes is refused", async () => {
    const { status, text } = await ask("date", "[]");
    expect([status, text]).toEqual([400, expect.stringContaining("must be an object, but is a list")]);
  });

  test("whole numbers of outputs are strings where JSON readers would round them", async () => {
    expect((await ask("large", "{}")).text).toContain('"val":["9007199254740993",9007199254740991]');
  });
});

test("the limits that the page names are those of a server without settings", () => {
  expect(settings["server.advanced.http.idleTimeout"].default).toBe(120_000);
  expect(settings["server.advanced.grpc.maxConnectionAge"].default).toBe(600_000);
  expect(settings["server.advanced.grpc.maxRecvMsgSizeBytes"].default).toBe(4 * 2 ** 20);
});
