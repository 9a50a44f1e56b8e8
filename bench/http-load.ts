/** A client that asks a server one thing over and over on kept connections, and the server as a process whose time can be read. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";

/** A server of the built program. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
  readonly pid: number;
  /** What it has logged so far. */
  readonly logged: () => string;
  readonly stop: () => Promise<void>;
}

const main = join(import.meta.dirname, "main.js");

/** Starts a server with settings as after `--set`; `wrapper` is a command that starts commands. */
export async function startProcess(
  settings: Readonly<Record<string, string | number | boolean>>,
  wrapper: readonly string[] = [],
): Promise<ServerProcess> {
  const sets = Object.entries({
    "server.workers": "1",
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    "server.logLevel": "info",
    ...settings,
  });
  const [command = "", ...words] = [
    ...wrapper,
    process.execPath,
    main,
    "server",
    "--log-level=info",
    ...sets.map(([key, value]) => `--set=${key}=${value}`),
  ];
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"] });
  let logged = "";
  const hear = (text: string): void => {
    // What is said of each call is of no interest, and there is much of it.
    for (const line of text.split("\n")) if (!line.includes('"authz.service"')) logged += `${line}\n`;
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const exited = once(child, "close");
  const end = performance.now() + 30_000;
  let port: string | undefined;
  while ((port = /HTTP is served at 127\.0\.0\.1:(\d+)/.exec(logged)?.[1]) === undefined) {
    if (performance.now() > end || child.exitCode !== null) throw new Error(`the server does not start:\n${logged}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    child,
    port: Number(port),
    pid: child.pid ?? 0,
    logged: () => logged,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Milliseconds of processor time that a process has used, all its threads together. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Asks so many times over so many connections; `heard` is told every answer's body. */
export async function ask(port: number, body: string, times: number, connections: number, heard: (body: string) => void): Promise<void> {
  const request = `POST /api/check/resources HTTP/1.1\r\nhost: localhost\r\nuser-agent: bench/1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  let left = times;
  const work = async (socket: Socket): Promise<void> => {
    await once(socket, "connect");
    await new Promise<void>((resolve, reject) => {
      let held = "";
      const next = (): void => {
        if (left-- > 0) socket.write(request);
        else resolve();
      };
      socket.on("error", reject).on("close", () => reject(new Error("the server closed a connection")));
      socket.setEncoding("utf8").on("data", (text: string) => {
        held += text;
        const headEnd = held.indexOf("\r\n\r\n");
        if (headEnd === -1) return;
        const head = held.slice(0, headEnd);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        if (held.length < headEnd + 4 + length) return;
        if (!head.startsWith("HTTP/1.1 200")) return reject(new Error(held));
        heard(held.slice(headEnd + 4));
        held = "";
        next();
      });
      next();
    });
    socket.removeAllListeners("close");
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, () => work(connect({ port, host: "127.0.0.1" }))));
}
