/** `npm run fuzz -- policy`: makes the run, prints what it came to, and fails when a difference has no row. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { locatePeer, peerVersion } from "../peer/locate.ts";
import { rows } from "./differences.ts";
import { type Finding, type Refusal, run } from "./run.ts";
import { textsOf } from "./write-files.ts";

const located = locatePeer(process.cwd());
if ("missing" in located) {
  console.error(`fuzz policy: the reference ${peerVersion} cannot be had: ${located.missing}`);
  process.exit(2);
}
const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const wanted = Number(process.env["AUTHZ_POLICY_DECISIONS"] ?? 200_000);
const enough = Number(process.env["AUTHZ_POLICY_FINDINGS"] ?? 10);
const server = process.env["AUTHZ_SERVER"] ?? "dist/main.js";

console.log(
  `fuzz policy: ${wanted} decisions, seed ${seed} (AUTHZ_SEED repeats it), ${server} against ${located.command.join(" ")} ${peerVersion}`,
);
const started = Date.now();
const directory = mkdtempSync(join(tmpdir(), "authz-fuzz-policy-"));
const peer = { command: located.command, healthPath: "/_cerbos/health", reads: "theirs" } as const;
const outcome = await run({
  // The reference against itself shows what it does not do alike twice.
  ours:
    server === "here"
      ? "here"
      : server === "peer"
        ? peer
        : { command: [process.execPath, server], healthPath: "/_authz/health", reads: "ours" },
  theirs: peer,
  directory,
  seed,
  decisions: wanted,
  enough,
  from: Number(process.env["AUTHZ_POLICY_FROM"] ?? 0),
  plain: process.env["AUTHZ_POLICY_SHRINK"] === "0",
  onFinding: (finding) => console.log("by" in finding ? printRefusal(finding) : printFinding(finding)),
  onUnsteady: (trial, differences) =>
    console.log(
      `trial ${trial}: the reference contradicts itself\n${differences.map((difference) => JSON.stringify(difference)).join("\n")}`,
    ),
  onProgress: (decisions, found) =>
    process.stderr.write(`\r${decisions} decisions, ${found} unexplained, ${Math.round((Date.now() - started) / 1000)} s `),
});
rmSync(directory, { recursive: true, force: true });
process.stderr.write("\r");

const { stores, refusedByBoth, unsteady, decisions, allowed, outputs, violations, derivedRoles, decidedBy, explained, findings, refusals } =
  outcome;
console.log(`${decisions} decisions of ${stores} stores (${refusedByBoth} more that neither takes), ${allowed} allowed`);
console.log(`${outputs} outputs, ${derivedRoles} effective derived roles and ${violations} violations of schemas compared`);
console.log(`the reference contradicts itself, our answer among its own: ${unsteady} requests`);
console.log("decided by:");
for (const [what, times] of [...decidedBy].toSorted(([, a], [, b]) => b - a)) console.log(`  ${String(times).padStart(7)}  ${what}`);
console.log("explained differences:");
for (const { name, because } of rows.filter((row) => (explained.get(row.name) ?? 0) > 0))
  console.log(`  ${String(explained.get(name) ?? 0).padStart(7)}  ${name} (${because})`);
const unmet = rows.filter(({ name }) => (explained.get(name) ?? 0) === 0);
if (unmet.length > 0) console.log(`rows never met: ${unmet.map(({ name }) => name).join(", ")}`);
const unexplained = findings.length + refusals.length;
console.log(`${unexplained} unexplained differences, ${((Date.now() - started) / 1000).toFixed(1)} s`);
process.exitCode = unexplained > 0 ? 1 : 0;

function printFinding({ trial, quirk, subject: { store, request }, differences }: Finding): string {
  return [
    `\n=== difference in trial ${trial} (${quirk ?? "plain"})`,
    ...textsOf(store, "ours").map(({ path, text }) => `--- ${path}\n${text}`),
    `--- settings and request\n${stringify({ settings: store.settings, schemas: store.schemaEnforcement ?? "none", request }, { lineWidth: 0 })}`,
    `--- differences`,
    ...differences.slice(0, 12).map((difference) => JSON.stringify(difference)),
    ...(differences.length > 12 ? [`and ${differences.length - 12} more`] : []),
  ].join("\n");
}

function printRefusal({ trial, quirk, store, by, said }: Refusal): string {
  return [
    `\n=== store of trial ${trial} (${quirk ?? "plain"}) that only ${by === "ours" ? "we refuse" : "the reference refuses"}`,
    ...said
      .split("\n")
      .filter((line) => !line.includes('"log.level":"info"') && !line.includes('"log.level":"warn"'))
      .map((line) => line.slice(0, 1500)),
    ...(process.env["AUTHZ_POLICY_SHRINK"] === "0"
      ? []
      : textsOf(store, by)
          .slice(0, 3)
          .map(({ path, text }) => `--- ${path}\n${text}`)),
  ].join("\n");
}
