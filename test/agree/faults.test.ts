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

const answeredOf = new Map<Stores, (Answered | undefined)[]>();

function answeredSet(at: number, stores?: Stores): Answered | undefined {
  const answered = answeredOf.get(stores) ?? [];
  answeredOf.set(stores, answered);
  for (let next = answered.length; next <= at; next++) {
    const { documents, batches } = makeTrial(seed, next, stores === "alike" ? alikeScopes : undefined);
    const subject = openSubject(documents);
    answered.push(
      typeof subject === "string"
        ? undefined
        : {
            documents,
            policySet: subject.policySet,
            calls: batches.map((batch) => ({ batch, expected: askReference(subject.policySet, batch) })),
          },
    );
  }
  return answered[at];
}

/** How many pairs it took to find a difference; undefined when none was found. */
function pairsUntilFound(make: Make, stores: Stores): number | undefined {
  let pairs = 0;
  for (let at = 0; pairs < most; at++) {
    const set = answeredSet(at, stores);
    if (set === undefined) continue;
    const evaluators = make(sourcesOf(set.documents));
    // A compiler that suddenly refuses what compiles is found out.
    if (evaluators === undefined) return pairs;
    for (const { batch, expected } of set.calls) {
      pairs += batch.inputs.length;
      if (differences(evaluators, batch, expected).length > 0) return pairs;
    }
  }
  return undefined;
}

const found: string[] = [];
afterAll(() => console.log(`AUTHZ_SEED=${seed}, pairs until each of ${faults.length} faults was found:\n${found.join("\n")}`));

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
  const pairs = pairsUntilFound(await plant(fault), fault.stores);
  found.push(`${String(pairs ?? "none").padStart(6)}  ${fault.says}`);
  expect(pairs).toBeLessThanOrEqual(most);
});
