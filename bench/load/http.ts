/** Load over HTTP, closed loop: wrk where it is installed, a plain client of Node otherwise. */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { isQuick } from "../tell/flags.ts";
import { besideServer } from "./pin.ts";

/** What a load came to. */
export interface Load {
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

export interface LoadOptions {
  readonly port: number;
  /** Asked in turn. */
  readonly bodies: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Who asks runs where the system puts it, not beside the server. */
  readonly unpinned?: boolean;
}

// Of a run of a fraction of a second wrk may tell nothing; the plain client always has an answer.
const hasWrk = !isQuick && spawnSync("wrk", ["-v"]).error === undefined;

/** Said in the reports. */
export const httpClient = hasWrk ? "wrk" : "a client of Node";

/** Asks one body after the other for so many seconds, as fast as the answers come. */
export const loadHttp: (options: LoadOptions) => Promise<Load> = hasWrk ? loadByWrk : loadByNode;

async function loadByWrk({ port, bodies, seconds, connections, unpinned = false }: LoadOptions): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  const [requests, result] = [join(folder, "requests"), join(folder, "result")];
  writeFileSync(requests, `${bodies.join("\n")}\n`);
  // wrk counts in whole seconds.
  const words = [
    ...(unpinned ? [] : besideServer),
    "wrk",
    "-t1",
    `-c${connections}`,
    `-d${Math.ceil(seconds)}s`,
    "--timeout",
    "20s",
    "--latency",
  ];
  const [command, ...rest] = [...words, "-s", resolve("bench/load/wrk.lua"), `http://127.0.0.1:${port}`];
  await promisify(execFile)(command, rest, { env: { ...process.env, REQUESTS: requests, RESULT: result } });
  const found: Load = JSON.parse(readFileSync(result, "utf8"));
  rmSync(folder, { recursive: true });
  return { ...found, p50: found.p50 / 1000, p99: found.p99 / 1000, worst: found.worst / 1000 };
}

async function loadByNode({ port, bodies, seconds, connections }: LoadOptions): Promise<Load> {
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST /api/check/resources HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  let errors = 0;
  let at = 0;
  const work = async (socket: Socket): Promise<void> => {
    await once(socket, "connect");
    await new Promise<void>((done) => {
      let began = 0;
      let held = "";
      const next = (): void => {
        // However late a connection comes about, it asks once.
        if (began > 0 && performance.now() >= end) return done();
        began = performance.now();
        socket.write(requests[at++ % requests.length] ?? "");
      };
      socket.on("error", () => {
        errors++;
        done();
      });
      socket.setEncoding("latin1").on("data", (text: string) => {
        held += text;
        const body = held.indexOf("\r\n\r\n") + 4;
        if (body < 4 || held.length - body < Number(/content-length: (\d+)/i.exec(held)?.[1])) return;
        if (!held.startsWith("HTTP/1.1 200")) errors++;
        times.push(performance.now() - began);
        held = "";
        next();
      });
      next();
    });
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, () => work(connect({ port, host: "127.0.0.1", noDelay: true }))));
  times.sort((a, b) => a - b);
  const part = (of: number): number => times[Math.min(times.length - 1, Math.floor(times.length * of))] ?? Number.NaN;
  return { requests: times.length, errors, p50: part(0.5), p99: part(0.99), worst: part(1) };
}
