/** `npm run fuzz -- frames`: makes the run, says what it came to, and fails when anything was wrong. */
import type { Survived } from "./breaks.ts";
import { run } from "./run.ts";

const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const seconds = Number(process.env["AUTHZ_FRAMES_SECONDS"] ?? 1800);
const scripts = Number(process.env["AUTHZ_FRAMES_SCRIPTS"] ?? 1500);
const enough = Number(process.env["AUTHZ_FRAMES_FINDINGS"] ?? 1);
const patience = Number(process.env["AUTHZ_FRAMES_PATIENCE"] ?? 5000);
const only = process.env["AUTHZ_FRAMES_ONLY"];
const first = Number(process.env["AUTHZ_FRAMES_FROM"] ?? 0);
const major = Number(process.versions.node.split(".", 1)[0]);
// GOAWAY frames damage the heap of Node 20.20 and 22.23 themselves (docs/security.md): there a crash would say nothing of us.
const goaway = (process.env["AUTHZ_FRAMES_GOAWAY"] ?? (major >= 24 ? "1" : "0")) === "1";
// By an answer to no ping, with a request in the same packet, one client ends a process of Node 22.23.
const survives = new Set<Survived>([...(goaway ? (["goaway"] as const) : []), ...(major === 22 ? [] : (["strayAnswers"] as const))]);

console.log(
  `fuzz frames: ${seconds} s, seed ${seed} (AUTHZ_SEED repeats it), Node ${process.version}, ${goaway ? "with" : "without"} GOAWAY`,
);
const {
  rounds,
  conversations: played,
  ordinary,
  violations,
} = await run({
  seed,
  seconds,
  first,
  only: only === undefined ? undefined : Number(only),
  rounds: Number(process.env["AUTHZ_FRAMES_ROUNDS"] ?? Infinity),
  conversations: scripts,
  patience,
  node: process.execPath,
  traits: { survives, closesBroken: major >= 22, countsFrames: major >= 24, breaks: true },
  enough,
  onViolation: (text) => console.log(`\n=== violation, ${text}\n`),
  onRound: (text) => console.log(text),
});
console.log(`${rounds} rounds, ${played} conversations, ${ordinary} ordinary checks, ${violations.length} violations`);
process.exitCode = violations.length > 0 ? 1 : 0;
