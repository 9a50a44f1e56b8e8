/**
 * Caches what the decision record says of one answer: resources of one kind are usually asked about in the same words, and answered in
 * one of a few ways.
 */
import { ActionDecisions } from "../decide/action-decisions.ts";
import type { ActionDecision, Decision } from "../decide/decision.ts";
import { ownText } from "../own-text.ts";
import { type DecidedList, type Parts, whole, writeAnswer } from "./answers.ts";

/**
 * An answer whose text is cached. What tells most answers apart is in the object itself: with many kinds, each further object that is
 * looked at is one that has to be fetched from memory.
 */
interface KnownAnswer {
  readonly count: number;
  readonly last: ActionDecision | undefined;
  readonly roles: Decision["effectiveDerivedRoles"];
  readonly errors: Decision["evaluationErrors"];
  readonly text: string;
  readonly asked: readonly string[];
  readonly decided: DecidedList;
  /** The one before it. */
  next: KnownAnswer | undefined;
}

/** Answers cached for one decision on their first action: those that came last. */
const maxAnswers = 4;
/** UTF-16 units; longer answers are not cached. */
const longestText = 2048;
/** UTF-16 units of all texts together; then the cache is emptied. */
const maxCharacters = 2 ** 22;

/** By the decision on the first action, which lives as long as the policies. */
let known = new WeakMap<ActionDecision, KnownAnswer>();
let characters = 0;

/** Returns what `writeAnswer` writes, as one flat string if it is cached. */
export function answerText(decision: Decision, asked: readonly string[], parts: Parts): string {
  const decided = ActionDecisions.listOf(decision.actions, asked);
  const [first] = decided;
  if (first === undefined || decision.outputs.length + decision.validationErrors.length > 0) {
    return writeAnswer(decision, asked, decided, parts);
  }
  const recent = known.get(first);
  for (let answer = recent; answer !== undefined; answer = answer.next) {
    if (isSame(answer, decision, asked, decided)) return answer.text;
  }
  const text = whole(writeAnswer(decision, asked, decided, parts));
  if (text.length <= longestText && isLasting(decision)) keep(first, decision, asked, decided, text, recent);
  return text;
}

/** Compares identities where it can, so false may be a miss. */
function isSame(answer: KnownAnswer, decision: Decision, asked: readonly string[], decided: DecidedList): boolean {
  const { length } = asked;
  if (answer.count !== length || answer.roles !== decision.effectiveDerivedRoles || answer.last !== decided[length - 1]) return false;
  const errors = decision.evaluationErrors;
  if (answer.errors !== errors && !areSame(answer.errors, errors)) return false;
  const { asked: askedBefore, decided: decidedBefore } = answer;
  for (let at = 0; at < length; at++) if (decidedBefore[at] !== decided[at] || askedBefore[at] !== asked[at]) return false;
  return true;
}

function areSame(left: Decision["evaluationErrors"], right: Decision["evaluationErrors"]): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** Returns whether the roles and errors are lists that recur; others may still change, or belong to one request. */
const isLasting = ({ effectiveDerivedRoles, evaluationErrors }: Decision): boolean =>
  Object.isFrozen(effectiveDerivedRoles) && Object.isFrozen(evaluationErrors);

function keep(
  first: ActionDecision,
  { effectiveDerivedRoles, evaluationErrors }: Decision,
  asked: readonly string[],
  decided: DecidedList,
  text: string,
  before: KnownAnswer | undefined,
): void {
  if (characters + text.length > maxCharacters) {
    known = new WeakMap();
    characters = 0;
  }
  characters += text.length;
  const answer: KnownAnswer = {
    count: asked.length,
    last: decided.at(-1),
    roles: effectiveDerivedRoles,
    errors: evaluationErrors,
    text,
    asked: asked.map(ownText),
    decided: decided.slice(),
    next: before,
  };
  known.set(first, answer);
  forgetFrom(answer, maxAnswers);
}

/** Shortens a chain of answers to a length. */
function forgetFrom(newest: KnownAnswer, length: number): void {
  let last = newest;
  for (let at = 1; at < length; at++) {
    if (last.next === undefined) return;
    last = last.next;
  }
  last.next = undefined;
}
