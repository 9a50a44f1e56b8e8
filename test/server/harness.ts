/** Starts a whole server in this process, on ports of its own, over a folder of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DestinationStream } from "pino";
import { scanJson } from "../../runtime/wire/scan.ts";
import { loadConfig } from "../../src/config/load.ts";
import { printProblem } from "../../src/config/problem.ts";
import { logTo } from "../../src/observe/log.ts";
import { startServer as start } from "../../src/server/start/start.ts";

// A server loads these while its policies are fetched; a place in this very process could not answer meanwhile.
await Promise.all([
  import("../../src/server/grpc/grpc.ts"),
  import("../../src/server/http/http.ts"),
  import("../../src/server/service.ts"),
]);

export interface TestServer {
  /** `http://127.0.0.1:<port>`. */
  readonly http: string;
  /** `127.0.0.1:<port>`. */
  readonly grpc: string;
  /** The folder that the policies lie in. */
  readonly directory: string;
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly get: (path: string, init?: RequestInit) => Promise<Answer>;
  /** The log's lines so far, parsed. */
  readonly logged: () => readonly LogLine[];
  readonly stop: () => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, of a shape that the asker knows; undefined when it is none. */
  readonly json: Body;
}

/** All that the bodies of our answers can hold; what an answer lacks is undefined, whatever this says. */
export interface Body {
  readonly requestId: string;
  readonly results: readonly [Result, ...Result[]];
  readonly authzCallId: string;
  readonly code: number;
  readonly message: string;
  readonly details: readonly [
    { readonly "@type": string; readonly violations: readonly { readonly fieldPath: string; readonly ruleId: string }[] },
  ];
}

export interface Result {
  readonly resource: { readonly id: string; readonly kind: string; readonly policyVersion: string; readonly scope?: string };
  readonly actions: { readonly [action: string]: string };
  readonly meta: {
    readonly actions: { readonly [action: string]: { readonly matchedPolicy: string; readonly matchedScope?: string } };
    readonly effectiveDerivedRoles?: readonly string[];
  };
  readonly outputs?: readonly { readonly src: string; readonly action: string; readonly val?: unknown; readonly error?: string }[];
  readonly validationErrors?: readonly { readonly path?: string; readonly message: string; readonly source: string }[];
}

export type LogLine = { readonly [field: string]: unknown };

export interface ServerOptions {
  /** File name -> text, or a folder that exists. */
  readonly policies: { readonly [path: string]: string } | string;
  /** A configuration file; none: the defaults. */
  readonly file?: string;
  /** As after `--set`: `{ "engine.defaultScope": "acme" }`. */
  readonly settings?: { readonly [key: string]: string | number | boolean };
  /** Variables that the server reads when it starts; none of this process's reach it. */
  readonly environment?: { readonly [name: string]: string };
}

/** Starts a server; stop it, or its folder stays. Files are not watched unless the settings say so. */
export async function startServer(options: ServerOptions): Promise<TestServer> {
  const ours = typeof options.policies !== "string";
  const directory = typeof options.policies === "string" ? options.policies : temporaryFolder(options.policies);
  const settings = {
    "storage.disk.watchForChanges": false,
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    ...options.settings,
  };
  const overrides = Object.entries(settings).map(([key, value]) => `${key}=${String(value).replaceAll(/[\\,]/g, "\\$&")}`);
  const { config, problems } = loadConfig(options.file, [`storage.disk.directory=${directory}`, ...overrides], {});
  if (config === undefined) throw new Error(problems.map(printProblem).join("\n"));

  const lines: string[] = [];
  const stream: DestinationStream = { write: (line) => void lines.push(line) };
  const server = await start(config, logTo(stream, config["server.logLevel"]), options.environment ?? {});
  const http = server.http.kind === "tcp" ? `http://127.0.0.1:${server.http.port}` : "";
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    // A connection that stays open would make the server wait for its client when it stops.
    const headers = new Headers(init.headers);
    if (!headers.has("connection")) headers.set("connection", "close");
    const response = await fetch(http + path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
  return {
    http,
    grpc: server.grpc.kind === "tcp" ? `127.0.0.1:${server.grpc.port}` : `unix:${server.grpc.path}`,
    directory,
    post: (path, body, headers = { "content-type": "application/json" }) =>
      ask(path, {
        method: "POST",
        headers,
        body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    get: (path, init = {}) => ask(path, init),
    logged: () => lines.map(soundly),
    stop: async () => {
      await server.stop();
      if (ours) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Reads a line of the log, in which no key may stand twice. */
function soundly(line: string): LogLine {
  const problem = scanJson(line.trimEnd());
  if (problem !== undefined) throw new Error(`${problem.sentence} in the log: ${line}`);
  return JSON.parse(line);
}

const temporaryFolders: string[] = [];
process.once("exit", () => {
  for (const folder of temporaryFolders) rmSync(folder, { recursive: true, force: true });
});

/** Makes a folder with the given files in it, which goes when this process ends. */
export function temporaryFolder(files: { readonly [path: string]: string }): string {
  const folder = mkdtempSync(join(tmpdir(), "authz-test-"));
  temporaryFolders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Asks again and again until the answer is as wished; fails with the last one when it never is. */
export async function eventually<T>(ask: () => T | Promise<T>, wished: (answer: T) => boolean, milliseconds = 20_000): Promise<T> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (wished(answer)) return answer;
    if (performance.now() > end) throw new Error(`not as wished within ${milliseconds} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse("null") ?? undefined;
  }
}
