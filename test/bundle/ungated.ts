/** The built program with the grammar gate taken out, so that what the gate refuses can be seen to do no harm behind it; and bundles for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { writeBundle } from "../../src/bundle/index.ts";
import { temporaryFolder } from "../server/harness.ts";

const root = join(import.meta.dirname, "..", "..");

/** Puts a gate that admits everything in the place of the real one: no setting of the program could do that. */
const withoutGate: Plugin = {
  name: "without the gate",
  setup(builder) {
    builder.onResolve({ filter: /\/gate\/index\.ts$/ }, ({ path }) => ({ path, namespace: "open" }));
    builder.onLoad({ filter: /./, namespace: "open" }, () => ({
      contents:
        "export const refusalOf = () => undefined; export const readProgram = (text) => ({ uses: [], questions: [...text.matchAll(/first: (\\d+)/g)].map(([, first]) => ({ first: Number(first), end: 0, uses: [] })), prices: { loading: { length: 1, allocates: 0 }, loopStep: { length: 1, allocates: 0 }, policies: [], longestText: 0 } });",
      loader: "js",
    }));
  },
};

/** The program, and what writes bundles that only it would read. */
export interface Ungated {
  readonly start: (settings: Readonly<Record<string, string>>) => Promise<UngatedServer>;
  readonly writeBundle: typeof writeBundle;
}

/** A server as a process of its own. */
export interface UngatedServer {
  readonly pid: number;
  readonly logged: () => string;
  readonly post: (path: string, body: unknown) => Promise<string>;
  readonly get: (path: string) => Promise<string>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Builds it as `npm run build` does, into a folder of its own. */
export async function buildUngated(): Promise<Ungated> {
  const folder = temporaryFolder({ "package.json": '{"type":"module"}' });
  const dist = join(folder, "dist");
  mkdirSync(dist);
  if (!existsSync(join(folder, "node_modules"))) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const shared = { bundle: true, absWorkingDir: root, plugins: [withoutGate], logLevel: "error" as const };
  await build({
    ...shared,
    entryPoints: ["src/main.ts", "src/compile-worker.ts", "src/trial-worker.ts", { in: "src/bundle/index.ts", out: "bundle" }].map(
      (entry) => (typeof entry === "string" ? { in: entry, out: entry.replace(/^src\/|\.ts$/g, "") } : entry),
    ),
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    outdir: dist,
  });
  await build({
    ...shared,
    entryPoints: ["runtime/sandbox/guest.ts"],
    platform: "neutral",
    mainFields: ["module", "main"],
    format: "iife",
    target: "es2022",
    outfile: join(dist, "guest.js"),
  });
  const { buildScripts }: { readonly buildScripts: (to: string, plugins: readonly Plugin[]) => Promise<void> } = await import(
    pathToFileURL(join(root, "src", "scripts", "build-scripts.mjs")).href
  );
  await buildScripts(dist, [withoutGate]);
  const written: { readonly writeBundle: typeof writeBundle } = await import(pathToFileURL(join(dist, "bundle.js")).href);
  return { writeBundle: written.writeBundle, start: (settings) => start(join(dist, "main.js"), settings) };
}

async function start(main: string, settings: Readonly<Record<string, string>>): Promise<UngatedServer> {
  const sets = Object.entries({
    "server.workers": "1",
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    ...settings,
  });
  const child = spawn(process.execPath, [main, "server", "--log-level=info", ...sets.map(([key, value]) => `--set=${key}=${value}`)], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let logged = "";
  const hear = (text: string): void => {
    // What is said of each call is of no interest.
    for (const line of text.split("\n")) if (!line.includes('"authz.service"')) logged += `${line}\n`;
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const exited = once(child, "close");
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  let port: string | undefined;
  for (const end = performance.now() + 30_000; port === undefined; await new Promise((resolve) => setTimeout(resolve, 20))) {
    port = /HTTP is served at 127\.0\.0\.1:(\d+)/.exec(logged)?.[1];
    if (performance.now() > end || !isAlive()) throw new Error(`the server does not start:\n${logged}`);
  }
  const agent = new Agent({ keepAlive: true });
  const send = (method: string, path: string, body?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const sent = request({ host: "127.0.0.1", port, method, path, agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => void (text += part));
        response.on("end", () => resolve(text));
      });
      sent.on("error", reject).end(body);
    });
  return {
    pid: child.pid ?? 0,
    logged: () => logged,
    isAlive,
    post: (path, body) => send("POST", path, JSON.stringify(body)),
    get: (path) => send("GET", path),
    stop: async () => {
      agent.destroy();
      child.kill("SIGTERM");
      await exited;
    },
  };
}
