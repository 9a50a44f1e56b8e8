/** Collects the functions that a policy's program uses, by running it with made-up condition results. */
import type { EvaluationContext } from "../../cel/declare.ts";
import { timestampFromMilliseconds } from "../../cel/timestamp.ts";
import type { Policy } from "../../decide/loaded-unit.ts";
import { DENY } from "../../decide/effect.ts";
import { type Computes, type Holds, noEnvironment, Query } from "../../decide/query.ts";
import type { Question } from "../../decide/trees.ts";
import { matchedOf } from "../../decide/patterns.ts";
import { type Asked, actionsOf } from "./inputs.ts";
import { problem } from "./problem.ts";

/** A function that a program used with a question index. */
export type Handed =
  | { readonly index: number; readonly question: Question; readonly holds: Holds }
  | { readonly index: number; readonly question: Question; readonly computes: Computes };

/** A query with made-up condition results, which reports what is used. */
class Probe extends Query {
  private readonly hear: Hear;
  constructor({ input, globals }: Asked, hear: Hear) {
    super(input, globals, epoch, noEnvironment, true);
    this.hear = hear;
  }
  override holds(index: number, condition: Holds): boolean {
    return this.hear.asked(index, condition);
  }
  override consider(index: number): void {
    this.hear.asked(index, always);
  }
  override output(index: number, src: string, action: string, compute: Computes, times: number): void {
    this.hear.told(index, src, action, compute, times);
  }
}

const always: Holds = () => true;

/** Receives what a program asks of its query. */
interface Hear {
  /** A condition is evaluated; returns the made-up result. */
  readonly asked: (index: number, condition: Holds) => boolean;
  /** An output is reported. */
  readonly told: (index: number, src: string, action: string, compute: Computes, times: number) => void;
}

/** The time of every trial request. */
export const epoch: EvaluationContext = { now: timestampFromMilliseconds(1_714_557_600_000) };

/** Bounds: runs for all actions of a policy together, and functions collected. */
const mostTurns = 96;
const mostHanded = 4000;

/**
 * Collects the functions for each index, independently of requests: each action is run with all patterns matching;
 * each time a condition ends the walk with a denial, its result is flipped for the next run.
 */
export function* handedBy(policy: Policy, asked: Asked): Generator<undefined, readonly Handed[]> {
  const found = new Map<number, Handed[]>();
  const keep = (handed: Handed): void => {
    const known = found.get(handed.index) ?? [];
    const isKnown = known.some((one) => functionOf(one) === functionOf(handed));
    if (isKnown || found.size >= mostHanded) return;
    if (known.length >= mostFunctions) problem("it asks one condition in too many ways");
    found.set(handed.index, [...known, handed]);
  };
  const part = policy.content.part();
  const everything = allOf(policy);
  part.derivedRoles(
    new Probe(
      asked,
      hearing(policy, keep, () => true),
    ),
    part.first,
  );
  yield undefined;
  let turns = 0;
  for (const action of actionsOf(policy.bundled)) {
    for (const first of [policy.unit.type === "role", policy.unit.type !== "role"]) {
      const answers = new Map<number, boolean>();
      for (; turns < mostTurns; turns++) {
        let last: number | undefined;
        const answer = (index: number): boolean => {
          last = index;
          return answers.get(index) ?? first;
        };
        const effect = part.decide(new Probe(asked, hearing(policy, keep, answer)), action, everything, part.first);
        yield undefined;
        if (effect !== DENY || last === undefined || answers.has(last)) break;
        answers.set(last, !first);
      }
    }
  }
  return [...found.values()].flat();
}

const mostFunctions = 4;

const functionOf = (handed: Handed): Holds | Computes => ("holds" in handed ? handed.holds : handed.computes);

/**
 * Checks what a program uses against its unit's data. `answer` is called for rules only; derived roles are always
 * active.
 */
function hearing(policy: Policy, keep: (handed: Handed) => void, answer: (index: number) => boolean): Hear {
  const question = (index: number): Question => {
    const found = policy.unit.trees().questions[index];
    if (found === undefined) return problem(`it asks for condition ${index}, which the unit does not have`);
    if (found.policy !== policy.index) return problem(`it asks for condition ${index}, which is another policy's`);
    return found;
  };
  return {
    asked: (index, condition) => {
      const of = question(index);
      if (of.kind === "output" || typeof condition !== "function") return problem(`it asks for condition ${index}, which is none`);
      keep({ index, question: of, holds: condition });
      return of.kind === "rule" ? answer(index) : true;
    },
    told: (index, src, _action, compute) => {
      const of = question(index);
      if (of.kind !== "output" || typeof compute !== "function") return problem(`it tells output ${index}, which is none`);
      if (!src.startsWith(`${policy.bundled.key}#`)) return problem("it tells something in the name of another policy");
      keep({ index, question: of, computes: compute });
    },
  };
}

/** All patterns match. */
const allOf = ({ bundled }: Policy): Asked["matched"] => matchedOf([...bundled.patterns.keys()], bundled.patterns.length);
