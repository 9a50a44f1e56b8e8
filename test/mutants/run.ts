/** Makes mutants of honest bundles, reads them as a server does, and counts what comes of them. */
import type { Bundle } from "../../runtime/bundle.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import type { Realm } from "../../runtime/sandbox/realm.ts";
import { openTrial } from "../../runtime/sandbox/trial/trial.ts";
import { bundleChange } from "../../src/compile/bundle-change.ts";
import { frameOf, jsonOf, openFrame } from "../../src/bundle/frame.ts";
import { readBundle } from "../../src/bundle/index.ts";
import { signStatement } from "../../src/bundle/sign.ts";
import type { Trust } from "../../src/bundle/verify.ts";
import { isRefusal } from "../../src/refusal.ts";
import { openRandom, type Random } from "../agree/random.ts";
import { answersOf, key, trusted, type Base } from "./bases.ts";
import { damages } from "./bytes.ts";
import { edits } from "./edits.ts";
import { printStatement, remake, type Json } from "./remake.ts";

/** What has come of mutants: by kind of mutation and by what came of it. */
export type Tally = Map<string, number>;

/** Adds up what two runs have counted. */
export const addTallies = (left: Tally, right: Tally): Tally =>
  new Map([...left.keys(), ...right.keys()].map((name) => [name, (left.get(name) ?? 0) + (right.get(name) ?? 0)]));

/** Says a tally, a line for each. */
export const printTally = (tally: Tally): string =>
  [...tally]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, many]) => `${String(many).padStart(9)}  ${name}`)
    .join("\n");

export interface RunOptions {
  readonly seed: number;
  /** Files that nobody has made whole again. */
  readonly damaged: number;
  /** Files whose digests and signature were made again. */
  readonly remade: number;
  readonly bases: readonly Base[];
  readonly realm: Realm;
  /** Told what is being tried, before it is: who watches then knows what hangs. */
  readonly at?: (what: string) => void;
}

const withKeys: Trust = { kind: "keys", keys: trusted };
const anybody: Trust = { kind: "anybody" };

