/** A server of the run: the built program, all of its processes, and what they hold. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { main } from "../server/process.ts";

/** What is started. */
export interface ServerOptions {
  /** A folder for all that it writes. */
  readonly folder: string;
  readonly configuration: string;
  /** Which Node runs it. */
  readonly node: string;
}

/** What one process holds. */
export interface Held {
  readonly descriptors: number;
  readonly sockets: number;
  readonly heapBytes: number;
  readonly duplexes: number;
  readonly emitters: number;
  /** What keeps its event loop alive, by kind. */
  readonly resources: string;
}

/** The processes. */
export interface FramesServer {
  readonly ports: { readonly http: number; readonly grpc: number };
  /** The first process and its workers. */
  readonly pids: () => readonly number[];
  /** Collects garbage in all of them, and counts what is left. */
  readonly held: () => Promise<ReadonlyMap<number, Held>>;
  /** Lines that should not be: errors, and what is no line of our log. */
  readonly complaints: () => readonly string[];
  readonly hasEnded: () => boolean;
  /** Tells it to stop, and resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  readonly kill: () => void;
}

/** Starts one, and waits until it serves. */
export async function startFramesServer({ folder, configuration, node }: ServerOptions): Promise<FramesServer> {
  const preload = pathToFileURL(join(dirname(main), "..", "test", "frames", "look-inside.mjs")).href;
  const child = spawn(node, [main, "server", `--config=${configuration}`], {
    env: {
      PATH: process.env["PATH"],
      NODE_OPTIONS: `--import=${preload} --disable-warning=ExperimentalWarning`,
      AUTHZ_FRAMES_FOLDER: folder,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const complaints: string[] = [];
  const last: string[] = [];
  const ports = { http: 0, grpc: 0 };
  let served: () => void = () => undefined;
  const isServed = new Promise<void>((resolve) => void (served = resolve));
  let isOpen = 0;
  const take = (line: string): void => {
    last.push(line);
    if (last.length > 40) last.shift();
    if (!line.startsWith("{") || /"log.level":"(error|fatal)"/.test(line)) complaints.push(line);
    const [, protocol = "", port] = /(HTTP|gRPC) is served at (?:\S+:(\d+)|unix:)/.exec(line) ?? [];
    if (protocol !== "") isOpen++;
    if (port !== undefined) ports[protocol === "HTTP" ? "http" : "grpc"] = Number(port);
    if (isOpen === 2) served();
  };
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, take);
  let hasEnded = false;
  const exited = once(child, "close").then(() => {
    hasEnded = true;
    return child.exitCode;
  });
  await Promise.race([isServed, exited]);
  const { pid } = child;
  if (hasEnded || pid === undefined) throw new Error(`the server does not start:\n${last.join("\n")}`);
  const pids = (): readonly number[] => [pid, ...childrenOf(pid)];
  return {
    ports,
    pids,
    held: async () => new Map(await Promise.all(pids().map(async (each) => [each, await heldBy(each, folder)] as const))),
    complaints: () => complaints,
    hasEnded: () => hasEnded,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

async function heldBy(pid: number, folder: string): Promise<Held> {
  const file = join(folder, String(pid));
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const end = performance.now() + 20_000; !existsSync(file);) {
    if (performance.now() > end) throw new Error(`process ${pid} does not say what it holds`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`));
  const sockets = targets.filter((target) => target.startsWith("socket:")).length;
  return { descriptors: targets.length, sockets, ...JSON.parse(readFileSync(file, "utf8")) };
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "gone";
  }
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}
