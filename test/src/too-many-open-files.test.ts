/** A process that may open too few files says so in a sentence, and what to do; it ended with a stack trace. */
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "acorn";
import { describe, expect, test } from "vitest";
import { tooManyOpenFiles } from "../../src/process/too-many-open-files.ts";
import { main } from "../server/process.ts";

const sentence = "the process has as many files open as it may: allow it 1024 or more";

describe("which errors are meant", () => {
  const error = (message: string, code?: string): Error => Object.assign(new Error(message), { code });
  test.each<[string, unknown, string | undefined]>([
    ["a file", error("EMFILE: too many open files, open '/x'", "EMFILE"), sentence],
    ["a process", error("spawn /usr/bin/node EMFILE", "EMFILE"), sentence],
    ["a thread", error("Worker initialization failure: EMFILE", "ERR_WORKER_INIT_FAILED"), sentence],
    ["the whole machine", error("ENFILE: file table overflow, open '/x'", "ENFILE"), "the machine has as many files open as it may"],
    ["a file that there is not", error("ENOENT: no such file or directory, open 'x'", "ENOENT"), undefined],
    ["a bug of ours", new TypeError("x is not a function"), undefined],
    ["no error", undefined, undefined],
  ])("%s", (_sentence, thrown, wanted) => {
    expect(tooManyOpenFiles(thrown)).toEqual(wanted === undefined ? undefined : expect.stringContaining(wanted));
  });
});

/** Node opens the files of static imports at the same time, and reports what it cannot open with a stack trace. */
describe("before a program can say anything itself, its own file is the only one that is read", () => {
  const nextTo = dirname(main);
  test.each(["main.js", "ctl.js"])("%s", (file) => {
    const { body } = parse(readFileSync(join(nextTo, file), "utf8"), { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
    const sources = body.flatMap((each) => ("source" in each && each.source ? [String(each.source.value)] : []));
    expect(sources.filter((source) => !source.startsWith("node:"))).toEqual([]);
    expect(sources).toContain("node:inspector"); // so imports are found at all
  });
});

/** How many files Node itself has open: with fewer it cannot begin. */
const ofNode = Number(execFileSync(process.execPath, ["-e", "console.log(fs.readdirSync('/proc/self/fd').length)"], { encoding: "utf8" }));

describe.runIf(process.platform === "linux")("with so many files more than Node needs", () => {
  const server = (workers: number): readonly string[] => [
    "server",
    `--set=server.workers=${workers}`,
    "--set=storage.disk.directory=golden/tour/policies",
    "--set=server.httpListenAddr=127.0.0.1:0",
    "--set=server.grpcListenAddr=127.0.0.1:0",
  ];
  test.each<[number, string, readonly string[]]>([
    [1, "authz server", server(1)],
    [3, "authz server", server(1)],
    [5, "authz server", server(1)],
    [1, "authz server with two workers", server(2)],
    [9, "authz server with two workers", server(2)],
    [21, "authz server with two workers", server(2)],
    [1, "authz compile", ["compile", "golden/tour/policies"]],
  ])("%i: %s", async (more, _command, argv) => {
    const command = ["-c", `ulimit -n ${ofNode + more}; exec "$0" "$@"`, process.execPath, main, ...argv];
    const failed: unknown = await promisify(execFile)("sh", command).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(new RegExp(`^authz: error: .*${sentence}`, "m")) });
    expect(failed).not.toMatchObject({ stderr: expect.stringContaining("    at ") });
  });
});
