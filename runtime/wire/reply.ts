/** Writes decisions as the JSON text of a CheckResources response, piece by piece: no object is made only to be printed. */
import { invariant } from "../cel/error.ts";
import type { Decision, Output, ValidationError } from "../decide/decision.ts";
import { scopeUsed } from "../decide/scopes.ts";
import { bound, largestReply } from "./reply-size.ts";
import type { CheckRequest, RequestLimits } from "./request.ts";
import type { Entry } from "./resource.ts";

/** What was used where the request left it open (D2), and how much could be asked. */
export interface Defaults extends Partial<RequestLimits> {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
}

/** Prints a text as JSON without its quotes, which stand in the texts around it: with escapes, or bare when none can be needed. */
export type Inner = (text: string) => string;

const escaped = (text: string): string => JSON.stringify(text);
const escapedWithin: Inner = (text) => escaped(text).slice(1, -1);
const bare: Inner = (text) => text;

/** Returns how the texts of a request are echoed: plain ones need no escape. */
export const innerFor = (plain: boolean): Inner => (plain ? bare : escapedWithin);

/** Writes the reply to a request: one result an entry, in the request's order; `results` and `actions` are always there (D4). */
export function writeReply(request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string): string {
  const { entries, requestId, includeMeta } = request;
  invariant(decisions.length === entries.length, "every entry is decided");
  const inner = innerFor(request.plain);
  const most = largestReply(defaults);
  let text = requestId === "" ? '{"results":[' : `{"requestId":"${inner(requestId)}","results":[`;
  // Resources that stand side by side are mostly of one kind, version and scope.
  let last: Entry["resource"] | undefined;
  let place = "";
  let start = '{"resource":{"id":"';
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    const decision = decisions[index];
    invariant(entry !== undefined && decision !== undefined, "both lists are as long as the index");
    const { resource, actions } = entry;
    if (last === undefined || !standTogether(last, resource)) place = writePlace(resource, defaults, inner);
    last = resource;
    text += start;
    text += inner(resource.id);
    text += place;
    text = addEffects(text, actions, decision, inner);
    if (decision.validationErrors.length > 0) text += writeValidationErrors(decision);
    if (includeMeta) text += `,"meta":${writeMeta(entry, decision, inner)}`;
    if (decision.outputs.length > 0) text = addOutputs(text, decision.outputs, most);
    bound(text, most);
    start = '},{"resource":{"id":"';
  }
  return `${text}${entries.length > 0 ? "}" : ""}],"authzCallId":${escaped(callId)}}`;
}

const standTogether = (left: Entry["resource"], right: Entry["resource"]): boolean =>
  left.kind === right.kind && left.policyVersion === right.policyVersion && left.scope === right.scope;

/** Writes what follows the id of a resource, from its closing quote to where the actions begin. */
function writePlace(
  { kind, policyVersion, scope }: Entry["resource"],
  { defaultPolicyVersion, defaultScope }: Defaults,
  inner: Inner,
): string {
  const version = policyVersion ? inner(policyVersion) : escapedWithin(defaultPolicyVersion);
  const used = scopeUsed(scope, defaultScope);
  const written = used === "" ? "" : `,"scope":"${scope ? inner(used) : escapedWithin(used)}"`;
  return `","kind":"${inner(kind)}","policyVersion":"${version}"${written}},"actions":{`;
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
export const writeEffects = (actions: readonly string[], decision: Decision, inner: Inner): string =>
  addEffects('"actions":{', actions, decision, inner);

// Piece by piece: every piece of a piece would be one more to put together in the end, as would every quote by itself.
function addEffects(before: string, actions: readonly string[], decision: Decision, inner: Inner): string {
  if (actions.length === 0) return `${before}}`;
  let text = before;
  let effect = '"';
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index] ?? "";
    text += effect;
    text += inner(action);
    // Anything but a clear ALLOW is a DENY, whatever a unit made of it.
    effect = decision.actions.get(action)?.effect === "EFFECT_ALLOW" ? '":"EFFECT_ALLOW","' : '":"EFFECT_DENY","';
  }
  return text + (effect === '":"EFFECT_ALLOW","' ? '":"EFFECT_ALLOW"}' : '":"EFFECT_DENY"}');
}

/** Writes which policies decided. */
export function writeMeta(entry: Entry, { actions, effectiveDerivedRoles }: Decision, inner: Inner): string {
  const deciders = entry.actions.map((action) => {
    const decider = actions.get(action);
    invariant(decider !== undefined, "every action is decided");
    const scope = decider.matchedScope === "" ? "" : `,"matchedScope":${escaped(decider.matchedScope)}`;
    return `"${inner(action)}":{"matchedPolicy":${escaped(decider.matchedPolicy)}${scope}}`;
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
