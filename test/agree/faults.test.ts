/** The agreement test has teeth: each planted fault makes generated code and the reference disagree, and soon. */
import { afterAll, expect, test } from "vitest";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { alikeScopes } from "./alike-scopes.ts";
import { faults } from "./faults.ts";
import { askReference, differences, openSubject, sourcesOf } from "./judge.ts";
import type { Expected, Make } from "./judge.ts";
import { plant, type Fault } from "./plant.ts";
import { makeTrial } from "./run.ts";
import type { Batch } from "./requests.ts";
import type { Document } from "./document.ts";

const seed = Number(process.env["AUTHZ_SEED"] ?? 1);
const most = Number(process.env["AUTHZ_FAULT_PAIRS"] ?? 20_000);

/** A policy set, calls on it, and what the reference answers: the same for every fault. */
interface Answered {
  readonly documents: readonly Document[];
  readonly policySet: PolicySet;
  readonly calls: readonly { readonly batch: Batch; readonly expected: Expected }[];
}

type Stores = Fault["stores"];

const keyOf = (at: number, stores: Stores): string => `${stores ?? "any"} ${at}`;
const trialAt = (at: number, stores: Stores): ReturnType<typeof makeTrial> =>
  makeTrial(seed, at, stores === "alike" ? alikeScopes : undefined);

const answeredOf = new Map<string, Answered | undefined>();

function answeredSet(at: number, stores?: Stores): Answered | undefined {
  const key = keyOf(at, stores);
  if (!answeredOf.has(key)) answeredOf.set(key, answer(at, stores));
  return answeredOf.get(key);
}

function answer(at: number, stores: Stores): Answered | undefined {
  const { documents, batches } = trialAt(at, stores);
  const subject = openSubject(documents);
  if (typeof subject === "string") return undefined;
  const { policySet } = subject;
  return { documents, policySet, calls: batches.map((batch) => ({ batch, expected: askReference(policySet, batch) })) };
}

const pairsOf = new Map<string, number>();

/** So many pairs lie before a trial: neither side is asked them, which takes minutes. */
function pairsBefore(trial: number, stores: Stores): number {
  let pairs = 0;
  for (let at = 0; at < trial; at++) {
    const key = keyOf(at, stores);
    const known = pairsOf.get(key) ?? trialAt(at, stores).batches.reduce((sum, { inputs }) => sum + inputs.length, 0);
    pairsOf.set(key, known);
    pairs += known;
  }
  return pairs;
}

/** Every trial in turn; first, the one that is known to show the fault. */
function* trialsFor({ stores, trial }: Fault): Iterable<{ readonly at: number; readonly before?: number }> {
  if (trial !== undefined && seed === 1) yield { at: trial, before: pairsBefore(trial, stores) };
  for (let at = 0; ; at++) yield { at };
}

/** In which trial a difference was found, and after how many pairs; undefined when none was found. */
function lookFor(make: Make, fault: Fault): { readonly trial: number; readonly pairs: number } | undefined {
  let searched = 0;
  for (const { at, before } of trialsFor(fault)) {
    let pairs = before ?? searched;
    if (pairs >= most) return undefined;
    const set = answeredSet(at, fault.stores);
    if (set === undefined) continue;
    const evaluators = make(sourcesOf(set.documents));
    // A compiler that suddenly refuses what compiles is found out.
    if (evaluators === undefined) return { trial: at, pairs };
    for (const { batch, expected } of set.calls) {
      pairs += batch.inputs.length;
      if (differences(evaluators, batch, expected).length > 0) return { trial: at, pairs };
    }
    if (before === undefined) searched = pairs;
  }
  return undefined;
}

const found: string[] = [];
afterAll(() =>
  console.log(`AUTHZ_SEED=${seed}, where each of ${faults.length} faults was found, and after how many pairs:\n${found.join("\n")}`),
);

test("without a fault nothing is found", async () => {
  const nothing = { says: "nothing", file: "runtime/decide/effect.ts", find: "export const NONE = 0;", put: "export const NONE = 0; " };
  const make = await plant(nothing);
  for (let at = 0; at < 10; at++) {
    const set = answeredSet(at);
    if (set === undefined) continue;
    const evaluators = make(sourcesOf(set.documents));
    if (evaluators === undefined) throw new Error("the copy refuses what compiles");
    expect(set.calls.flatMap(({ batch, expected }) => differences(evaluators, batch, expected))).toEqual([]);
  }
});

test.each(faults)("is found: $says", { timeout: 300_000 }, async (fault) => {
  const where = lookFor(await plant(fault), fault);
  found.push(`${(where === undefined ? "nowhere" : `trial ${where.trial}, ${where.pairs}`).padStart(18)}  ${fault.says}`);
  expect(where?.pairs).toBeLessThanOrEqual(most);
});
