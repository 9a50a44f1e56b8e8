/** The benchmark kit beside the project, where it is there: the classic and the multitenant workload, and the comparison with others. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const folder = resolve(process.env["AUTHZ_BENCH_KIT"] ?? "../shared/bench");

/** The folder of the kit; undefined where there is none. */
export const kit: string | undefined = existsSync(join(folder, "gen.mjs")) ? realpathSync(folder) : undefined;

/** The folder of the kit; ends the bench with a sentence where there is none. */
export function needKit(bench: string): string {
  if (kit !== undefined) return kit;
  console.error(`bench ${bench}: no workloads at ${folder} (there is no gen.mjs); set AUTHZ_BENCH_KIT to the folder of the benchmark kit`);
  process.exit(2);
}

/** Policies in a folder, and requests about them. */
export interface PolicySetOnDisk {
  /** The folder of the policies. */
  readonly policies: string;
  /** How many policies there are. */
  readonly count: number;
  /** Bodies of requests for `POST /api/check/resources`, unit after unit. */
  readonly bodies: readonly string[];
  /** How many of the bodies belong to one unit. */
  readonly bodiesOfUnit: number;
  /** The paths below `policies` of one unit, which can be compiled by themselves. */
  readonly filesOf: (unit: number) => readonly string[];
  readonly remove: () => void;
}

/** Writes so many copies of a workload's policies, each its own unit, in the words of a brand. */
export function writeWorkload(bench: string, set: string, units: number, brand = "authz"): PolicySetOnDisk {
  const out = mkdtempSync(join(tmpdir(), "authz-bench-"));
  execFileSync(process.execPath, [join(needKit(bench), "gen.mjs"), set, String(units), out, `--brand=${brand}`], { stdio: "ignore" });
  const meta: { readonly policies: number; readonly templates: readonly string[] } = JSON.parse(
    readFileSync(join(out, "meta.json"), "utf8"),
  );
  const templates = readdirSync(join(out, "policies")).filter((name) => name.endsWith("_00000.yaml"));
  return {
    policies: join(out, "policies"),
    count: meta.policies,
    bodies: readFileSync(join(out, "requests.ndjson"), "utf8").trim().split("\n"),
    bodiesOfUnit: meta.templates.length,
    filesOf: (unit) => templates.map((name) => name.replace("00000", numberOfUnit(unit))),
    remove: () => rmSync(out, { recursive: true, force: true }),
  };
}

/** As it stands in the names of a unit. */
export const numberOfUnit = (unit: number): string => String(unit).padStart(5, "0");
