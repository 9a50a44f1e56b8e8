/** Runs the built program as a server of several processes, and looks at them from outside. */
import { readFileSync } from "node:fs";
import { Agent, request as requestHttp } from "node:http";
import { eventually, type LogLine } from "./harness.ts";
import { startProgram, type Exit, type Run } from "./process.ts";

/** A server of several processes. */
export interface WorkerServer {
  /** `127.0.0.1:<port>` or `unix:<path>`. */
  readonly http: string;
  readonly grpc: string;
  readonly run: Run;
  /** The process ids of the workers that there are now. */
  readonly workers: () => readonly number[];
  /** The log's lines so far, parsed; lines that are no JSON fail. */
  readonly logged: () => readonly LogLine[];
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly stop: () => Promise<Exit>;
}

/** What it is started with. */
export interface WorkerServerOptions {
  readonly settings?: { readonly [key: string]: string | number | boolean };
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts one over a folder of policies, with two workers unless the settings say otherwise, and waits until it serves. */
export async function startWorkerServer(directory: string, options: WorkerServerOptions = {}): Promise<WorkerServer> {
  const run = startProgram(argvOf(directory, options), options.environment === undefined ? {} : { environment: options.environment });
  const { stdout } = await eventually(run.output, (output) => output.stdout.includes("workers serve") || run.process.exitCode !== null);
  const addressOf = (name: string): string => new RegExp(`${name} is served at ([^"]+)"`).exec(stdout)?.[1] ?? "";
  const pid = run.process.pid ?? 0;
  return {
    http: addressOf("HTTP"),
    grpc: addressOf("gRPC"),
    run,
    workers: () => childrenOf(pid),
    logged: () => linesOf(`${run.output().stdout}${run.output().stderr}`),
    kill: (signal) => void run.process.kill(signal),
    stop: () => {
      run.process.kill("SIGTERM");
      return run.exited;
    },
  };
}

/** The arguments of such a start. */
export function argvOf(directory: string, { settings = {} }: WorkerServerOptions = {}): readonly string[] {
  const all = {
    "server.workers": 2,
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    "storage.disk.directory": directory,
    ...settings,
  };
  return ["server", ...Object.entries(all).map(([key, value]) => `--set=${key}=${value}`)];
}

/** The processes that a process has started, as Linux lists them. */
export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(/\s+/).filter(Boolean).map(Number);
}

/** Is there such a process? One that is only still to be taken note of is gone. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const linesOf = (text: string): readonly LogLine[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** A connection of HTTP/1 that stays open: whoever took it in answers all that is asked over it. */
export interface Connection {
  readonly ask: (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<ConnectionAnswer>;
  readonly close: () => void;
}

/** An answer over it. */
export interface ConnectionAnswer {
  readonly status: number;
  readonly text: string;
}

/** Opens one; without a body it gets, with one it posts. */
export function connectTo(address: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [host, port] = address.split(":");
  const where = host === "unix" ? { socketPath: port } : { host, port };
  return {
    ask: (path, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = body === undefined ? undefined : JSON.stringify(body);
        const asked = requestHttp(
          {
            agent,
            ...where,
            path,
            method: sent === undefined ? "GET" : "POST",
            headers: {
              ...headers,
              ...(sent !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }),
            },
          },
          (response) => {
            let text = "";
            response.setEncoding("utf8").on("data", (part: string) => void (text += part));
            response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
            response.once("error", reject);
          },
        );
        asked.once("error", reject);
        asked.end(sent);
      }),
    close: () => agent.destroy(),
  };
}
