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
  const { entries, requestId, includeMeta } = request;
  invariant(decisions.length === entries.length, "every entry is decided");
  const quote = quoteFor(request.plain);
  const most = largestReply(defaults);
  let text = requestId === "" ? '{"results":[' : `{"requestId":${quote(requestId)},"results":[`;
  // Resources that stand side by side are mostly of one kind, version and scope.
  let last: Entry["resource"] | undefined;
  let place = "";
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    const decision = decisions[index];
    invariant(entry !== undefined && decision !== undefined, "both lists are as long as the index");
    const { resource, actions } = entry;
    if (last === undefined || !standTogether(last, resource)) place = writePlace(resource, defaults, quote);
    last = resource;
    text += index > 0 ? ',{"resource":{"id":' : '{"resource":{"id":';
    text += quote(resource.id);
    text += place;
    text = addEffects(text, actions, decision, quote);
    if (decision.validationErrors.length > 0) text += writeValidationErrors(decision);
    if (includeMeta) text += `,"meta":${writeMeta(entry, decision, quote)}`;
    if (decision.outputs.length > 0) text = addOutputs(text, decision.outputs, most);
    text += "}";
    bound(text, most);
  }
  return `${text}],"authzCallId":${escaped(callId)}}`;
}

const standTogether = (left: Entry["resource"], right: Entry["resource"]): boolean =>
  left.kind === right.kind && left.policyVersion === right.policyVersion && left.scope === right.scope;

/** Writes what follows the id of a resource, up to its actions. */
function writePlace(
  { kind, policyVersion, scope }: Entry["resource"],
  { defaultPolicyVersion, defaultScope }: Defaults,
  quote: Quote,
): string {
  const version = policyVersion ? quote(policyVersion) : escaped(defaultPolicyVersion);
  const used = scopeUsed(scope, defaultScope);
  const written = used === "" ? "" : `,"scope":${scope ? quote(used) : escaped(used)}`;
  return `,"kind":${quote(kind)},"policyVersion":${version}${written}},`;
}

function addOutputs(before: string, outputs: readonly Output[], most: number): string {
  let text = before;
  let separator = ',"outputs":[';
  for (const output of outputs) {
    text += separator + writeOutput(output);
    separator = ",";
    bound(text, most); // a value of megabytes can be the output of many rules
  }
  return `${text}]`;
}

/** Writes the field `actions`: what each action's answer is. */
export const writeEffects = (actions: readonly string[], decision: Decision, quote: Quote): string =>
  addEffects("", actions, decision, quote);

// Piece by piece: every piece of a piece would be one more to put together in the end.
function addEffects(before: string, actions: readonly string[], decision: Decision, quote: Quote): string {
  let text = before;
  let separator = '"actions":{';
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index] ?? "";
    text += separator;
    text += quote(action);
    text += effectText(decision.actions.get(action));
    separator = ",";
  }
  return `${text}${separator === "," ? "}" : '"actions":{}'}`;
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
