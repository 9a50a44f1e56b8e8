/** A server that is measured: started with settings, ready when its health says so. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../src/refusal.ts";
import { onServerCore } from "./pin.ts";
import { processorTimeOf } from "./processes.ts";

/** A server that is ready. */
export interface Subject {
  readonly pid: number;
  readonly http: number;
  readonly grpc: number;
  /** Milliseconds from its start until it was ready: elapsed, and of processor time. */
  readonly ready: number;
  readonly processor: number;
  /** What it has printed so far. */
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
}

export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface SubjectOptions {
  readonly settings?: Settings;
  readonly environment?: Readonly<Record<string, string>>;
  /** For Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Absent: on the server's processor. */
  readonly wrapper?: readonly string[];
}

/** The built program; another one where the environment names it. */
export const program = resolve(process.env["AUTHZ_BENCH_PROGRAM"] ?? join(import.meta.dirname, "main.js"));

const patience = 300_000;

/** Starts our server over a folder of policies, quiet unless the settings say otherwise. */
export function startServer(policies: string, options: SubjectOptions = {}): Promise<Subject> {
  const settings = { "server.workers": 1, "storage.driver": "disk", "storage.disk.directory": policies, ...options.settings };
  return startSubject(
    ({ http, grpc }) => [
      process.execPath,
      ...(options.nodeOptions ?? []),
      program,
      "server",
      "--log-level=error",
      ...Object.entries({
        "server.httpListenAddr": `127.0.0.1:${http}`,
        "server.grpcListenAddr": `127.0.0.1:${grpc}`,
        ...settings,
      }).map(([key, value]) => `--set=${key}=${value}`),
    ],
    "/_authz/health",
    options,
  );
}

type CommandOn = (ports: { readonly http: number; readonly grpc: number }) => readonly string[];

const maxStarts = 5;

/** Starts whatever listens on the ports that it is given; with others, when somebody has taken them before it could. */
export async function startSubject(commandOn: CommandOn, health: string, options: SubjectOptions = {}): Promise<Subject> {
  for (let starts = 1; ; starts++) {
    try {
      return await startOnce(commandOn, health, options);
    } catch (error) {
      if (starts === maxStarts || !/in use/.test(messageOf(error))) throw error;
    }
  }
}

async function startOnce(commandOn: CommandOn, health: string, { environment, wrapper = onServerCore }: SubjectOptions): Promise<Subject> {
  const [http = 0, grpc = 0] = await freePorts(2);
  const ports = { http, grpc };
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  const log = join(folder, "log");
  const [command = "", ...words] = [...wrapper, ...commandOn(ports)];
  const output = openSync(log, "w");
  const began = performance.now();
  const child = spawn(command, words, { stdio: ["ignore", output, output], env: { ...process.env, ...environment } });
  closeSync(output);
  const exited = once(child, "close");
  const stopped = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (!stopped()) child.kill("SIGTERM");
    const gone = await Promise.race([exited.then(() => true), sleep(20_000, false, { ref: false })]);
    if (!gone) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  const printed = (): string => readFileSync(log, "utf8");
  const { pid = 0 } = child;
  // Whoever answers while ours has stopped is the one who took its port.
  while (!(await answers(`http://127.0.0.1:${ports.http}${health}`)) || stopped()) {
    if (stopped() || performance.now() - began > patience) {
      const said = printed();
      await stop();
      throw new Error(`the server does not start:\n${said}`);
    }
    await sleep(5);
  }
  return { pid, ...ports, ready: performance.now() - began, processor: processorTimeOf(pid), printed, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { connection: "close" } });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Ports that nobody listens at: all are held until all are known, or the system may name one twice. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port); // as of every server that listens on a port
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
