/** A server as a process: how it starts, what stops it from starting, how it ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { request as requestHttp } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { startLoad } from "./drain-client.ts";
import { tryDrain } from "./drain-try.ts";
import { eventually, startServer, temporaryFolder } from "./harness.ts";
import { brokenPolicy, closedPolicy, expensePolicy, request } from "./policies.ts";
import { main, runProgram, startProgram, type Run } from "./process.ts";
import { openClient } from "./stock-client.ts";

const folder = temporaryFolder({
  "policies/expense.yaml": expensePolicy,
  "broken/expense.yaml": brokenPolicy,
  "empty/x.txt": "",
  "socket/a file": "",
  "requests/view.json": JSON.stringify(request),
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const free = ["--set", "server.httpListenAddr=127.0.0.1:0", "--set", "server.grpcListenAddr=127.0.0.1:0"];

async function httpAddress(run: Run): Promise<string> {
  const { stdout } = await eventually(run.output, ({ stdout: text }) => /HTTP is served at (\S+:\d+)"/.test(text));
  return /HTTP is served at (\S+:\d+)"/.exec(stdout)?.[1] ?? "";
}

describe("a start", () => {
  test("without configuration serves ./policies, prints a line to paste, and ends with 0 when told to", async () => {
    const run = startProgram(["server", ...free], { cwd: folder });
    const address = await httpAddress(run);
    expect((await fetch(`http://${address}/_authz/health`)).status).toBe(200);
    const { stdout } = await eventually(run.output, ({ stdout: text }) => text.includes("curl "));
    expect(stdout).toContain(
      `\ncurl -s 'http://${address}/api/check/resources?pretty' -H content-type:application/json -d @requests/view.json\n`,
    );
    for (const line of stdout
      .trim()
      .split("\n")
      .filter((text) => !text.startsWith("curl ")))
      expect(JSON.parse(line)).toMatchObject({ "ecs.version": expect.any(String), message: expect.any(String) });
    run.process.kill("SIGTERM");
    const exit = await run.exited;
    expect([exit.code, exit.stderr, exit.stdout.includes("shutdown complete")]).toEqual([0, "", true]);
  });

  test("without configuration tells whoever named a file as Cerbos reads it", async () => {
    const run = startProgram(["server", ...free], { cwd: folder, environment: { CERBOS_CONFIG: "authz.yaml" } });
    await httpAddress(run);
    run.process.kill("SIGTERM");
    const { code, stdout } = await run.exited;
    expect([code, stdout.includes('"CERBOS_CONFIG is not read: set AUTHZ_CONFIG"')]).toEqual([0, true]);
  });

  test("takes the configuration file and the level from the environment, and then prints no line to paste into a log that machines read", async () => {
    writeFileSync(
      join(folder, "authz.yaml"),
      "server:\n  httpListenAddr: 127.0.0.1:0\n  grpcListenAddr: ${GRPC}\nstorage:\n  disk:\n    directory: empty\n",
    );
    const run = startProgram(["server", "--log-level=error"], {
      cwd: folder,
      environment: { AUTHZ_CONFIG: "authz.yaml", AUTHZ_LOG_LEVEL: "info", GRPC: "127.0.0.1:0" },
    });
    await httpAddress(run);
    expect(run.output().stdout).toContain("policies loaded from no files");
    run.process.kill("SIGINT");
    const { code, stdout } = await run.exited;
    // Beside the folder of policies there are requests.
    expect([code, stdout.includes("curl ")]).toEqual([0, false]);
  });

  test("tells of what is ignored, in the file and in the environment", async () => {
    writeFileSync(join(folder, "ignored.yaml"), "hub: {credentials: {clientID: a}}\nstorage: {disk: {directory: empty}}\n");
    const run = startProgram(["server", ...free, "--config=ignored.yaml"], { cwd: folder, environment: { AUTHZ_LOG_LEVEL: "loud" } });
    await httpAddress(run);
    run.process.kill("SIGTERM");
    const { code, stdout } = await run.exited;
    const warned = stdout.split("\n").filter((line) => line.includes('"log.level":"warn"'));
    expect([code, warned.map((line) => JSON.parse(line).message)]).toEqual([
      0,
      [
        "ignored.yaml:1:1: `hub` has no meaning here and is ignored",
        "AUTHZ_LOG_LEVEL must be debug, info, warn, error or V1, V2, ..., not `loud`: it is ignored",
        "there are no policies: every check is denied",
      ],
    ]);
  });

  test.each<[string, readonly string[], RegExp | undefined]>([
    ["of several requests the first by name", ["storage.disk.directory=sample/policies"], /-d @sample\/requests\/a\.json\n/],
    ["no line without a request beside the policies", ["storage.disk.directory=empty/policies"], undefined],
    ["no line where requests are no folder", ["storage.disk.directory=plain/policies"], undefined],
    [
      "no line where nothing is served on a port",
      ["storage.disk.directory=sample/policies", "server.httpListenAddr=unix:line.sock"],
      undefined,
    ],
  ])("prints to paste: %s", async (_sentence, settings, wanted) => {
    for (const path of ["sample/policies", "sample/requests", "empty/policies", "plain/policies"])
      mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, "plain/requests"), "");
    for (const name of ["b.json", "a.json", "0.txt"]) writeFileSync(join(folder, "sample/requests", name), "{}");
    const run = startProgram(["server", ...free, ...settings.flatMap((setting) => ["--set", setting])], { cwd: folder });
    await eventually(run.output, ({ stdout }) => stdout.includes("HTTP is served at"));
    run.process.kill("SIGTERM");
    const { code, stdout } = await run.exited;
    expect([code, stdout.includes("curl ")]).toEqual([0, wanted !== undefined]);
    if (wanted !== undefined) expect(stdout).toMatch(wanted);
  });

  test("on sockets serves there, over what a dead process has left", async () => {
    const [http, grpc] = [join(folder, "h.sock"), join(folder, "g.sock")];
    const argv = ["server", "--set", `server.httpListenAddr=unix:${http}`, "--set", `server.grpcListenAddr=unix:${grpc}`];
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const run = startProgram(argv, { cwd: folder });
      await eventually(run.output, ({ stdout }) => stdout.includes(`HTTP is served at unix:${http}`));
      const status = await new Promise((resolve) =>
        requestHttp({ socketPath: http, path: "/_authz/health" }, (response) => resolve(response.statusCode)).end(),
      );
      const client = openClient(`unix:${grpc}`, "grpc.health.v1.Health");
      expect([status, (await client.call("check", {})).reply]).toEqual([200, { status: "SERVING" }]);
      client.close();
      if (signal === "SIGTERM") {
        const second = await runProgram(argv, { cwd: folder });
        expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is in use by another process")]);
      }
      run.process.kill(signal);
      await run.exited;
    }
  });
});

describe("a start is refused, in a sentence, with exit code 1,", () => {
  const cases: readonly (readonly [sentence: string, settings: readonly string[], says: RegExp])[] = [
    [
      "when the directory does not exist",
      ["storage.disk.directory=DIR/nowhere"],
      /^authz: error: the policies directory `DIR\/nowhere` does not exist \(setting storage\.disk\.directory\)\n$/,
    ],
    [
      "when the directory is a file",
      ["storage.disk.directory=DIR/policies/expense.yaml"],
      /^authz: error: the policies directory `DIR\/policies\/expense\.yaml` is not a directory/,
    ],
    [
      "when the policies do not compile",
      ["storage.disk.directory=DIR/broken"],
      /^authz: error: expense\.yaml:14:\d+: error [\s\S]*14 \| [\s\S]*the policies do not compile: 1 error\n$/,
    ],
    ["when an address is no socket", ["server.httpListenAddr=unix:DIR/requests/view.json"], /is a file that is not a socket/],
    [
      "when a socket's path is too long",
      [`server.httpListenAddr=unix:DIR/${"x".repeat(120)}`],
      /the HTTP address `unix:.*` is too long: its path has \d+ bytes and the system allows 107 \(setting server\.httpListenAddr\)/,
    ],
    ["when a socket's folder is missing", ["server.httpListenAddr=unix:DIR/nowhere/a.sock"], /is in a folder that does not exist/],
    [
      "when a gRPC socket's folder is missing",
      ["server.grpcListenAddr=unix:DIR/nowhere/a.sock"],
      /the gRPC address .* is in a folder that does not exist/,
    ],
    [
      "when a host is not this machine",
      ["server.httpListenAddr=192.0.2.1:80"],
      /the HTTP address `192\.0\.2\.1:80` is not an address of this machine \(setting server\.httpListenAddr\)/,
    ],
    [
      "when the gRPC host is not this machine",
      ["server.grpcListenAddr=192.0.2.1:80"],
      /the gRPC address `192\.0\.2\.1:80` is not an address of this machine \(setting server\.grpcListenAddr\)/,
    ],
  ];
  test.each(cases)("%s", async (_sentence, settings, says) => {
    const { code, err } = await serve([`storage.disk.directory=${folder}/policies`, ...settings]);
    expect(err).toMatch(says);
    expect(err).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  test.each([
    ["HTTP", "http"],
    ["gRPC", "grpc"],
  ])("when the %s port is in use", async (name, key) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, err } = await serve([`storage.disk.directory=${folder}/policies`, `server.${key}ListenAddr=127.0.0.1:${port}`]);
    other.close();
    expect([code, err]).toEqual([
      1,
      `authz: error: the ${name} address \`127.0.0.1:${port}\` is in use by another process (setting server.${key}ListenAddr)\n`,
    ]);
  });

  test("when a socket is another process's that is too busy to answer: it keeps its file", async () => {
    const path = join(folder, "busy.sock");
    const listens = `require("node:net").createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => console.log("listens"))`;
    const other = spawn(process.execPath, ["-e", listens], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void other.kill("SIGKILL"));
    await once(other.stdout, "data");
    other.kill("SIGSTOP");
    const isLeft = (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect(path, () => resolve(true)).on("error", () => resolve(false));
        onTestFinished(() => void socket.destroy());
      });
    await eventually(isLeft, (room) => !room);
    const { code, err } = await serve([`storage.disk.directory=${folder}/policies`, `server.httpListenAddr=unix:${path}`]);
    expect([code, err, existsSync(path)]).toEqual([
      1,
      "authz: error: the HTTP address `unix:DIR/busy.sock` is in use by another process (setting server.httpListenAddr)\n",
      true,
    ]);
  });

  test("as a process too, with nothing but the sentence on standard error", async () => {
    const { code, stderr } = await runProgram(["server", ...free, "--set", "storage.disk.directory=nowhere"], { cwd: folder });
    expect([code, stderr]).toEqual([1, "authz: error: the policies directory `nowhere` does not exist (setting storage.disk.directory)\n"]);
  });

  /** Runs the command in this process, which it leaves at once. */
  async function serve(settings: readonly string[]): Promise<{ readonly code: number; readonly err: string }> {
    let err = "";
    const sets = [...free, ...settings.flatMap((setting) => ["--set", setting.replace("DIR", folder)])];
    const code = await run(["server", "--log-level=error", "--set=server.workers=1", ...sets], {
      out: () => undefined,
      err: (text) => void (err += text),
      terminal: false,
      environment: {},
    });
    return { code, err: err.replaceAll(folder, "DIR") };
  }
});

