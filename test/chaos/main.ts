/** `npm run fuzz -- store`: makes the run, prints what it came to, and fails when anything was wrong. */
import { judgeMeasured, printTable } from "./report.ts";
import { run, type StoreName } from "./run.ts";

const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const seconds = Number(process.env["AUTHZ_CHAOS_SECONDS"] ?? 1800);
const enough = Number(process.env["AUTHZ_CHAOS_FINDINGS"] ?? 1);
// On a machine that has much else to do, what the issue asks for cannot be judged.
const graceMilliseconds = Number(process.env["AUTHZ_CHAOS_GRACE"] ?? 5000);
const program = process.env["AUTHZ_SERVER"] ?? "dist/main.js";
const known: readonly StoreName[] = ["disk", "git", "sqlite"];
const wanted = (process.env["AUTHZ_CHAOS_STORES"] ?? known.join(",")).split(",");
const stores = known.filter((store) => wanted.includes(store));

console.log(`fuzz store: ${stores.join(", ")} for ${seconds} s, seed ${seed} (AUTHZ_SEED repeats it), ${program}`);
const began = performance.now();
const { played, violations } = await run({
  seed,
  seconds,
  program,
  stores,
  graceMilliseconds,
  enough,
  onViolation: (text) => console.log(`\n=== violation, seed ${seed}\n${text}\n`),
  onProgress: (so) =>
    process.stderr.write(
      `\r${Math.round((performance.now() - began) / 1000)} s: ${so.map(({ name, counts }) => `${name} ${counts.requests} requests, ${counts.commits} commits`).join("; ")} `,
    ),
});
process.stderr.write("\n");
console.log(printTable(played));
const wrong = played.flatMap(judgeMeasured);
for (const what of wrong) console.log(what);
console.log(`${violations.length + wrong.length} violations, ${Math.round((performance.now() - began) / 1000)} s`);
process.exitCode = violations.length + wrong.length > 0 ? 1 : 0;
