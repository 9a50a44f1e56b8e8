/** Runs the conformance data, area by area: `npm run conformance [-- area ...]`. Exit 1 when a case fails, 2 when the data is not there. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { notApplicable } from "./applicability.ts";
import type { ConformanceCase } from "./area.ts";
import { areas } from "./areas/index.ts";

interface ManifestCase {
  readonly id: string;
  readonly area: string;
  readonly path: string;
}

interface Count {
  passed: number;
  failed: number;
  notApplicable: number;
}

const folder = resolve(process.env["AUTHZ_CONFORMANCE"] ?? "../shared/conformance");
if (!existsSync(join(folder, "manifest.json"))) {
  console.error(`conformance: no data at ${folder} (there is no manifest.json); set AUTHZ_CONFORMANCE to the folder that holds it`);
  process.exit(2);
}

const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as { readonly cases: readonly ManifestCase[] };
const chosen = new Set(process.argv.slice(2));
const known = new Set(manifest.cases.map((entry) => entry.area));
for (const name of chosen) {
  if (!known.has(name)) {
    console.error(`conformance: no area named "${name}"; there are: ${[...known].join(", ")}`);
    process.exit(2);
  }
}

const counts = new Map<string, Count>();
const usedRows = new Set<number>();
const reasons = new Map<string, number>();
for (const area of known) {
  if (chosen.size > 0 && !chosen.has(area)) continue;
  counts.set(
    area,
    await runArea(
      area,
      manifest.cases.filter((entry) => entry.area === area),
    ),
  );
}
printSummary();

async function runArea(area: string, entries: readonly ManifestCase[]): Promise<Count> {
  const count: Count = { passed: 0, failed: 0, notApplicable: 0 };
  const adapter = areas.find((each) => each.name === area);
  const cases = new Map<string, ConformanceCase>();
  for (const each of adapter?.cases(folder) ?? []) cases.set(each.id, each);
  for (const entry of entries) {
    const each = cases.get(entry.id);
    const row = notApplicable.findIndex((row) => matches(row.id, entry.id) && (row.needsProtobuf !== true || each?.needsProtobuf === true));
    const reason = notApplicable[row]?.because;
    if (reason !== undefined) {
      usedRows.add(row);
      count.notApplicable++;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      continue;
    }
    const problem = await runCase(entry, each);
    if (problem === undefined) count.passed++;
    else {
      count.failed++;
      console.log(`FAILED ${entry.id}\n  ${problem.replaceAll("\n", "\n  ")}`);
    }
  }
  await adapter?.close?.();
  return count;
}

async function runCase(entry: ManifestCase, each: ConformanceCase | undefined): Promise<string | undefined> {
  if (!existsSync(join(folder, entry.path))) return `its file ${entry.path} is missing`;
  if (each === undefined) return "nothing runs this case, and no row of applicability.ts says why";
  try {
    await each.run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** An id matches itself; `*` in a pattern stands for any run of characters. */
function matches(pattern: string, id: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!id.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 ? (id.endsWith(part) ? id.length - part.length : -1) : id.indexOf(part, at);
    if (found < at) return false;
    at = found + part.length;
  }
  return at === id.length;
}

function printSummary(): void {
  const total: Count = { passed: 0, failed: 0, notApplicable: 0 };
  console.log(`\n${"area".padEnd(16)}${"passed".padStart(8)}${"failed".padStart(8)}${"not applicable".padStart(16)}`);
  for (const [area, count] of counts) {
    console.log(
      `${area.padEnd(16)}${String(count.passed).padStart(8)}${String(count.failed).padStart(8)}${String(count.notApplicable).padStart(16)}`,
    );
    total.passed += count.passed;
    total.failed += count.failed;
    total.notApplicable += count.notApplicable;
  }
  console.log("\nnot applicable, because:");
  for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1])) console.log(`${String(times).padStart(6)}  ${reason}`);
  const idle = chosen.size > 0 ? [] : notApplicable.filter((_, index) => !usedRows.has(index));
  for (const row of idle) console.log(`\nerror: the row "${row.id}" of applicability.ts matches no case`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 || idle.length > 0 ? 1 : 0;
}
