/**
 * Writes decisions as the JSON text of a CheckResources response, by string concatenation: building an object only to
 * print it is slower.
 */
import { invariant } from "../cel/error.ts";
import { ActionDecisions } from "../decide/action-decisions.ts";
import type { Decision, Output, ValidationError } from "../decide/decision.ts";
import { scopeUsed } from "../decide/scopes.ts";
import { writeOutputValue } from "./output-value.ts";
import { bound, largestReply } from "./reply-size.ts";
import type { CheckRequest, RequestLimits } from "./request.ts";
import type { Entry } from "./resource.ts";

/** The configured defaults that apply where the request is silent (D2), and the request limits. */
export interface Defaults extends Partial<RequestLimits> {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
}

/** Escapes a string for JSON, without the surrounding quotes. For plain requests it is the identity. */
export type Inner = (text: string) => string;

const escaped = (text: string): string => JSON.stringify(text);
const escapedWithin: Inner = (text) => escaped(text).slice(1, -1);
const bare: Inner = (text) => text;

/** Returns the function that escapes strings of the request; a plain request has none that need it. */
export const innerFor = (plain: boolean): Inner => (plain ? bare : escapedWithin);

/**
 * Writes the reply: one result for each entry, in the request's order. `results` and `actions` are always present
 * (D4). Throws `tooLargeReply`.
 */
export function writeReply(request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string): string {
  const { entries, requestId, includeMeta } = request;
  invariant(decisions.length === entries.length, "every entry is decided");
  const inner = innerFor(request.plain);
  const most = largestReply(defaults);
  let text = requestId === "" ? '{"results":[' : `{"requestId":"${inner(requestId)}","results":[`;
  // Neighbouring resources usually share kind, version and scope.
  let last: Entry["resource"] | undefined;
  let place = "";
  let start = '{"resource":{"id":"';
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    const decision = decisions[index];
    invariant(entry !== undefined && decision !== undefined, "both lists are as long as the index");
    const { resource, actions } = entry;
    if (last === undefined || !haveSamePolicy(last, resource)) place = writePlace(resource, defaults, inner);
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

const haveSamePolicy = (left: Entry["resource"], right: Entry["resource"]): boolean =>
  left.kind === right.kind && left.policyVersion === right.policyVersion && left.scope === right.scope;

/** Writes what follows a resource id: from its closing quote up to the opening brace of `actions`. */
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
    bound(text, most); // the same value of megabytes can be the output of many rules
  }
  return `${text}]`;
}

/** Writes the field `actions`: the effect of each action. */
export const writeEffects = (actions: readonly string[], decision: Decision, inner: Inner): string =>
  addEffects('"actions":{', actions, decision, inner);

// Appends to one string: intermediate strings would have to be flattened again at the end, and so would each separate
// quote.
function addEffects(before: string, actions: readonly string[], decision: Decision, inner: Inner): string {
  if (actions.length === 0) return `${before}}`;
  const decided = ActionDecisions.listOf(decision.actions, actions);
  let text = before;
  let effect = '"';
  for (let index = 0; index < actions.length; index++) {
    text += effect;
    text += inner(actions[index] ?? "");
    // Anything but a clear ALLOW is a DENY, whatever the compiled policy returned.
    effect = decided[index]?.effect === "EFFECT_ALLOW" ? '":"EFFECT_ALLOW","' : '":"EFFECT_DENY","';
  }
  return text + (effect === '":"EFFECT_ALLOW","' ? '":"EFFECT_ALLOW"}' : '":"EFFECT_DENY"}');
}

/** Writes the object `meta`: the deciding policy and scope of each action, and the active derived roles. */
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

/** Writes one rule output: a value (null is one), or the error that prevented it. */
export function writeOutput({ src, action, val, error }: Output): string {
  const value = val === undefined ? "" : `,"val":${writeOutputValue(val)}`;
  return `{"src":${escaped(src)}${value},"action":${escaped(action)}${error === undefined ? "" : `,"error":${escaped(error)}`}}`;
}

/** Writes the field `validationErrors` with a leading comma, or nothing if there are none. */
export const writeValidationErrors = ({ validationErrors }: Decision): string =>
  validationErrors.length === 0 ? "" : `,"validationErrors":[${validationErrors.map(writeValidationError).join(",")}]`;

/** Writes one validation error of a schema. */
export const writeValidationError = ({ path, message, source }: ValidationError): string =>
  `{${path === "" ? "" : `"path":${escaped(path)},`}"message":${escaped(message)},"source":"${source}"}`;