test("a socket file has the mode that was asked for, and is gone at the end", async () => {
  const [http, grpc] = [join(folder, "mode-h.sock"), join(folder, "mode-g.sock")];
  const settings = { "server.httpListenAddr": `unix:${http}`, "server.grpcListenAddr": `unix:${grpc}`, "server.udsFileMode": "0o640" };
  const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings });
  expect([http, grpc].map((path) => statSync(path).mode & 0o777)).toEqual([0o640, 0o640]);
  await server.stop();
  expect([http, grpc].filter((path) => existsSync(path))).toEqual([]);
});

describe("an end", () => {
  test("lets a request finish that has begun, and takes no other", async () => {
    const server = await startServer({ policies: { "expense.yaml": expensePolicy } });
    const { hostname, port } = new URL(server.http);
    const body = JSON.stringify(request);
    const [begun, idle] = [connect(Number(port), hostname), connect(Number(port), hostname)];
    let [answer, other] = ["", ""];
    begun.setEncoding("utf8").on("data", (text: string) => void (answer += text));
    idle.setEncoding("utf8").on("data", (text: string) => void (other += text));
    begun.write(`POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`);
    idle.write("GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n");
    await eventually(
      () => other,
      (text) => text.includes("SERVING"),
    );
    const stopped = server.stop();
    await eventually(
      () =>
        fetch(`${server.http}/_authz/health`).then(
          () => false,
          () => true,
        ),
      Boolean,
    ); // nobody listens any more
    begun.write(body.slice(20));
    await eventually(
      () => answer,
      (text) => text.endsWith("}"),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    await stopped;
    await expect(fetch(`${server.http}/_authz/health`)).rejects.toThrow();
  });

  test.each([1, 2])("is at once, with 1, at the second signal: %j process(es)", async (workers) => {
    const slow = ["--set=server.shutdownTimeout=1h", `--set=server.workers=${workers}`];
    const run = startProgram(["server", ...free, ...slow], { cwd: folder });
    onTestFinished(() => void run.process.kill("SIGKILL"));
    const [hostname = "", port] = (await httpAddress(run)).split(":");
    const begun = connect(Number(port), hostname).on("error", () => undefined);
    begun.write("POST /api/check/resources HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n");
    await once(begun, "data"); // it is being read
    run.process.kill("SIGTERM");
    await eventually(run.output, ({ stdout }) => stdout.includes("shutting down"));
    const others = childrenOf(run.process.pid ?? 0);
    run.process.kill("SIGINT");
    const { code, stdout } = await run.exited;
    expect([code, stdout.includes("shutdown complete")]).toEqual([1, false]);
    await eventually(
      () => others.some((pid) => existsSync(`/proc/${pid}`)),
      (isThere) => !isThere,
    );
  });

  test("does not wait longer than it may for a request that never finishes", async () => {
    const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: { "server.shutdownTimeout": "100ms" } });
    const { hostname, port } = new URL(server.http);
    const socket = connect(Number(port), hostname);
    socket.write("POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{");
    const closed = new Promise((resolve) => socket.on("close", resolve).on("error", () => undefined));
    await server.get("/_authz/health"); // the other connection has been seen by now
    await server.stop();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

test("an end under load loses nothing that was sent before the server said so", async () => {
  const main = join(import.meta.dirname, "..", "..", "dist", "main.js");
  const { http, grpc, exitCode } = await tryDrain({ main, rate: 300, connections: 10, warmUp: 200 });
  expect([http.lost, grpc.lost, exitCode]).toEqual([[], [], 0]);
  expect([http.whole, grpc.whole]).toEqual([http.sent, grpc.sent]);
  expect(Math.min(http.sent, grpc.sent)).toBeGreaterThan(50);
});

test("policies that change under load lose nothing either", async () => {
  const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: { "storage.disk.watchForChanges": true } });
  const load = startLoad({ http: new URL(server.http).host, grpc: server.grpc, rate: 200, connections: 4 });
  const loaded = (): number => server.logged().filter((line) => String(line["message"]).startsWith("policies loaded from")).length;
  for (const policy of [closedPolicy, expensePolicy, closedPolicy]) {
    const [before, answers] = [loaded(), load.whole()];
    writeFileSync(join(server.directory, "expense.yaml"), policy);
    await eventually(
      () => loaded() > before && load.whole() > answers,
      (both) => both,
    );
  }
  const ended = load.ended;
  await server.stop();
  const { http, grpc } = await ended;
  expect([http.lost, grpc.lost]).toEqual([[], []]);
  expect([http.whole, grpc.whole]).toEqual([http.sent, grpc.sent]);
});

describe("SIGHUP", () => {
  const argv = (workers: number): readonly string[] => ["server", ...free, "--log-level=info", `--set=server.workers=${workers}`];

  test.each([1, 2])("from no terminal ends nothing, and is told once: %j process(es)", async (workers) => {
    const run = startProgram(argv(workers), { cwd: folder });
    const address = await httpAddress(run);
    const told = (): number => run.output().stdout.split("SIGHUP changes nothing").length - 1;
    for (const pid of [run.process.pid ?? 0, ...childrenOf(run.process.pid ?? 0)]) process.kill(pid, "SIGHUP");
    await eventually(told, (times) => times === 1);
    run.process.kill("SIGHUP");
    expect((await fetch(`http://${address}/_authz/health`)).status).toBe(200);
    run.process.kill("SIGTERM");
    const { code, stderr } = await run.exited;
    expect([code, stderr, told()]).toEqual([0, "", 1]);
  });

  test.each([1, 2])("of a terminal stops the server as it stops when told to, however often it comes: %j process(es)", async (workers) => {
    // `script` opens a terminal, and writes what is written there into a file.
    const typescript = join(folder, `typescript-${workers}`);
    const command = [process.execPath, main, ...argv(workers)].map((word) => `'${word}'`).join(" ");
    const terminal = spawn("script", ["-qefc", `exec ${command}`, typescript], { cwd: folder, stdio: ["pipe", "ignore", "inherit"] });
    const exited = once(terminal, "exit");
    const said = (): string => (existsSync(typescript) ? readFileSync(typescript, "utf8") : "");
    await eventually(said, (text) => text.includes("HTTP is served at"));
    const [server = 0] = childrenOf(terminal.pid ?? 0);
    for (const pid of [server, ...childrenOf(server), server]) process.kill(pid, "SIGHUP");
    expect(await exited).toEqual([0, null]);
    expect(said()).toContain("shutdown complete");
  });
});

/** The processes that a process has started. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

test("SIGUSR1 leaves no inspector open, however early it comes", async () => {
  const run = startProgram(["server", ...free], { cwd: folder, nodeOptions: ["--inspect-port=0"] });
  const signal = (): void => void run.process.kill("SIGUSR1");
  // Before Node has its own handler the signal would end the process, whatever the program did: wait for that alone.
  await eventually(() => handlesSignal(run.process.pid ?? 0), Boolean);
  const again = setInterval(signal, 5);
  const address = await httpAddress(run);
  clearInterval(again);
  signal();
  expect((await fetch(`http://${address}/_authz/health`)).status).toBe(200);
  const opened = /Debugger listening on ws:\/\/(\S+:\d+)/.exec(run.output().stderr)?.[1];
  if (opened !== undefined) await expect(fetch(`http://${opened}/json/version`)).rejects.toThrow();
  run.process.kill("SIGTERM");
  expect((await run.exited).code).toBe(0);
});

/** Has the program begun, and a handler for SIGUSR1 (signal 10)? Where the system does not tell, assume so. */
function handlesSignal(pid: number): boolean {
  if (!existsSync("/proc/self/status")) return true;
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("main.js")) return false; // still the copy of ourselves
    const [, mask = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & (1n << 9n)) !== 0n;
  } catch {
    return false;
  }
}
