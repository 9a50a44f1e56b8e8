/** One try of the drain: a server of its own, a load, SIGTERM, and what the client counted. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLoad, type DrainCount } from "./drain-client.ts";
import { expensePolicy } from "./policies.ts";

/** What is tried. */
export interface DrainTry {
  /** The built program. */
  readonly main: string;
  /** Requests a second over each transport. */
  readonly rate: number;
  /** Connections over each. */
  readonly connections: number;
  /** Answers before SIGTERM is sent. */
  readonly warmUp: number;
  /** Processes that serve; one unless said otherwise. */
  readonly workers?: number;
}

/** What came of it. */
export interface DrainOutcome {
  readonly http: DrainCount;
  readonly grpc: DrainCount;
  readonly exitCode: number | null;
  /** From SIGTERM to the end of the process. */
  readonly milliseconds: number;
}

/** Tries once. */
export async function tryDrain({ main, rate, connections, warmUp, workers = 1 }: DrainTry): Promise<DrainOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "authz-drain-"));
  writeFileSync(join(folder, "expense.yaml"), expensePolicy);
  const settings = [
    `server.workers=${workers}`,
    "server.httpListenAddr=127.0.0.1:0",
    "server.grpcListenAddr=127.0.0.1:0",
    `storage.disk.directory=${folder}`,
  ];
  const server = spawn(process.execPath, [main, "server", ...settings.flatMap((setting) => ["--set", setting])], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] },
  });
  try {
    let written = "";
    const addresses = new Promise<readonly [http: string, grpc: string]>((resolve, reject) => {
      server.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (written.length < 100_000) written += text;
        const [http, grpc] = [/HTTP is served at (\S+:\d+)"/.exec(written)?.[1], /gRPC is served at (\S+:\d+)"/.exec(written)?.[1]];
        if (http !== undefined && grpc !== undefined) resolve([http, grpc]);
      });
      server.once("exit", () => reject(new Error(`the server did not start: ${written}`)));
    });
    const [http, grpc] = await addresses;
    const exited = new Promise<number | null>((resolve) => server.once("exit", resolve));
    const load = startLoad({ http, grpc, rate, connections });
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (load.whole() < warmUp) return;
        clearInterval(look);
        resolve();
      }, 1);
    });
    const began = performance.now();
    server.kill("SIGTERM");
    const counts = await load.ended;
    const exitCode = await exited;
    return { ...counts, exitCode, milliseconds: performance.now() - began };
  } finally {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}
