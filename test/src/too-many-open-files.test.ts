/** A process that may open too few files says so in a sentence, and what to do; it ended with a stack trace. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "acorn";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram } from "../../src/cli/run-program.ts";
import { tooManyOpenFiles } from "../../src/process/too-many-open-files.ts";
import { temporaryFolder } from "../server/harness.ts";
import { main } from "../server/process.ts";

const sentence = "the process has as many files open as it may: allow it 1024 or more";

const error = (message: string, code?: string): Error => Object.assign(new Error(message), { code });

describe("which errors are meant", () => {
  test.each<[string, unknown, string | undefined]>([
    ["a file", error("EMFILE: too many open files, open '/x'", "EMFILE"), sentence],
    ["a process", error("spawn /usr/bin/node EMFILE", "EMFILE"), sentence],
    ["a thread", error("Worker initialization failure: EMFILE", "ERR_WORKER_INIT_FAILED"), sentence],
    ["a file that Node looks for itself", error("Cannot read package config /x/package.json: too many open files."), sentence],
    ["the whole machine", error("ENFILE: file table overflow, open '/x'", "ENFILE"), "the machine has as many files open as it may"],
    ["a file that there is not", error("ENOENT: no such file or directory, open 'x'", "ENOENT"), undefined],
    ["a bug of ours", new TypeError("x is not a function"), undefined],
    ["no error", undefined, undefined],
  ])("%s", (_sentence, thrown, wanted) => {
    expect(tooManyOpenFiles(thrown)).toEqual(wanted === undefined ? undefined : expect.stringContaining(wanted));
  });
});

test("a program whose commands cannot be loaded says the same", async () => {
  let said = "";
  const line = { out: () => undefined, err: (text: string) => void (said += text), terminal: false, environment: {} };
  const describe = (): Promise<void> => Promise.reject(error("EMFILE: too many open files, open '/x'", "EMFILE"));
  expect(await runProgram("authz", ["compile"], line, describe)).toBe(1);
  expect(said).toMatch(new RegExp(`^authz: error: ${sentence}`));
});

/** Node opens the files of static imports at the same time, and reports what it cannot open with a stack trace. */
describe("before a program can say anything itself, its own file is the only one that is read", () => {
  const nextTo = dirname(main);
  test.each([
    ["main.js", "node:inspector"],
    ["ctl.js", "node:inspector"],
    ["server-worker.js", "node:inspector"],
    ["compile-worker.js", "node:worker_threads"],
  ])("%s", (file, known) => {
    const { body } = parse(readFileSync(join(nextTo, file), "utf8"), { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
    const sources = body.flatMap((each) => ("source" in each && each.source ? [String(each.source.value)] : []));
    expect(sources.filter((source) => !source.startsWith("node:"))).toEqual([]);
    expect(sources).toContain(known); // so imports are found at all
  });
});

/** How many files Node itself has open: with fewer it cannot begin. */
const ofNode = Number(execFileSync(process.execPath, ["-e", "console.log(fs.readdirSync('/proc/self/fd').length)"], { encoding: "utf8" }));

describe.runIf(process.platform === "linux")("with few files more than Node needs it works, or says so", () => {
  const server = (workers: number): readonly string[] => [
    "server",
    `--set=server.workers=${workers}`,
    "--set=storage.disk.directory=golden/tour/policies",
    "--set=server.httpListenAddr=127.0.0.1:0",
    "--set=server.grpcListenAddr=127.0.0.1:0",
  ];
  const works = "it works";

  /** What came of a command: that it works, or what it said before it ended with 1. */
  function outcomeOf(more: number, argv: readonly string[]): Promise<string> {
    const child = spawn("sh", ["-c", `ulimit -n ${ofNode + more}; exec "$0" "$@"`, process.execPath, main, ...argv]);
    let [said, isServing] = ["", false];
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (said += text));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (isServing || !text.includes("HTTP is served at")) return;
      isServing = true;
      child.kill();
    });
    return new Promise((resolve) => child.once("close", (code) => resolve(isServing || code === 0 ? works : `${code}\n${said}`)));
  }

  // How many each needs differs between versions of Node: only a server surely needs more than Node does.
  test.each<[string, readonly number[], readonly string[]]>([
    ["authz server", [1, 3, 4, 5, 7, 9], server(1)],
    ["authz server with two workers", [1, 9, 15, 21], server(2)],
    ["authz compile", [0, 1, 2], ["compile", "golden/tour/policies"]],
  ])("%s", async (_command, numbers, argv) => {
    const outcomes: string[] = [];
    for (const more of numbers) outcomes.push(await outcomeOf(more, argv));
    const refused = outcomes.filter((outcome) => outcome !== works);
    if (argv.includes("server")) expect(refused).not.toEqual([]);
    const wanted = new RegExp(`^authz: error: .*${sentence}`, "m");
    for (const outcome of refused) {
      expect(outcome).toMatch(/^1\n/);
      expect(outcome).toMatch(wanted);
      expect(outcome).not.toContain("    at ");
    }
  });

  test("authz compile with more suites than files that it may open", async () => {
    const suite = `name: x
principals: { ann: { id: ann, roles: [user] } }
resources: { one: { kind: album, id: "1" } }
tests: [{ name: x, input: { principals: [ann], resources: [one], actions: [view] }, expected: [{ principal: ann, resource: one, actions: { view: EFFECT_DENY } }] }]
`;
    const folder = temporaryFolder(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}_test.yaml`, suite])));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(await outcomeOf(100, ["compile", folder])).toBe(works);
  });
});
