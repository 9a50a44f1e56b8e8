/**
 * Caches what the decision record says of one answer: resources of one kind are usually asked about in the same words, and answered in
 * one of a few ways.
 */
import { ActionDecisions } from "../decide/action-decisions.ts";
import type { ActionDecision, Decision } from "../decide/decision.ts";
import { ownText } from "../own-text.ts";
import { type DecidedList, type Parts, whole, writeAnswer } from "./answers.ts";

/** An answer whose text is cached. */
interface KnownAnswer {
  readonly asked: readonly string[];
  readonly decided: DecidedList;
  readonly roles: Decision["effectiveDerivedRoles"];
  readonly errors: Decision["evaluationErrors"];
  readonly text: string;
}

/** Answers cached for one decision on their first action: those that came last. */
const maxAnswers = 4;
/** UTF-16 units; longer answers are not cached. */
const longestText = 2048;
/** UTF-16 units of all texts together; then the cache is emptied. */
const maxCharacters = 2 ** 22;

/** By the decision on the first action, which lives as long as the policies. */
let known = new WeakMap<ActionDecision, KnownAnswer[]>();
let characters = 0;

/** Returns what `writeAnswer` writes, as one flat string. */
export function answerText(decision: Decision, asked: readonly string[], parts: Parts): string {
  const decided = ActionDecisions.listOf(decision.actions, asked);
  const [first] = decided;
  if (first === undefined || decision.outputs.length + decision.validationErrors.length > 0) {
    return writeAnswer(decision, asked, decided, parts);
  }
  const answers = known.get(first);
  if (answers !== undefined) {
    for (let at = 0; at < answers.length; at++) {
      const answer = answers[at];
      if (answer !== undefined && isSame(answer, decision, asked, decided)) return answer.text;
    }
  }
  const text = whole(writeAnswer(decision, asked, decided, parts));
  if (text.length <= longestText && isLasting(decision)) keep(first, answers, decision, asked, decided, text);
  return text;
}

/** Compares identities where it can, so false may be a miss. */
function isSame(answer: KnownAnswer, decision: Decision, asked: readonly string[], decided: DecidedList): boolean {
  if (answer.roles !== decision.effectiveDerivedRoles || answer.asked.length !== asked.length) return false;
  for (let at = 0; at < asked.length; at++) if (answer.decided[at] !== decided[at] || answer.asked[at] !== asked[at]) return false;
  const errors = decision.evaluationErrors;
  if (answer.errors === errors) return true;
  if (answer.errors.length !== errors.length) return false;
  for (let at = 0; at < errors.length; at++) if (answer.errors[at] !== errors[at]) return false;
  return true;
}

/** Returns whether the roles and errors are lists that recur; others may still change, or belong to one request. */
const isLasting = ({ effectiveDerivedRoles, evaluationErrors }: Decision): boolean =>
  Object.isFrozen(effectiveDerivedRoles) && Object.isFrozen(evaluationErrors);

function keep(
  first: ActionDecision,
  answers: KnownAnswer[] | undefined,
  { effectiveDerivedRoles, evaluationErrors }: Decision,
  asked: readonly string[],
  decided: DecidedList,
  text: string,
): void {
  if (characters + text.length > maxCharacters) {
    known = new WeakMap();
    characters = 0;
  }
  characters += text.length;
  const answer = { asked: asked.map(ownText), decided: decided.slice(), roles: effectiveDerivedRoles, errors: evaluationErrors, text };
  known.set(first, [answer, ...(answers ?? none).slice(0, maxAnswers - 1)]);
}

const none: readonly KnownAnswer[] = [];
