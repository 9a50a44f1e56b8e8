/** A server of the chaos run: the built program in a process of its own, and what is measured of it. */
import type { JsonObject } from "@bufbuild/protobuf";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, request as ask } from "node:http";
import { grpcChannel, type Answer, type Channel, type Question } from "../server/channels.ts";
import { readExposition, type Exposition } from "../src/exposition.ts";

/** What is started. */
export interface ServerOptions {
  readonly name: string;
  readonly program: string;
  /** As after `--set`. */
  readonly settings: { readonly [key: string]: string | number | boolean };
}

/** A process that serves. */
export interface ChaosServer {
  readonly name: string;
  readonly http: (question: Question) => Promise<Answer>;
  readonly grpc: (question: Question) => Promise<Answer>;
  /** Requests that have not been answered yet. */
  readonly pending: () => number;
  readonly metrics: () => Promise<Exposition>;
  readonly descriptors: () => number;
  /** The last lines of its log. */
  readonly log: () => readonly string[];
  /** Resolves with the exit code. */
  readonly signal: (signal: "SIGTERM" | "SIGKILL") => Promise<number | null>;
}

/** A start that came to nothing. */
export interface FailedStart {
  readonly failed: true;
  readonly code: number | null;
  readonly log: readonly string[];
}

const maxLines = 300;
const requestMilliseconds = 30_000;

/** Starts one, and waits until it serves or has ended. */
export async function startChaosServer({ name, program, settings }: ServerOptions): Promise<ChaosServer | FailedStart> {
  const all: ServerOptions["settings"] = {
    "server.workers": 1,
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    ...settings,
  };
  const args = Object.entries(all).flatMap(([key, value]) => ["--set", `${key}=${String(value).replaceAll(/[\\,]/g, "\\$&")}`]);
  const child = spawn(process.execPath, [program, "server", ...args], {
    env: { PATH: process.env["PATH"], NODE_OPTIONS: process.env["AUTHZ_CHAOS_NODE_OPTIONS"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const ports = new Map<string, number>();
  let served: () => void = () => undefined;
  const isServed = new Promise<void>((resolve) => void (served = resolve));
  const take = (line: string): void => {
    // One line for every call would leave room for nothing else.
    if (!line.includes('"authz.service"') || !line.includes('"info"')) lines.push(line);
    if (lines.length > maxLines) lines.shift();
    const [, protocol = "", port] = /(HTTP|gRPC) is served at \S+:(\d+)/.exec(line) ?? [];
    if (port !== undefined) ports.set(protocol, Number(port));
    if (ports.size === 2) served();
  };
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, take);
  const exited = once(child, "close").then(() => child.exitCode);
  await Promise.race([isServed, exited]);
  const [http, grpc] = [ports.get("HTTP"), ports.get("gRPC")];
  if (http === undefined || grpc === undefined) return { failed: true, code: await exited, log: lines };
  return connected({ name, child, http, grpc, exited, lines });
}

function connected(process: {
  readonly name: string;
  readonly child: ChildProcess;
  readonly http: number;
  readonly grpc: number;
  readonly exited: Promise<number | null>;
  readonly lines: readonly string[];
}): ChaosServer {
  const { name, child, exited, lines } = process;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const channel: Channel = grpcChannel(name, { kind: "tcp", host: "127.0.0.1", port: process.grpc });
  let pending = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    pending++;
    try {
      return await Promise.race([work, tooLate()]);
    } finally {
      pending--;
    }
  };
  const overHttp = (method: string, path: string, body: string, authorization?: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", ...(authorization !== undefined && { authorization }) };
      const request = ask({ host: "127.0.0.1", port: process.http, method, path, agent, headers });
      request.on("error", reject);
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => void (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      });
      request.end(body);
    });
  return {
    name,
    http: ({ method, path, request, authorization }) =>
      counted(
        overHttp(method, path, path.includes("?") ? "" : JSON.stringify(request), authorization).then(({ status, text }) => ({
          status,
          body: parsed(text),
        })),
      ),
    grpc: (question) => counted(channel.ask(question)),
    pending: () => pending,
    metrics: async () => readExposition((await overHttp("GET", "/_authz/metrics", "")).text),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    log: () => lines,
    signal: async (signal) => {
      child.kill(signal);
      const code = await exited;
      agent.destroy();
      channel.close();
      return code;
    },
  };
}

function tooLate(): Promise<never> {
  return new Promise((_resolve, reject) =>
    setTimeout(() => reject(new Error(`no answer within ${requestMilliseconds / 1000} s`)), requestMilliseconds).unref(),
  );
}

function parsed(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    const [last = "", ...whole] = (rest + text).split("\n").toReversed();
    rest = last;
    for (const line of whole.toReversed()) take(line);
  });
}
