/** Runs the built program as a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";

/** The built program. */
export const main = join(import.meta.dirname, "..", "..", "dist", "main.js");

export interface Run {
  readonly process: ChildProcess;
  /** What it has written so far. */
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  readonly exited: Promise<Exit>;
}

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** For Node itself. */
  readonly nodeOptions?: readonly string[];
  /** A descriptor to write to; otherwise a pipe that is read. */
  readonly stdout?: "pipe" | number;
}

/** A server of one process, unless the arguments say otherwise: those of several have tests of their own. */
const inOne = ([command = "", ...rest]: readonly string[]): readonly string[] =>
  command === "server" ? [command, "--set=server.workers=1", ...rest] : [command, ...rest];

/** Starts `authz` with arguments; nothing of this process's environment but the path reaches it. */
export function startProgram(argv: readonly string[], options: RunOptions = {}): Run {
  const child = spawn(process.execPath, [...(options.nodeOptions ?? []), main, ...inOne(argv)], {
    cwd: options.cwd,
    env: { PATH: process.env["PATH"], ...options.environment },
    stdio: ["ignore", options.stdout ?? "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  return {
    process: child,
    output: () => ({ stdout, stderr }),
    exited: new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr }))),
  };
}

/** Runs `authz` to its end. */
export function runProgram(argv: readonly string[], options: RunOptions = {}): Promise<Exit> {
  return startProgram(argv, options).exited;
}
