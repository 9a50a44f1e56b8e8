/** Collects the functions that a policy's program uses, by running it with made-up condition results. */
import type { EvaluationContext } from "../../cel/declare.ts";
import { timestampFromMilliseconds } from "../../cel/timestamp.ts";
import type { Policy } from "../../decide/loaded-unit.ts";
import { DENY } from "../../decide/effect.ts";
import { type Computes, type Holds, noEnvironment, Query } from "../../decide/query.ts";
import type { Question } from "../../decide/trees.ts";
import { matchedOf } from "../../decide/patterns.ts";
import { type TrialRequest, actionsOf } from "./inputs.ts";
import { problem } from "./problem.ts";

/** A function that a program used with a question index. */
export type CollectedFunction =
  | { readonly index: number; readonly question: Question; readonly holds: Holds }
  | { readonly index: number; readonly question: Question; readonly computes: Computes };

/** A query with made-up condition results, which reports what is used. */
class Probe extends Query {
  private readonly observer: Observer;
  constructor({ input, globals }: TrialRequest, observer: Observer) {
    super(input, globals, epoch, noEnvironment, true);
    this.observer = observer;
  }
  override holds(index: number, condition: Holds): boolean {
    return this.observer.onCondition(index, condition);
  }
  // What is asked of the holder of a role is to be seen whoever is made up.
  override hasRole(): boolean {
    return true;
  }
  override consider(index: number): void {
    this.observer.onCondition(index, always);
  }
  override output(index: number, src: string, action: string, compute: Computes, times: number): void {
    this.observer.onOutput(index, src, action, compute, times);
  }
}

const always: Holds = () => true;

/** Receives what a program asks of its query. */
interface Observer {
  /** A condition is evaluated; returns the made-up result. */
  readonly onCondition: (index: number, condition: Holds) => boolean;
  /** An output is reported. */
  readonly onOutput: (index: number, src: string, action: string, compute: Computes, times: number) => void;
}

/** The time of every trial request. */
export const epoch: EvaluationContext = { now: timestampFromMilliseconds(1_714_557_600_000) };

/** Bounds: runs for all actions of a policy together, and functions collected. */
const maxRuns = 96;
const maxCollected = 4000;

/**
 * Collects the functions for each index, independently of requests: each action is run with all patterns matching;
 * each time a condition ends the walk with a denial, its result is flipped for the next run.
 */
export function* collectFunctions(policy: Policy, request: TrialRequest): Generator<undefined, readonly CollectedFunction[]> {
  const found = new Map<number, CollectedFunction[]>();
  const keep = (collected: CollectedFunction): void => {
    const known = found.get(collected.index) ?? [];
    const isKnown = known.some((one) => functionOf(one) === functionOf(collected));
    if (isKnown || found.size >= maxCollected) return;
    if (known.length >= maxFunctions) problem("it asks one condition in too many ways");
    found.set(collected.index, [...known, collected]);
  };
  const part = policy.content.part();
  const everything = allOf(policy);
  part.derivedRoles(
    new Probe(
      request,
      openObserver(policy, keep, () => true),
    ),
    part.first,
  );
  yield undefined;
  let runs = 0;
  for (const action of actionsOf(policy.bundled)) {
    for (const first of [policy.unit.type === "role", policy.unit.type !== "role"]) {
      const answers = new Map<number, boolean>();
      for (; runs < maxRuns; runs++) {
        let last: number | undefined;
        const answer = (index: number): boolean => {
          last = index;
          return answers.get(index) ?? first;
        };
        const effect = part.decide(new Probe(request, openObserver(policy, keep, answer)), action, everything, part.first);
        yield undefined;
        if (effect !== DENY || last === undefined || answers.has(last)) break;
        answers.set(last, !first);
      }
    }
  }
  return [...found.values()].flat();
}

const maxFunctions = 4;

const functionOf = (collected: CollectedFunction): Holds | Computes => ("holds" in collected ? collected.holds : collected.computes);

/**
 * Checks what a program uses against its unit's data. `answer` is called for rules only; derived roles are always
 * active.
 */
function openObserver(policy: Policy, keep: (collected: CollectedFunction) => void, answer: (index: number) => boolean): Observer {
  const question = (index: number): Question => {
    const found = policy.unit.trees().questions[index];
    if (found === undefined) return problem(`it asks for condition ${index}, which the unit does not have`);
    if (found.policy !== policy.index) return problem(`it asks for condition ${index}, which is another policy's`);
    return found;
  };
  return {
    onCondition: (index, condition) => {
      const of = question(index);
      if (of.kind === "output" || typeof condition !== "function") return problem(`it asks for condition ${index}, which is none`);
      keep({ index, question: of, holds: condition });
      return of.kind === "rule" ? answer(index) : true;
    },
    onOutput: (index, src, _action, compute) => {
      const of = question(index);
      if (of.kind !== "output" || typeof compute !== "function") return problem(`it tells output ${index}, which is none`);
      if (!src.startsWith(`${policy.bundled.key}#`)) return problem("it tells something in the name of another policy");
      keep({ index, question: of, computes: compute });
    },
  };
}

/** All patterns match. */
const allOf = ({ bundled }: Policy): TrialRequest["matched"] => matchedOf([...bundled.patterns.keys()], bundled.patterns.length);
