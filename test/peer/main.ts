/** `npm run fuzz -- cel`: makes the run, prints what it came to, and fails when a difference has no row. */
import { locatePeer, peerVersion } from "./locate.ts";
import { rarest } from "./coverage.ts";
import { rows } from "./differences.ts";
import { printOurs, printTheirs } from "./judge.ts";
import { openPeer } from "./peer.ts";
import { type Finding, run } from "./run.ts";

const located = locatePeer(process.cwd());
if ("missing" in located) {
  console.log(`fuzz cel: the reference ${peerVersion} was not found, so this part is left out (${located.missing})`);
  process.exit(process.env["AUTHZ_PEER"] === undefined ? 0 : 1);
}

const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const wanted = Number(process.env["AUTHZ_CEL_EXPRESSIONS"] ?? 1_000_000);
const enough = Number(process.env["AUTHZ_CEL_FINDINGS"] ?? 20);
const least = Math.min(200, Math.floor(wanted / 5000));

console.log(
  `fuzz cel: ${wanted} expressions that both accept, seed ${seed} (AUTHZ_SEED repeats it), against ${located.command.join(" ")} ${peerVersion}`,
);
const started = Date.now();
const peer = openPeer(located.command);
const outcome = await run({
  peer,
  seed,
  accepted: wanted,
  enough,
  onFinding: (finding) => console.log(printFinding(finding)),
  onProgress: (accepted, found) =>
    process.stderr.write(`\r${accepted} accepted, ${found} unexplained, ${Math.round((Date.now() - started) / 1000)} s `),
});
peer.close();
process.stderr.write("\r");

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const { asked, accepted, values, errors, probed, outcomeOnly, unordered, coverage, explained, findings } = outcome;
console.log(
  `asked ${asked}, accepted by both ${accepted} (${share(accepted, asked)}): ${values} values, ${errors} errors (${share(errors, accepted)})`,
);
console.log(
  `interpreter and generated code (value, is true, is false) each compared ${accepted} times; types asked for ${probed} times, ${outcomeOnly} values too long to compare`,
);
console.log(`the reference contradicts itself, our answer among its own (order of map keys): ${unordered}`);
console.log("explained differences:");
for (const { name, because } of rows.filter((row) => (explained.get(row.name) ?? 0) > 0))
  console.log(`  ${String(explained.get(name) ?? 0).padStart(7)}  ${name} (${because})`);
const unmet = rows.filter(({ name }) => (explained.get(name) ?? 0) === 0);
if (wanted >= 1_000_000 && unmet.length > 0) console.log(`rows never met: ${unmet.map(({ name }) => name).join(", ")}`);
const rare = rarest(coverage.functions);
const print = (counts: readonly (readonly [string, number])[]): string => counts.map(([name, times]) => `${name} ${times}`).join(", ");
console.log(`functions, operators, macros and forms: ${rare.length}; rarest: ${print(rare.slice(0, 8))}`);
console.log(`overloads: ${coverage.overloads.size}; rarest: ${print(rarest(coverage.overloads).slice(0, 8))}`);
console.log(
  `${findings.length} unexplained differences (${outcome.again} more of the same), ${((Date.now() - started) / 1000).toFixed(1)} s`,
);
const missed = rare.filter(([, times]) => times < least);
if (missed.length > 0) console.log(`met fewer than ${least} times: ${print(missed)}`);
process.exitCode = findings.length > 0 || missed.length > 0 ? 1 : 0;

function printFinding({ batch, original, input, difference: { text, aspect, ours, theirs } }: Finding): string {
  return [
    `\ndifference (${aspect}) in batch ${batch}`,
    `  expression  ${text}`,
    `  ours        ${printOurs(ours)}`,
    `  theirs      ${printTheirs(theirs)}`,
    `  found as    ${original.length > 300 ? `${original.slice(0, 300)}...` : original}`,
    `  request     ${/\b(?:R|P|request|resource|principal)\b/.test(text) ? input.request : "does not matter"}`,
    `  C V G       ${/\b[CVG]\b|constants|variables|globals/.test(text) ? [input.constants, input.variables, input.globals].join(" ") : "do not matter"}`,
  ].join("\n");
}
