/** `npm run fuzz -- workloads`: every effect of every request of the benchmark workloads, from both servers. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { locatePeer, peerVersion } from "../peer/locate.ts";
import { answersOf } from "./compare.ts";
import { type Program, type Reply, start } from "./server.ts";

const root = resolve(process.env["AUTHZ_WORKLOADS"] ?? "../shared/bench");
const copies = 100;
const located = locatePeer(process.cwd());
if ("missing" in located || !existsSync(join(root, "gen.mjs"))) {
  console.error(
    "missing" in located
      ? `fuzz workloads: the reference ${peerVersion} cannot be had: ${located.missing}`
      : `fuzz workloads: no workloads in ${root}; AUTHZ_WORKLOADS names their folder`,
  );
  process.exit(2);
}
const programs: readonly (readonly [brand: string, program: Program])[] = [
  ["authz", { command: [process.execPath, process.env["AUTHZ_SERVER"] ?? "dist/main.js"], healthPath: "/_authz/health", reads: "ours" }],
  ["cerbos", { command: located.command, healthPath: "/_cerbos/health", reads: "theirs" }],
];
const settings = { lenientScopeSearch: false, defaultPolicyVersion: "default", defaultScope: "", globals: {} };
const directory = mkdtempSync(join(tmpdir(), "authz-fuzz-workloads-"));
let unequal = 0;
for (const workload of ["classic", "multitenant"]) {
  const [ours = [], theirs = []] = await Promise.all(programs.map(([brand, program]) => askAll(workload, brand, program)));
  const effects = ours.map(effectsOf);
  const wrong = theirs.map(effectsOf).flatMap((said, index) => (said === effects[index] && said !== "" ? [] : [index]));
  unequal += wrong.length + Math.abs(ours.length - theirs.length);
  const decisions = theirs.flatMap(({ body }) => answersOf(body)).reduce((sum, { actions }) => sum + actions.size, 0);
  const allowed = theirs
    .flatMap(({ body }) => answersOf(body))
    .reduce((sum, { actions }) => sum + [...actions.values()].filter(({ effect }) => effect === "EFFECT_ALLOW").length, 0);
  console.log(
    `${workload}, ${copies} copies: ${theirs.length} requests, ${decisions} decisions, ${allowed} allowed, ${wrong.length} requests answered differently`,
  );
  for (const index of wrong.slice(0, 5))
    console.log(`  request ${index}\n    ours   ${print(ours[index])}\n    theirs ${print(theirs[index])}`);
}
rmSync(directory, { recursive: true, force: true });
process.exitCode = unequal > 0 ? 1 : 0;

/** Every answer of one server to one workload. */
async function askAll(workload: string, brand: string, program: Program): Promise<readonly Reply[]> {
  const folder = join(directory, `${workload}-${brand}`);
  // By its real path: through a link it takes itself for a module, and generates nothing.
  execFileSync(process.execPath, [realpathSync(join(root, "gen.mjs")), workload, String(copies), folder, `--brand=${brand}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const started = await start(program, join(folder, "policies"), settings);
  if ("refused" in started) throw new Error(`${program.command.join(" ")} does not take ${workload}:\n${started.refused}`);
  const replies: Reply[] = [];
  for (const line of readFileSync(join(folder, "requests.ndjson"), "utf8").split("\n"))
    if (line !== "") replies.push(await started.server.ask(line));
  await started.server.stop();
  return replies;
}

/** All effects of a reply, in order; "" when it is no decision. */
function effectsOf({ status, body }: Reply): string {
  return status === 200
    ? JSON.stringify(answersOf(body).map(({ actions }) => [...actions].map(([action, { effect }]) => `${action} ${effect}`).toSorted()))
    : "";
}

function print(reply: Reply | undefined): string {
  return reply === undefined ? "nothing" : `${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}`;
}
