/** Drives the comparison of the benchmark kit: servers in turn on the same policies, answers checked, and reads what it found. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "./subject.ts";

/** A server of the comparison, in the kit's own words. */
export interface Target {
  readonly name: string;
  readonly [setting: string]: unknown;
}

/** The reference's program, where the environment names it. */
export const reference = process.env["AUTHZ_PEER"];

/** As its program calls itself. */
export const referenceVersion = (): string | undefined =>
  reference === undefined ? undefined : execFileSync(reference, ["--version"], { encoding: "utf8" }).trim().split("\n")[0];

const quoted = (words: readonly string[]): string => words.map((word) => (/^[\w./:={}-]+$/.test(word) ? word : `'${word}'`)).join(" ");
const self = (...words: readonly string[]): string => quoted([process.execPath, process.argv[1] ?? "", ...words]);
const sets = (settings: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(settings)
    .map(([key, value]) => `--set=${key}=${value}`)
    .join(" ");
const listening = { "server.httpListenAddr": "127.0.0.1:{http}", "server.grpcListenAddr": "127.0.0.1:{grpc}" };
const disk = {
  "storage.driver": "disk",
  "storage.disk.directory": "{policies}",
  "storage.disk.watchForChanges": "{watch}",
  "audit.enabled": false,
};

/** Our server, with so many workers. */
export const ours = (name: string, workers: number): Target => ({
  name,
  brand: "authz",
  protocols: ["http", "grpc"],
  start: `${quoted([process.execPath, program])} server --log-level=error ${sets({ ...listening, ...disk, "server.workers": workers })}`,
  health: "http://127.0.0.1:{http}/_authz/health",
  httpPath: "/api/check/resources",
  grpcPath: "/authz.svc.v1.AuthzService/CheckResources",
});

/** What a server of Node costs that decides nothing: fastify and grpc-js, in so many processes. */
export const floors = (names: readonly [string, string] = ["fastify", "grpc-js"], processes = 1): readonly Target[] => [
  {
    name: names[0],
    verify: false,
    protocols: ["http"],
    start: self("--floor=fastify", `--processes=${processes}`, "{http}", "{grpc}"),
    health: "http://127.0.0.1:{http}/health",
  },
  {
    name: names[1],
    verify: false,
    protocols: ["grpc"],
    start: self("--floor=grpc-js", `--processes=${processes}`, "{http}", "{grpc}"),
    health: "http://127.0.0.1:{http}/",
    grpcPath: "/floor.Svc/CheckResources",
  },
];

/** The reference, quiet and with its telemetry off. */
export const peer: Target = {
  name: "reference",
  brand: "cerbos",
  protocols: ["http", "grpc"],
  start: `{peer} server --log-level=error ${sets({ ...listening, ...disk, "telemetry.disabled": true })}`,
  health: "http://127.0.0.1:{http}/_cerbos/health",
  httpPath: "/api/check/resources",
  grpcPath: "/cerbos.svc.v1.CerbosService/CheckResources",
};

/** How long and in which way. */
export interface Course {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly mode: "pinned" | "unpinned";
  readonly workloads: readonly string[];
  readonly phases: readonly string[];
}

/** Workload, then what was measured, then the target: the median of its valid rounds. */
export type Summary = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number | null>>>>>>;

export interface Comparison {
  readonly summary: Summary;
  /** The table as the kit prints it. */
  readonly text: string;
  /** Rounds whose answers were wrong, or that met errors: they do not count. */
  readonly invalid: number;
  readonly result: unknown;
}

/** Runs the comparison; what it says meanwhile goes to the error output. */
export async function compare(kit: string, targets: readonly Target[], course: Course): Promise<Comparison> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  const [config, out] = [join(folder, "config.json"), join(folder, "out.json")];
  writeFileSync(config, JSON.stringify({ ...course, concurrency: 32, data: join(folder, "data"), targets }));
  try {
    const child = spawn(process.execPath, [join(kit, "compare.mjs"), `--config=${config}`, `--out=${out}`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...(reference !== undefined && { PEER_BIN: reference }) },
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => void (text += part));
    const [code] = await once(child, "close");
    if (code === 2) throw new Error("the comparison did not start");
    const result: { readonly summary: Summary; readonly rows: readonly { readonly bad: readonly unknown[] }[] } = JSON.parse(
      readFileSync(out, "utf8"),
    );
    return { summary: result.summary, text, invalid: result.rows.filter(({ bad }) => bad.length > 0).length, result };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
