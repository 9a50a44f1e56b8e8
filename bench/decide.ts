/** What does one decision cost in process, beside a hand-written JavaScript function of the same policy and beside other packages? */
import { spawnSync } from "node:child_process";
import type { CheckInput } from "../runtime/decide/input.ts";
import { evaluateInThisRealm } from "../runtime/load.ts";
import { functionForEach, oneFunction } from "./decide/by-hand.ts";
import type { Contestant } from "./decide/contestant.ts";
import { actions, kindsOf, managerAsks, questionsAbout } from "./decide/leave-request.ts";
import { atTheDoor, openPolicies, options, ours, withDecision } from "./decide/ours.ts";
import { findPeers, peersFolder } from "./decide/peers.ts";
import { race, type Course, type Time } from "./race.ts";
import { isGiven, isQuick } from "./tell/flags.ts";
import { report, short, table } from "./tell/report.ts";

const course: Course = isQuick
  ? { rounds: 1, warmUpMilliseconds: 1, roundMilliseconds: 1 }
  : { rounds: 9, warmUpMilliseconds: 300, roundMilliseconds: 60 };
const many = isQuick ? 10 : 100;

/** Nanoseconds: of a decision in an input of its own, and of one more action in an input. */
interface Row {
  readonly name: string;
  readonly version: string | undefined;
  readonly policies: number;
  readonly time: Time;
}

type Call = () => boolean;

/** A loop of its own text: what the engine learns of the calls of one contestant does not reach another. */
function passOver(name: string, calls: readonly Call[]): () => number {
  const text = `/* ${name} */ (calls) => () => { let held = 0; for (let at = 0; at < calls.length; at++) if (calls[at]()) held++; return held; }`;
  const make = evaluateInThisRealm(text) as (calls: readonly Call[]) => () => number; // as the text says
  return make(calls);
}

/** Who is to be timed is right about every question; ends the bench otherwise. */
async function callsOf(contestant: Contestant, kinds: readonly string[]): Promise<readonly Call[]> {
  const callOf = await contestant.prepare(kinds);
  return kinds.flatMap((kind) =>
    questionsAbout(kind).map((question) => {
      const call = callOf(question);
      if (call() !== question.isAllowed) throw new Error(`${contestant.name} is wrong: ${question.name}, about ${kind}`);
      return call;
    }),
  );
}

async function decisions(contestants: readonly Contestant[], policies: number): Promise<readonly Row[]> {
  const kinds = kindsOf(policies);
  const calls: (readonly Call[])[] = [];
  for (const each of contestants) calls.push(await callsOf(each, kinds));
  const times = race(
    contestants.map(({ name }, at) => passOver(`${name}, ${policies}`, calls[at] ?? [])),
    kinds.length * questionsAbout("").length,
    course,
  );
  return contestants.map(({ name, version }, at) => ({ name, version, policies, time: timeAt(times, at) }));
}

function timeAt(times: readonly Time[], at: number): Time {
  const time = times[at];
  if (time === undefined) throw new Error("everybody has a time");
  return time;
}

/** What one more action in an input costs: the whole list beside its first action, over those that are more. */
function oneMoreAction(policies: number, list: readonly string[]): number {
  const kinds = kindsOf(policies);
  const evaluator = openPolicies(kinds);
  const callsAbout = (asked: readonly string[]): readonly Call[] =>
    kinds.map((kind) => {
      const inputs: readonly CheckInput[] = [managerAsks(kind, asked)];
      return () => evaluator.check(inputs, options)[0]?.actions.get("view:public")?.effect === "EFFECT_ALLOW";
    });
  const times = race(
    [list.slice(0, 1), list].map((asked) => passOver(`${asked.join()}, ${policies}`, callsAbout(asked))),
    kinds.length,
    course,
  );
  return (timeAt(times, 1).median - timeAt(times, 0).median) / (list.length - 1);
}

if (isGiven("install")) {
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: peersFolder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const { peers, absent } = findPeers();
const slow = isGiven("slow") || isQuick;
// With many policies the others go through all of them: seconds a round, and users would split them.
const rows = [
  ...(await decisions([ours, oneFunction, functionForEach], 1)),
  ...(await decisions([ours, oneFunction, functionForEach], many)),
  ...(await decisions([withDecision], 1)),
  ...(await decisions([withDecision], many)),
  ...(await decisions([atTheDoor], 1)),
  ...(await decisions([atTheDoor], many)),
  ...(peers.length === 0 ? [] : await decisions(peers, 1)),
  ...(peers.length === 0 || !slow ? [] : await decisions(peers, many)),
];
const more = new Map([1, many].map((policies) => [policies, oneMoreAction(policies, actions)]));
// Its condition asks whether an address lies in a network, which is a cost of its own.
const withNetwork = oneMoreAction(1, ["view:public", "delete"]);

const found = (name: string, policies: number): number | undefined =>
  rows.find((row) => row.name === name && row.policies === policies)?.time.median;
const ratio = (over: string, policies: number): number =>
  (found(ours.name, policies) ?? Number.NaN) / (found(over, policies) ?? Number.NaN);
const cheapestPeer = Math.min(...peers.map(({ name }) => found(name, 1) ?? Number.POSITIVE_INFINITY));
const policiesCount = (policies: number): string => `${policies} ${policies === 1 ? "policy" : "policies"}`;

report({
  bench: "decide",
  figures: { rows, oneMoreAction: Object.fromEntries(more), withNetwork, notInstalled: absent },
  text: [
    `nanoseconds of processor time a decision, six questions in turn about each policy, ${course.rounds} rounds in turn; everybody is right on all of them`,
    "asked is whether one action is allowed, and yes or no is the answer; of our own the whole decision too, and `isAllowed` as applications call it",
    table(
      ["", "version", "policies", "ns", "least", "most", "to ours"],
      rows.map(({ name, version = "", policies, time }) => [
        name,
        version,
        String(policies),
        ...[time.median, time.least, time.most].map(short),
        short(time.median / (found(ours.name, policies) ?? Number.NaN)),
      ]),
    ),
    ...[...more].map(([policies, time]) => `one more action in an input, ${policiesCount(policies)}: ${short(time)} ns`),
    `the action \`delete\` besides, whose condition asks for a network: ${short(withNetwork)} ns`,
    ...(absent.length === 0
      ? []
      : [`not installed, so not measured: ${absent.join(", ")}; \`npm run bench -- decide --install\` puts them into ${peersFolder}`]),
    "the reference as WebAssembly: not measured; no public tool writes what it loads",
  ].join("\n"),
  goals: [
    { name: "1 policy, times the function by hand", found: ratio(oneFunction.name, 1), most: 3 },
    { name: `${many} policies, times ${many} functions by hand`, found: ratio(functionForEach.name, many), most: 3.5 },
    { name: "one more action in an input, 1 policy, ns", found: more.get(1), most: 50 },
    { name: `one more action in an input, ${many} policies, ns`, found: more.get(many), most: 50 },
    {
      name: "the fastest other package, times ours",
      found: peers.length === 0 ? undefined : cheapestPeer / (found(ours.name, 1) ?? Number.NaN),
      least: 1,
    },
  ],
});
