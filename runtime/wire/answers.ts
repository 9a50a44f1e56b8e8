/** Writes what was decided of one resource as the record keeps it: the same is decided of many, so it is mostly a text that is known. */
import type { ActionDecision, Decision, EvaluationError } from "../decide/decision.ts";
import { remembering } from "../decide/remember.ts";
import { writeOutput, writeValidationError } from "./reply.ts";

/** How a record is written, and how much of it. */
export interface Parts {
  readonly quote: (text: string) => string;
  /** The attributes, claims and values, which can be of any size. */
  readonly attributes: boolean;
  readonly mostBytes: number;
}

export const escaped = (text: string): string => JSON.stringify(text);

/** Puts the pieces of a text together that will stand in several places: otherwise each place would do that again. */
export const whole = (text: string): string => (text.charCodeAt(0) === 0 ? "" : text);

export function writeTexts(texts: readonly string[], quote: Parts["quote"]): string {
  let list = "[";
  for (let index = 0; index < texts.length; index++) list += (index > 0 ? "," : "") + quote(texts[index] ?? "");
  return `${list}]`;
}

/** An answer that was written, and all that its text depends on. */
interface Written {
  readonly actions: readonly string[];
  /** What was decided of each; routes keep one decision of each kind. */
  readonly decided: readonly (ActionDecision | undefined)[];
  readonly roles: readonly string[];
  readonly errors: readonly EvaluationError[];
  readonly text: string;
}

/** How many answers are remembered that begin with one decision, how many in all, and how long each may be. */
const mostAlike = 4;
const mostRemembered = 8192;
const longestRemembered = 2048;

let remembered = new WeakMap<ActionDecision, Written[]>();
let count = 0;

/** Writes what follows the id of the resource, from the comma on. */
export function writeAnswer(decision: Decision, asked: readonly string[], parts: Parts): string {
  const decided = asked.map((action) => decision.actions.get(action));
  const { effectiveDerivedRoles: roles, evaluationErrors: errors } = decision;
  const [first] = decided;
  // What a value is part of is another each time.
  if (first === undefined || decision.outputs.length > 0 || decision.validationErrors.length > 0)
    return write(decision, asked, decided, parts);
  const alike = remembered.get(first) ?? [];
  for (const known of alike) {
    if (isSameDecided(known, asked, decided) && areSameRoles(known.roles, roles) && areSameErrors(known.errors, errors)) return known.text;
  }
  const text = whole(write(decision, asked, decided, parts));
  if (text.length > longestRemembered) return text;
  if (count >= mostRemembered) {
    remembered = new WeakMap();
    count = 0;
  }
  count += 1;
  const actions = asked.map(copied);
  const named = errors.map(({ expression, message }) => ({ expression, message: copied(message) }));
  remembered.set(first, [{ actions, decided, roles, errors: named, text }, ...alike.slice(0, mostAlike - 1)]);
  return text;
}

// A loop for each: lists of different making, read in one loop, are read ten times as slowly.
function isSameDecided(known: Written, asked: readonly string[], decided: Written["decided"]): boolean {
  if (known.actions.length !== asked.length) return false;
  for (let at = 0; at < asked.length; at++) if (known.decided[at] !== decided[at] || known.actions[at] !== asked[at]) return false;
  return true;
}

function areSameRoles(left: readonly string[], right: readonly string[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** A text of its own: one that was cut out of a request would keep the whole of it in memory. */
const copied = (text: string): string => whole(` ${text}`).slice(1);

function areSameErrors(left: readonly EvaluationError[], right: readonly EvaluationError[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) {
    const [one, other] = [left[at], right[at]];
    if (one !== other && (one?.expression !== other?.expression || one?.message !== other?.message)) return false;
  }
  return true;
}

/** Actions that nobody decided are left out. */
function write(
  { effectiveDerivedRoles, validationErrors, outputs, evaluationErrors }: Decision,
  actions: readonly string[],
  decided: Written["decided"],
  { quote, attributes, mostBytes }: Parts,
): string {
  let text = ',"actions":';
  let separator = "{";
  for (let at = 0; at < actions.length; at++) {
    const each = decided[at];
    if (each === undefined) continue;
    text += separator + quote(actions[at] ?? "") + effectText(each);
    separator = ",";
  }
  text += separator === "{" ? "{}" : "}";
  if (effectiveDerivedRoles.length > 0) text += `,"effectiveDerivedRoles":${writeTexts(effectiveDerivedRoles, nameText)}`;
  if (validationErrors.length > 0) text += `,"validationErrors":[${validationErrors.map(writeValidationError).join(",")}]`;
  if (attributes && outputs.length > 0) {
    let start = ',"outputs":[';
    for (const output of outputs) {
      text += start + writeOutput(output);
      start = ",";
      if (text.length > mostBytes) return text; // too much as it is
    }
    text += "]";
  }
  if (evaluationErrors.length > 0) text += `,"evaluationErrors":[${evaluationErrors.map(errorText).join(",")}]`;
  return `${text}}`;
}

/** Remembers the text of something that lives as long as the policies do, and comes back with request after request. */
export function writtenOnce<T extends object>(writing: (what: T) => string): (what: T) => string {
  const written = new WeakMap<T, string>();
  return (what) => {
    const known = written.get(what);
    if (known !== undefined) return known;
    const text = whole(writing(what));
    written.set(what, text);
    return text;
  };
}

/** Names of policies and derived roles that are remembered as they are written. */
const mostNames = 8192;

export const nameText = remembering(mostNames, escaped);

const effectText = writtenOnce(({ effect, matchedPolicy, matchedScope }: ActionDecision) => {
  const scope = matchedScope === "" ? "" : `,"scope":${escaped(matchedScope)}`;
  return `:{"effect":"${effect === "EFFECT_ALLOW" ? "EFFECT_ALLOW" : "EFFECT_DENY"}","policy":${escaped(matchedPolicy)}${scope}}`;
});

const errorText = ({ expression, message }: EvaluationError): string =>
  `{"celError":{"expression":${escaped(expression)},"message":${escaped(message)}}}`;
