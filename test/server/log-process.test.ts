/** The log of the program as a process: signals, terminals, readers that go away or take nothing, a full disk, errors that nobody caught. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { main, startProgram, type Run, type RunOptions } from "./process.ts";

const folder = temporaryFolder({ "policies/expense.yaml": expensePolicy });
const runs: Run[] = [];
afterEach(() => {
  for (const run of runs.splice(0)) run.process.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const free = ["server", "--set", "server.httpListenAddr=127.0.0.1:0", "--set", "server.grpcListenAddr=127.0.0.1:0"];

function start(argv: readonly string[] = [], options: RunOptions = {}): Run {
  const run = startProgram([...free, ...argv], { cwd: folder, ...options });
  runs.push(run);
  return run;
}

const served = /HTTP is served at (127\.0\.0\.1:\d+)/;
async function addressOf(run: Run): Promise<string> {
  const { stdout } = await eventually(run.output, ({ stdout: text }) => served.test(text));
  return served.exec(stdout)?.[1] ?? "";
}

async function ask(address: string, body: unknown = request): Promise<number> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`http://${address}/api/check/resources`, { method: "POST", headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

describe("SIGUSR1", () => {
  const debug = '"log.level":"debug"';

  test("gives debug lines, for a while; at the end all is as before", async () => {
    const run = start([], { environment: { AUTHZ_TEMP_LOG_LEVEL_DURATION: "300ms" } });
    const address = await addressOf(run);
    await ask(address);
    expect(run.output().stdout).not.toContain(debug);
    run.process.kill("SIGUSR1");
    await eventually(run.output, ({ stdout }) => stdout.includes("the log level is debug for 300ms, then info again"));
    await eventually(
      async () => {
        await ask(address);
        return run.output();
      },
      ({ stdout }) => stdout.includes("CheckResources begins"),
    );
    await eventually(run.output, ({ stdout }) => stdout.includes("the log level is info again"));
    const before = run.output().stdout.length;
    await ask(address);
    const { stdout } = await eventually(run.output, ({ stdout: text }) => text.includes("CheckResources OK", before));
    expect(stdout.slice(before)).not.toContain(debug);
    run.process.kill("SIGTERM");
    expect((await run.exited).code).toBe(0);
  });

  test("says so where the level is debug already, and never opens the inspector", async () => {
    const run = start(["--log-level=debug"], { nodeOptions: ["--inspect-port=0"] });
    await addressOf(run);
    run.process.kill("SIGUSR1");
    await eventually(run.output, ({ stdout }) => stdout.includes("the log level is debug already: the signal changes nothing"));
    expect(run.output().stderr).toBe("");
  });

  // Before Node has begun, any signal of this kind ends a process: then there is no inspector either.
  test("1 to 100 ms after the start leaves no inspector open", async () => {
    let lived = 0;
    for (const group of [
      [1, 2, 5, 10],
      [15, 20, 30, 40],
      [50, 60, 80, 100],
    ]) {
      const ended = await Promise.all(
        group.map(async (milliseconds) => {
          const run = start([], { nodeOptions: ["--inspect-port=0"] });
          setTimeout(() => run.process.kill("SIGUSR1"), milliseconds);
          const alive = await Promise.race([addressOf(run).then(() => true), run.exited.then(() => false)]);
          if (!alive) return expect((await run.exited).stdout).toBe("");
          lived++;
          for (const [, opened] of run.output().stderr.matchAll(/Debugger listening on ws:\/\/(\S+:\d+)/g))
            await expect(fetch(`http://${opened}/json/version`)).rejects.toThrow();
          expect(listening(run.process.pid ?? 0)).toBe(2);
          run.process.kill("SIGKILL");
        }),
      );
      expect(ended).toHaveLength(group.length);
    }
    expect(lived).toBeGreaterThan(0);
  });
});

/** How many sockets a process listens on; where the system does not tell, two. */
function listening(pid: number): number {
  if (!existsSync("/proc/self/net/tcp")) return 2;
  const inodes = new Set(
    ["tcp", "tcp6"]
      .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8").trim().split("\n").slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === "0A")
      .map(([, , , , , , , , , inode]) => inode ?? ""),
  );
  return descriptorsOf(pid).filter((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "")).length;
}

function descriptorsOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return []; // closed meanwhile
    }
  });
}