/** Runs; throws with the first mutant that is neither refused nor harmless, and with what repeats it. */
export function run({ seed, damaged, remade, bases, realm, at }: RunOptions): Tally {
  const tally: Tally = new Map();
  const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const honest = new Map<Base, readonly string[]>();
  const truth = (base: Base): readonly string[] => {
    const known = honest.get(base) ?? loaded(realm, base);
    honest.set(base, known);
    return known;
  };
  for (let mutant = 0; mutant < damaged + remade; mutant++) {
    const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(mutant + 1, 0x85ebca6b));
    const base = random.pick(bases);
    const other = random.pick(bases);
    const where = `AUTHZ_SEED=${seed}, mutant ${mutant} of ${base.name}`;
    at?.(where);
    try {
      if (mutant < damaged) tryDamaged(random, base, other, count);
      else tryRemade(random, base, other, realm, truth(base), count);
    } catch (error) {
      throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  return tally;
}

function loaded(realm: Realm, { bundle, questions }: Base): readonly string[] {
  realm.load(JSON.stringify(bundle));
  const answers = answersOf(realm, questions);
  const failed = answers.find((answer) => !answer.startsWith("0") && !answer.startsWith("3"));
  if (failed !== undefined) throw new Error(`the honest bundle fails: ${failed.slice(0, 300)}`);
  return answers;
}

/** The bundle, or why there is none; anything but a refusal is a crash. */
function read(bytes: Uint8Array, trust: Trust): { readonly bundle: Bundle } | { readonly refused: string } {
  try {
    return { bundle: readBundle(bytes, trust).content.bundle };
  } catch (error) {
    if (isRefusal(error)) return { refused: error.message };
    throw error;
  }
}

const reasons: readonly (readonly [reason: string, says: RegExp])[] = [
  ["cut off or damaged", /^it is (?:cut off|damaged|empty)/],
  ["no bundle", /^it is not a bundle/],
  ["not signed", /^it is not signed/],
  ["another's signature", /^it is signed by another key/],
  ["a signature that does not fit", /^its signature does not fit/],
  ["another compiler", /^it (?:was built by|is of format)/],
  ["the gate", /cannot be run/],
  ["what a bundle holds", /does not have the contents of a bundle/],
  ["how it is written", /^it is not written as|is not JSON|UTF-8/],
];
const reasonOf = (refused: string): string => {
  const reason = reasons.find(([, says]) => says.test(refused))?.[0];
  if (reason === undefined) throw new Error(`refused for a reason that nobody knows: ${refused}`);
  return reason;
};

/** As it lies on a disk: bytes have changed, and nobody has made a digest again. */
function tryDamaged(random: Random, base: Base, other: Base, count: (what: string) => void): void {
  const file = Buffer.from(base.bytes);
  const kinds = damages.map(
    ([name, weight, damage]) => [weight, () => [name, damage(random, file, Buffer.from(other.bytes))] as const] as const,
  );
  const [name, bytes] = random.weigh<readonly [string, Uint8Array]>([
    ...kinds,
    [4, () => ["an edit of what it says", edited(random, base, other, false)[1]]],
  ]);
  if (Buffer.compare(bytes, base.bytes) === 0 || Buffer.compare(bytes, other.bytes) === 0) return count("as it was");
  const signed = read(bytes, withKeys);
  if ("bundle" in signed) throw new Error(`a changed file is taken as signed (${name})`);
  count(`with signatures: refused, ${reasonOf(signed.refused)}`);
  const unsigned = read(bytes, anybody);
  if ("refused" in unsigned) count(`without signatures: refused, ${reasonOf(unsigned.refused)}`);
  else if (JSON.stringify(unsigned.bundle) === JSON.stringify(base.bundle)) count(`without signatures: the original's content (${name})`);
  else throw new Error(`a changed file is taken, and says something else (${name})`);
}

/** Somebody who may sign has said something else. */
function tryRemade(random: Random, base: Base, other: Base, realm: Realm, truth: readonly string[], count: (what: string) => void): void {
  const [name, bytes] = edited(random, base, other, true);
  const told = (what: string): void => count(`remade, ${name}: ${what}`);
  if (Buffer.compare(bytes, base.bytes) === 0) return told("as it was");
  const mutant = read(bytes, withKeys);
  if ("refused" in mutant) return told(`refused, ${reasonOf(mutant.refused)}`);
  if (name === "a program of attacks") throw new Error(`an attack is taken: ${JSON.stringify(mutant.bundle.shapes)}`);
  const tried = tryOut(mutant.bundle);
  if (tried !== "") return told("refused, the trial");
  // A server that has the original hears of a change; one that starts hears of the whole.
  try {
    if (random.chance(0.5)) {
      realm.load(JSON.stringify(base.bundle));
      realm.change(JSON.stringify(bundleChange(base.bundle, mutant.bundle)));
    } else realm.load(JSON.stringify(mutant.bundle));
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("cannot ")) throw error;
    return told("refused, the realm");
  }
  const answers = answersOf(realm, base.questions);
  const differs = answers.some((answer, index) => answer !== truth[index]);
  const failed = answers.filter((answer) => !answer.startsWith("0") && !answer.startsWith("3"));
  // Whatever it was, it has left nothing behind.
  if (random.chance(0.2)) {
    realm.load(JSON.stringify(base.bundle));
    if (JSON.stringify(answersOf(realm, base.questions)) !== JSON.stringify(truth))
      throw new Error("the original decides otherwise after it");
  }
  told(!differs ? "the original's decisions" : failed.length > 0 ? `checks fail, ${failed[0]?.slice(0, 160) ?? ""}` : "another policy");
}

/** What a trial says of a bundle. */
function tryOut(bundle: Bundle): string {
  const trial = openTrial(bundle, load(bundle, evaluateInThisRealm));
  for (;;) {
    const said = trial.next();
    if (said === "" || said.startsWith("!")) return said;
  }
}

/** A file with one edit, or a few. */
function edited(random: Random, base: Base, other: Base, whole: boolean): readonly [name: string, bytes: Uint8Array] {
  const { statement, signature } = openFrame(base.bytes);
  const written: { [name: string]: Json } = JSON.parse(jsonOf(statement));
  const others: { [name: string]: Json } = JSON.parse(jsonOf(openFrame(other.bytes).statement));
  const edit = random.weigh(edits.map((each) => [each.weight, () => each] as const));
  for (let times = random.chance(0.85) ? 1 : 2 + random.whole(3); times > 0; times--) edit.run(random, written, others);
  if (!whole) {
    const frame = Buffer.from(frameOf(printStatement(written), signature));
    const original = Buffer.from(base.bytes);
    // The last lines are the original's.
    return [
      edit.name,
      Buffer.concat([frame.subarray(0, frame.lastIndexOf("// authz bundle")), original.subarray(original.lastIndexOf("// authz bundle"))]),
    ];
  }
  if (random.chance(0.9)) remake(written);
  return [edit.name, signStatement(printStatement(written), key)];
}
