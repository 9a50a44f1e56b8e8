/** `npm run fuzz -- suites`: random policies with test suites, run by our command and by the reference's; fails when a result differs and no row explains it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { openRandom } from "../agree/random.ts";
import { explain, rows } from "../peer-policies/differences.ts";
import { answerHere } from "../peer-policies/ours.ts";
import { makeStore } from "../peer-policies/policies.ts";
import { requestsTo } from "../peer-policies/requests.ts";
import type { Request, Store } from "../peer-policies/store.ts";
import { writeStore } from "../peer-policies/write-files.ts";
import { locatePeer, peerVersion } from "../peer/locate.ts";
import { failuresIn, type Line, linesOf } from "./results.ts";
import { makeSuite, type MadeSuite } from "./suites.ts";

const located = locatePeer(process.cwd());
if ("missing" in located) {
  console.error(`fuzz suites: the reference ${peerVersion} cannot be had: ${located.missing}`);
  process.exit(2);
}
const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const wanted = Number(process.env["AUTHZ_SUITE_ACTIONS"] ?? 5000);
const ours = [process.execPath, process.env["AUTHZ_SERVER"] ?? "dist/main.js"];
console.log(`fuzz suites: ${wanted} test actions, seed ${seed} (AUTHZ_SEED repeats it)`);

/** Ours, not the policies': nothing that an author expects is passed over. */
const outputsTwice = "outputs of one action in two items: 0.51 heeds the last item alone";
const directory = mkdtempSync(join(tmpdir(), "authz-fuzz-suites-"));
const counts = new Map<string, number>();
const explained = new Map<string, number>();
let actions = 0;
let unexplained = 0;
let stores = 0;
for (let trial = 0; actions < wanted && unexplained < 10; trial++) {
  const random = openRandom(seed * 1000 + trial);
  const store = makeStore(random, undefined);
  const requests = requestsTo(random, store, undefined, 12);
  const answers = await answerHere(store, requests);
  if (typeof answers === "string") continue;
  const suites = [0, 1, 2].map((index) =>
    makeSuite(
      random,
      `s${index}_test.yaml`,
      store,
      requests
        .slice(index * 4, index * 4 + 4)
        .map((request, at) => ({ request, reply: answers[index * 4 + at] ?? { status: 0, body: null } })),
    ),
  );
  const said = (["ours", "theirs"] as const).map((side) => resultsOf(side, store, suites));
  const [left, right] = said;
  if (left === undefined || right === undefined) continue;
  stores++;
  actions += left.filter(({ action }) => action !== "").length;
  for (const { says } of left) counts.set(says.split(" ")[0] ?? "", (counts.get(says.split(" ")[0] ?? "") ?? 0) + 1);
  compareLines(trial, store, suites, left, right);
}
rmSync(directory, { recursive: true, force: true });
console.log(`${actions} test actions of ${stores} stores: ${[...counts].map(([result, count]) => `${count} ${result}`).join(", ")}`);
for (const { name, because } of rows.filter((row) => explained.has(row.name)))
  console.log(`  ${String(explained.get(name)).padStart(6)}  ${name} (${because})`);
if (explained.has(outputsTwice)) console.log(`  ${String(explained.get(outputsTwice)).padStart(6)}  ${outputsTwice}`);
console.log(`${unexplained} unexplained differences`);
process.exitCode = unexplained > 0 ? 1 : 0;

function resultsOf(side: "ours" | "theirs", store: Store, suites: readonly MadeSuite[]): readonly Line[] | undefined {
  const folder = join(directory, side);
  writeStore(store, side, folder);
  // 0.51 reads suites as YAML 1.1, where a plain `n` is a boolean: what is quoted says the same in both.
  for (const { file, document } of suites)
    writeFileSync(join(folder, file), side === "theirs" ? JSON.stringify(document) : stringify(document, { lineWidth: 0 }));
  const [program = "", ...args] = side === "ours" ? ours : "command" in located ? located.command : [];
  const { stdout, status } = spawnSync(program, [...args, "compile", folder, "--test-output=json", "--ignore-schemas"], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  // 3: one of the two does not take the store, which is what `fuzz -- policy` is about.
  if (status === 3) return undefined;
  return linesOf(stdout.slice(stdout.indexOf("{")));
}

function compareLines(trial: number, store: Store, suites: readonly MadeSuite[], left: readonly Line[], right: readonly Line[]): void {
  const keyOf = ({ says: _says, ...place }: Line): string => JSON.stringify(place);
  const theirs = new Map(right.map((line) => [keyOf(line), line.says]));
  const mine = new Map(left.map((line) => [keyOf(line), line.says]));
  for (const key of new Set([...mine.keys(), ...theirs.keys()])) {
    const [a = "nothing", b = "nothing"] = [mine.get(key), theirs.get(key)];
    if (a === b) continue;
    const place = JSON.parse(key) as Omit<Line, "says">; // it was made of one above
    const row = rowFor(place, store, suites, a, b);
    if (row !== undefined) {
      explained.set(row, (explained.get(row) ?? 0) + 1);
      continue;
    }
    unexplained++;
    console.log(`\n=== trial ${trial}, ${key}\nours:   ${a}\ntheirs: ${b}`);
  }
}

/** A difference of an effect or an output is one of the policies', and those have their rows. */
function rowFor(
  { file, test, principal, resource, action }: Omit<Line, "says">,
  store: Store,
  suites: readonly MadeSuite[],
  a: string,
  b: string,
): string | undefined {
  const suite = suites.find((each) => each.file === file);
  const [who, what] = [suite?.principals.get(principal), suite?.resources.get(resource)];
  if (suite === undefined || who === undefined || what === undefined) return undefined;
  const request: Request = {
    requestId: "",
    includeMeta: true,
    principal: who,
    resources: [{ resource: what, actions: suite.actions.get(test) ?? [action] }],
  };
  const effect = explain({ aspect: "effect", entry: 0, action, ours: a, theirs: b }, store, request);
  if (effect !== undefined) return effect.name;
  const [mine, theirs] = [failuresIn(a), failuresIn(b)];
  const apart = [...mine.filter((each) => !theirs.includes(each)), ...theirs.filter((each) => !mine.includes(each))];
  const outputs = [...new Set(apart.map((each) => each.replace(/ \w+$/, "")))];
  const rowsOf = outputs.map((src) => explain({ aspect: "output", entry: 0, action, src, val: "", only: "ours" }, store, request)?.name);
  const [row] = rowsOf;
  if (row !== undefined && !rowsOf.includes(undefined)) return row;
  return theirs.length < mine.length && suite.saysOutputsTwice.has(test) ? outputsTwice : undefined;
}