describe("on a terminal", () => {
  /** Runs the program with a terminal of its own, until the log holds a text; returns what it has shown. */
  const onTerminal = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    const command = [process.execPath, main, ...free].map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], SHELL: "/bin/sh", ...environment },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (shown += text));
    await eventually(
      () => shown,
      (text) => text.includes("HTTP is served at"),
    );
    child.kill("SIGTERM");
    return shown;
  };

  test("lines are coloured text", async () => {
    const shown = await onTerminal({});
    // eslint-disable-next-line no-control-regex
    expect(shown).toMatch(
      /\[\d\d:\d\d:\d\d\.\d{3}\] \x1b\[32mINFO\x1b\[39m: \x1b\[36mauthz\.server  HTTP is served at 127\.0\.0\.1:\d+\x1b\[39m/,
    );
    expect(shown).not.toContain('"log.level"');
  });

  test("characters that a terminal would obey, or not show, are codes", async () => {
    const odd = "\x1b[2J\n\x9b1m\u061c\u200b\u202e\u2066\ufeffx";
    const shown = await onTerminal({ NO_COLOR: "1", AUTHZ_TEMP_LOG_LEVEL_DURATION: odd });
    expect(shown).toContain("not `<1b>[2J<0a><9b>1m<61c><200b><202e><2066><feff>x`");
  });

  test("lines are text without colours where NO_COLOR says so", async () => {
    expect(await onTerminal({ NO_COLOR: "1" })).toMatch(
      /\[\d\d:\d\d:\d\d\.\d{3}\] INFO: authz\.server  HTTP is served at 127\.0\.0\.1:\d+/,
    );
  });
});

describe("the log cannot be written", () => {
  const askBySocket = (socketPath: string, body: unknown): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const asked = requestHttp({ socketPath, path: "/api/check/resources", method: "POST", headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      asked.on("error", reject).end(JSON.stringify(body));
    });
  /** An address that the test knows before the program says it. */
  const withAddress = async (stdout: "pipe" | number): Promise<{ run: Run; address: string }> => {
    const socket = `${folder}/http.sock`;
    rmSync(socket, { force: true });
    const run = start(["--set", `server.httpListenAddr=unix:${socket}`, "--set", "server.logRequestPayloads=true"], { stdout });
    await eventually(
      () => askBySocket(socket, request).catch(() => 0),
      (status) => status === 200,
    );
    return { run, address: socket };
  };
  /** Sixteen thousand characters in the log, each. */
  const large = { ...request, principal: { ...request.principal, attr: { filler: "x".repeat(15_000) } } };

  test("because its reader has gone: the service goes on", async () => {
    const { run, address } = await withAddress("pipe");
    run.process.stdout?.destroy();
    for (let count = 0; count < 20; count++) expect(await askBySocket(address, request)).toBe(200);
    await eventually(run.output, ({ stderr }) => stderr.includes("the log cannot be written to standard output (EPIPE)"));
    run.process.kill("SIGTERM");
    expect((await run.exited).code).toBe(0);
  });

  test("because the disk is full: the service goes on, and standard error says it once", async () => {
    const full = openSync("/dev/full", "w");
    const { run, address } = await withAddress(full);
    closeSync(full);
    for (let count = 0; count < 20; count++) expect(await askBySocket(address, request)).toBe(200);
    await eventually(run.output, ({ stderr }) => stderr.includes("ENOSPC"));
    run.process.kill("SIGTERM");
    const { code, stderr } = await run.exited;
    expect([code, stderr.trim().split("\n").length]).toEqual([0, 1]);
  });

  test("because its reader takes nothing: the service goes on, keeps what it has room for, and says what was dropped", async () => {
    const { run, address } = await withAddress("pipe");
    run.process.stdout?.pause();
    for (let count = 0; count < 70; count++) {
      const statuses = await Promise.all(Array.from({ length: 10 }, () => askBySocket(address, large)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    run.process.stdout?.resume();
    const { stdout } = await eventually(run.output, ({ stdout: text }) => text.includes("log lines were dropped"));
    for (const line of stdout.split("\n").slice(0, -1)) expect(() => void JSON.parse(line)).not.toThrow();
    run.process.stdout?.pause();
    for (let count = 0; count < 30; count++) await askBySocket(address, large);
    run.process.kill("SIGTERM"); // and nobody reads its last words
    await eventually(
      () => run.process.exitCode,
      (code) => code === 0,
    );
  });
});

describe("an error that nobody caught", () => {
  test.each([
    ["thrown", "throw new RangeError('planted')"],
    ["rejected", "Promise.reject(new RangeError('planted'))"],
  ])("%s, is logged, and ends the process with 1", async (_how, program) => {
    const run = start([], { nodeOptions: ["--import", `data:text/javascript,process.on('SIGUSR2',()=>{${program}})`] });
    await addressOf(run);
    run.process.kill("SIGUSR2");
    const { code, stderr } = await run.exited;
    expect(code).toBe(1);
    const [line = "", ...more] = stderr.trim().split("\n");
    expect(JSON.parse(line)).toMatchObject({
      "log.level": "error",
      message: "an uncaught error ends the process",
      "error.type": "RangeError",
      "error.message": "planted",
      "error.stack_trace": expect.stringContaining("RangeError: planted"),
    });
    expect(more).toEqual([]);
  });
});
