/** Writes what was decided of one resource as the record keeps it. */
import type { JsonObject } from "../cel/value.ts";
import type { ActionDecision, Decision, EvaluationError } from "../decide/decision.ts";
import { remembering } from "../decide/remember.ts";
import { writeOutput, writeValidationError } from "./reply.ts";

/** How a record is written, and how much of it. */
export interface Parts {
  /** A text of the request as JSON, without its quotes. */
  readonly inner: (text: string) => string;
  /** Write attributes: of the principal, and of resources. */
  readonly ofPrincipal: (attributes: JsonObject) => string;
  readonly ofResource: (attributes: JsonObject) => string;
  /** The attributes, claims and values, which can be of any size. */
  readonly attributes: boolean;
  readonly mostBytes: number;
}

export const escaped = (text: string): string => JSON.stringify(text);

/** Puts the pieces of a text together that will stand in several places: otherwise each place would do that again. */
export const whole = (text: string): string => (text.charCodeAt(0) === 0 ? "" : text);

export function writeTexts(texts: readonly string[], inner: Parts["inner"]): string {
  let list = "";
  for (let at = 0; at < texts.length; at++) list += (at > 0 ? '","' : '["') + inner(texts[at] ?? "");
  return list === "" ? "[]" : `${list}"]`;
}

/** Writes what follows the id of the resource, from its closing quote on; actions that nobody decided are left out. */
export function writeAnswer(decision: Decision, asked: readonly string[], { inner, attributes, mostBytes }: Parts): string {
  const { actions, effectiveDerivedRoles, validationErrors, outputs, evaluationErrors } = decision;
  let text = "";
  let before: EffectTexts | undefined;
  for (let at = 0; at < asked.length; at++) {
    const action = asked[at] ?? "";
    const decided = actions.get(action);
    if (decided === undefined) continue;
    text += before === undefined ? '","actions":{"' : before.amid;
    text += inner(action);
    before = effectTexts(decided);
  }
  text += before === undefined ? '","actions":{}' : before.atEnd;
  if (effectiveDerivedRoles.length > 0) text += rolesText(effectiveDerivedRoles);
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
  return text + (evaluationErrors.length > 0 ? errorsText(evaluationErrors) : "}");
}

/** Says whether two decisions about the same actions are sure to be written alike: by what is the same, not by what is equal. */
export function areAnsweredAlike(left: Decision, right: Decision, asked: readonly string[]): boolean {
  if (left.effectiveDerivedRoles !== right.effectiveDerivedRoles) return false;
  if (left.outputs.length + right.outputs.length + left.validationErrors.length + right.validationErrors.length > 0) return false;
  if (left.evaluationErrors.length !== right.evaluationErrors.length) return false;
  for (let at = 0; at < left.evaluationErrors.length; at++) if (left.evaluationErrors[at] !== right.evaluationErrors[at]) return false;
  // To the end: actions are read soonest one after the other, from the first to the last.
  let areSame = true;
  for (let at = 0; at < asked.length; at++) {
    const action = asked[at] ?? "";
    if (left.actions.get(action) !== right.actions.get(action)) areSame = false;
  }
  return areSame;
}

/** Remembers what is made of something that lives as long as the policies do, or comes back with request after request. */
function rememberedOf<T extends object, U>(making: (what: T) => U): (what: T) => U {
  const made = new WeakMap<T, U>();
  return (what) => {
    const known = made.get(what);
    if (known !== undefined) return known;
    const now = making(what);
    made.set(what, now);
    return now;
  };
}

/** Remembers its text. */
export const writtenOnce = <T extends object>(writing: (what: T) => string): ((what: T) => string) =>
  rememberedOf((what) => whole(writing(what)));

/** The same of a list that comes back and is frozen; what may still change, or is made for one request, is written each time. */
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

/** Names of policies and derived roles that are remembered as they are written. */
const mostNames = 8192;

export const nameText = remembering(mostNames, escaped);

/** What follows the name of an action, from its closing quote on: up to the next one's name, or to the end of all. Each piece less is one less to put together. */
interface EffectTexts {
  readonly amid: string;
  readonly atEnd: string;
}

const effectTexts = rememberedOf(({ effect, matchedPolicy, matchedScope }: ActionDecision): EffectTexts => {
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
