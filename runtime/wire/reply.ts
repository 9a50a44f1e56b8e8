/** Writes decisions as the JSON text of a CheckResources response, piece by piece: no object is made only to be printed. */
import { invariant } from "../cel/error.ts";
import type { ActionDecision, Decision, Output, ValidationError } from "../decide/decision.ts";
import { scopeUsed } from "../decide/scopes.ts";
import { bound, largestReply } from "./reply-size.ts";
import type { CheckRequest, RequestLimits } from "./request.ts";
import type { Entry } from "./resource.ts";

/** What was used where the request left it open (D2), and how much could be asked. */
export interface Defaults extends Partial<RequestLimits> {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
}

/** Prints a text as JSON: with escapes, or bare when none can be needed. */
export type Quote = (text: string) => string;

const escaped: Quote = (text) => JSON.stringify(text);
const bare: Quote = (text) => `"${text}"`;

/** Returns how the texts of a request are echoed: plain ones need no escape. */
export const quoteFor = (plain: boolean): Quote => (plain ? bare : escaped);

/** Writes the reply to a request: one result an entry, in the request's order; `results` and `actions` are always there (D4). */
export function writeReply(request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string): string {
  const { entries, requestId } = request;
  invariant(decisions.length === entries.length, "every entry is decided");
  const quote = quoteFor(request.plain);
  const most = largestReply(defaults);
  let text = requestId === "" ? '{"results":[' : `{"requestId":${quote(requestId)},"results":[`;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    const decision = decisions[index];
    invariant(entry !== undefined && decision !== undefined, "both lists are as long as the index");
    if (index > 0) text += ",";
    text += writeResult(entry, decision, request.includeMeta, defaults, quote, most);
    bound(text, most);
  }
  return `${text}],"authzCallId":${escaped(callId)}}`;
}

function writeResult(
  entry: Entry,
  decision: Decision,
  includeMeta: boolean,
  { defaultPolicyVersion, defaultScope }: Defaults,
  quote: Quote,
  most: number,
): string {
  const { id, kind, policyVersion, scope } = entry.resource;
  let text = `{"resource":{"id":${quote(id)},"kind":${quote(kind)},"policyVersion":${policyVersion ? quote(policyVersion) : escaped(defaultPolicyVersion)}`;
  const used = scopeUsed(scope, defaultScope);
  if (used !== "") text += `,"scope":${scope === undefined || scope === "" ? escaped(used) : quote(used)}`;
  text += `},${writeEffects(entry.actions, decision, quote)}${writeValidationErrors(decision)}`;
  if (includeMeta) text += `,"meta":${writeMeta(entry, decision, quote)}`;
  if (decision.outputs.length === 0) return `${text}}`;
  let separator = ',"outputs":[';
  for (const output of decision.outputs) {
    text += separator + writeOutput(output);
    separator = ",";
    bound(text, most); // a value of megabytes can be the output of many rules
  }
  return `${text}]}`;
}

/** Writes the field `actions`: what each action's answer is. */
export function writeEffects(actions: readonly string[], decision: Decision, quote: Quote): string {
  let text = '"actions":{';
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index] ?? "";
    if (index > 0) text += ",";
    text += quote(action) + effectText(decision.actions.get(action));
  }
  return `${text}}`;
}

// Anything but a clear ALLOW is a DENY, whatever a unit made of it.
const effectText = (answer: ActionDecision | undefined): string =>
  answer?.effect === "EFFECT_ALLOW" ? ':"EFFECT_ALLOW"' : ':"EFFECT_DENY"';

/** Writes which policies decided. */
export function writeMeta(entry: Entry, { actions, effectiveDerivedRoles }: Decision, quote: Quote): string {
  const deciders = entry.actions.map((action) => {
    const decider = actions.get(action);
    invariant(decider !== undefined, "every action is decided");
    const scope = decider.matchedScope === "" ? "" : `,"matchedScope":${escaped(decider.matchedScope)}`;
    return `${quote(action)}:{"matchedPolicy":${escaped(decider.matchedPolicy)}${scope}}`;
  });
  const roles = effectiveDerivedRoles.length === 0 ? "" : `,"effectiveDerivedRoles":[${effectiveDerivedRoles.map(escaped).join(",")}]`;
  return `{"actions":{${deciders.join(",")}}${roles}}`;
}

/** Writes what a rule tells besides: a value (null is one), or why there is none. */
export function writeOutput({ src, action, val, error }: Output): string {
  const value = val === undefined ? "" : `,"val":${JSON.stringify(val)}`;
  return `{"src":${escaped(src)}${value},"action":${escaped(action)}${error === undefined ? "" : `,"error":${escaped(error)}`}}`;
}

/** Writes the field `validationErrors` behind another, or nothing. */
export const writeValidationErrors = ({ validationErrors }: Decision): string =>
  validationErrors.length === 0 ? "" : `,"validationErrors":[${validationErrors.map(writeValidationError).join(",")}]`;

/** Writes what a schema found wrong. */
export const writeValidationError = ({ path, message, source }: ValidationError): string =>
  `{${path === "" ? "" : `"path":${escaped(path)},`}"message":${escaped(message)},"source":"${source}"}`;
