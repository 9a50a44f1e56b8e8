/** Starts a server on a folder of policies, asks it over HTTP, and ends it. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Side } from "./write-files.ts";
import type { Json, Request, StoreSettings } from "./store.ts";

/** One of the two programs. */
export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly healthPath: string;
  /** Whose files it reads. */
  readonly reads: Side;
}

/** An answer as it came. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** A server that is ready. */
export interface Server {
  readonly ask: (request: Request | string) => Promise<Reply>;
  /** Takes in what is in the folder by now; false when it does not take it. Only the reference can. */
  readonly reload: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** A server, or what it said when it would not start. */
export type Started = { readonly server: Server } | { readonly refused: string };

/** Milliseconds until a server that does not answer counts as stuck. */
const patience = 60_000;

/** Starts a program on the policies in `directory`; its configuration, with `others` in it, is written beside it. One that `reloads` is the reference. */
export async function start(
  { command, healthPath }: Program,
  directory: string,
  settings: StoreSettings,
  reloads = false,
  others: { readonly [part: string]: Json } = {},
): Promise<Started> {
  const [http, grpc] = [await freePort(), await freePort()];
  const configuration = `${directory}.conf.yaml`;
  writeFileSync(
    configuration,
    stringify({
      server: { httpListenAddr: `127.0.0.1:${http}`, grpcListenAddr: `127.0.0.1:${grpc}`, ...(reloads && { adminAPI: { enabled: true } }) },
      engine: settings,
      storage: { driver: "disk", disk: { directory: join(directory), watchForChanges: false } },
      ...others,
    }),
  );
  const [program, ...args] = command;
  // A group of its own: the program that is named may only be the parent of the server.
  const child = spawn(program, [...args, "server", `--config=${configuration}`], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TZ: "UTC", CERBOS_NO_TELEMETRY: "1" },
  });
  let said = "";
  const note = (chunk: Buffer): void => {
    if (said.length < 1_000_000) said += chunk.toString();
  };
  child.stdout.on("data", note);
  child.stderr.on("data", note);
  const state = { ended: false };
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      state.ended = true;
      resolve();
    };
    child.on("exit", end);
    child.on("error", (error) => {
      said += error.message;
      end();
    });
  });
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && !state.ended) {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
    await ended;
  };
  const base = `http://127.0.0.1:${http}`;
  const limit = Date.now() + patience;
  while (!(await isReady(`${base}${healthPath}`))) {
    if (state.ended) return { refused: said };
    if (Date.now() > limit) {
      await stop();
      throw new Error(`${command.join(" ")} does not become ready:\n${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const ask = async (request: Request | string): Promise<Reply> => {
    const response = await fetch(`${base}/api/check/resources`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof request === "string" ? request : JSON.stringify(request),
      signal: AbortSignal.timeout(patience),
    });
    const text = await response.text();
    // A true edge: JSON.parse makes nothing but JSON.
    return { status: response.status, body: JSON.parse(text) as Json };
  };
  const reload = async (): Promise<boolean> => {
    const authorization = `Basic ${Buffer.from("cerbos:cerbosAdmin").toString("base64")}`;
    return (await fetch(`${base}/admin/store/reload?wait=true`, { headers: { authorization } })).status === 200;
  };
  return { server: { ask, reload, stop } };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false;
  }
}

/** Below the ports that systems hand out by themselves; no two servers of a run get the same, even one after the other. */
let lastPort = 18_000 + (process.pid % 400) * 30;

async function freePort(): Promise<number> {
  for (;;) {
    lastPort = lastPort >= 31_999 ? 18_000 : lastPort + 1;
    const port = lastPort;
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
