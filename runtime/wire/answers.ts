/** Writes the decision on one resource in the form of the decision record. */
import type { JsonObject } from "../cel/value.ts";
import type { ActionDecision, Decision, EvaluationError } from "../decide/decision.ts";
import { memoized } from "../decide/memoize.ts";
import { writeOutput, writeValidationError } from "./reply.ts";

/** The decisions on the actions of an input, in their order; undefined stands for none. */
export type DecidedList = readonly (ActionDecision | undefined)[];

/** Options for writing a record: how to escape, what to include, how large it may get. */
export interface Parts {
  /** Escapes a string of the request for JSON, without the quotes. */
  readonly inner: (text: string) => string;
  /** Write attributes as JSON: of the principal, and of resources. */
  readonly ofPrincipal: (attributes: JsonObject) => string;
  readonly ofResource: (attributes: JsonObject) => string;
  /** Whether to include attributes, claims and output values, which can be of any size. */
  readonly attributes: boolean;
  readonly maxBytes: number;
}

/** Returns a string as a JSON string, with its quotes. */
export const escaped = (text: string): string => JSON.stringify(text);

/**
 * Flattens a concatenated string that is used several times. Reading a character makes V8 flatten it once; otherwise
 * each use would.
 */
export const whole = (text: string): string => (text.charCodeAt(0) === 0 ? "" : text);

/** Writes a list of strings as JSON. `inner` escapes a string, without its quotes. */
export function writeTexts(texts: readonly string[], inner: Parts["inner"]): string {
  let list = "";
  for (let at = 0; at < texts.length; at++) list += (at > 0 ? '","' : '["') + inner(texts[at] ?? "");
  return list === "" ? "[]" : `${list}"]`;
}

/**
 * Writes what follows the resource id in an entry, from the id's closing quote on. `decided` holds the decision on each of the actions;
 * actions without one are left out.
 */
export function writeAnswer(
  decision: Decision,
  asked: readonly string[],
  decided: DecidedList,
  { inner, attributes, maxBytes }: Parts,
): string {
  const { effectiveDerivedRoles, validationErrors, outputs, evaluationErrors } = decision;
  let text = "";
  let before: EffectTexts | undefined;
  for (let at = 0; at < asked.length; at++) {
    const one = decided[at];
    if (one === undefined) continue;
    text += before === undefined ? '","actions":{"' : before.amid;
    text += inner(asked[at] ?? "");
    before = effectTexts(one);
  }
  text += before === undefined ? '","actions":{}' : before.atEnd;
  if (effectiveDerivedRoles.length > 0) text += rolesText(effectiveDerivedRoles);
  if (validationErrors.length > 0) text += `,"validationErrors":[${validationErrors.map(writeValidationError).join(",")}]`;
  if (attributes && outputs.length > 0) {
    let start = ',"outputs":[';
    for (const output of outputs) {
      text += start + writeOutput(output);
      start = ",";
      if (text.length > maxBytes) return text; // the caller discards it as too large
    }
    text += "]";
  }
  return text + (evaluationErrors.length > 0 ? errorsText(evaluationErrors) : "}");
}

/** Caches a result by object identity, for objects that live as long as the policies or recur in many requests. */
function cachedByIdentity<T extends object, U>(making: (what: T) => U): (what: T) => U {
  const made = new WeakMap<T, U>();
  return (what) => {
    const known = made.get(what);
    if (known !== undefined) return known;
    const now = making(what);
    made.set(what, now);
    return now;
  };
}

/** Caches the printed text of an object. */
export const writtenOnce = <T extends object>(writing: (what: T) => string): ((what: T) => string) =>
  cachedByIdentity((what) => whole(writing(what)));

/** The same for lists, but caches only frozen ones; others may change or belong to one request. */
function writtenOnceFrozen<T>(writing: (list: readonly T[]) => string): (list: readonly T[]) => string {
  const written = new WeakMap<readonly T[], string>();
  return (list) => {
    const known = written.get(list);
    if (known !== undefined) return known;
    const text = writing(list);
    if (Object.isFrozen(list)) written.set(list, whole(text));
    return text;
  };
}

/** How many names of policies and derived roles are cached in printed form. */
const maxNames = 8192;

/** Returns a name as a JSON string, with its quotes; cached. */
export const nameText = memoized(maxNames, escaped);

/**
 * The text after an action's name, from its closing quote on: `amid` up to the next action's name, `atEnd` up to the
 * end of the object. One piece instead of two saves a concatenation.
 */
interface EffectTexts {
  readonly amid: string;
  readonly atEnd: string;
}

const effectTexts = cachedByIdentity(({ effect, matchedPolicy, matchedScope }: ActionDecision): EffectTexts => {
  const scope = matchedScope === "" ? "" : `,"scope":${escaped(matchedScope)}`;
  const allowed = effect === "EFFECT_ALLOW" ? "EFFECT_ALLOW" : "EFFECT_DENY";
  const text = `":{"effect":"${allowed}","policy":${escaped(matchedPolicy)}${scope}}`;
  return { amid: whole(`${text},"`), atEnd: whole(`${text}}`) };
});

const rolesText = writtenOnceFrozen((roles: readonly string[]) => listText(',"effectiveDerivedRoles":[', roles, nameText, "]"));
const errorsText = writtenOnceFrozen((errors: readonly EvaluationError[]) => listText(',"evaluationErrors":[', errors, errorText, "]}"));

function listText<T>(before: string, list: readonly T[], writing: (what: T) => string, after: string): string {
  let text = before;
  for (let at = 0; at < list.length; at++) {
    const what = list[at];
    if (at > 0) text += ",";
    if (what !== undefined) text += writing(what);
  }
  return text + after;
}

const errorText = writtenOnce(
  ({ expression, message }: EvaluationError) => `{"celError":{"expression":${escaped(expression)},"message":${escaped(message)}}}`,
);
