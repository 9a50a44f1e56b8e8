/** Writes a CheckResources response as protobuf bytes, one a character; unusual replies are written as JSON instead. */
import { invariant } from "../cel/error.ts";
import type { Decision } from "../decide/decision.ts";
import { memoized } from "../decide/memoize.ts";
import { scopeUsed } from "../decide/scopes.ts";
import { largestReply } from "./reply-size.ts";
import { writeReply, type Defaults } from "./reply.ts";
import type { CheckRequest } from "./request.ts";
import type { Entry } from "./resource.ts";

/** Upper bound of the JSON reply's characters for each byte of the message. */
const maxOfText = 32;

/**
 * Writes the reply: the length of the message in base 36, a colon, and the message, one byte a character. Falls back
 * to the JSON text if the reply contains anything this encoder does not handle: non-ASCII strings, outputs,
 * validation errors, actions whose names start with a digit (an object would list them first), or a reply that may
 * exceed the size limit.
 */
export function writeMessageReply(request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string): string {
  const message = writeMessage(request, decisions, defaults, callId);
  return message === undefined ? writeReply(request, decisions, defaults, callId) : `${message.length.toString(36)}:${message}`;
}

function writeMessage(
  { requestId, entries, includeMeta }: CheckRequest,
  decisions: readonly Decision[],
  defaults: Defaults,
  callId: string,
): string | undefined {
  if (!isUsual(requestId)) return undefined;
  const most = largestReply(defaults) / maxOfText;
  let message = textField("\x0a", requestId);
  // Neighbouring resources usually share kind, version and scope.
  let last: Entry["resource"] | undefined;
  let place: string | undefined;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    const decision = decisions[index];
    invariant(entry !== undefined && decision !== undefined, "every entry is decided");
    const { resource, actions } = entry;
    if (decision.validationErrors.length > 0 || decision.outputs.length > 0 || !isUsual(resource.id)) return undefined;
    if (last === undefined || last.kind !== resource.kind || last.policyVersion !== resource.policyVersion || last.scope !== resource.scope)
      place = placeOf(resource, defaults);
    last = resource;
    if (place === undefined) return undefined;
    let result = part("\x0a", textField("\x0a", resource.id) + place);
    for (let asked = 0; asked < actions.length; asked++) {
      const action = actions[asked] ?? "";
      const written = effectsOf(action);
      if (written === null) return undefined;
      // Anything but a clear ALLOW is a DENY, whatever the compiled policy returned.
      result += decision.actions.get(action)?.effect === "EFFECT_ALLOW" ? written.allowed : written.denied;
    }
    if (includeMeta) {
      const meta = metaOf(actions, decision);
      if (meta === undefined) return undefined;
      result += part("\x22", meta);
    }
    message += part("\x12", result);
    if (message.length + callId.length + 2 > most) return undefined;
  }
  return message + textField("\x1a", callId);
}

function placeOf({ kind, policyVersion, scope }: Entry["resource"], { defaultPolicyVersion, defaultScope }: Defaults): string | undefined {
  const version = policyVersion === undefined ? defaultPolicyVersion : policyVersion;
  const used = scopeUsed(scope, defaultScope);
  if (!isUsual(kind) || !isUsual(version) || !isUsual(used)) return undefined;
  return textField("\x12", kind) + textField("\x1a", version) + textField("\x22", used);
}

function metaOf(actions: readonly string[], decision: Decision): string | undefined {
  let meta = "";
  for (const action of actions) {
    const decider = decision.actions.get(action);
    invariant(decider !== undefined, "every action is decided");
    const { matchedPolicy, matchedScope } = decider;
    if (!isUsual(matchedPolicy) || !isUsual(matchedScope)) return undefined;
    meta += part("\x0a", textField("\x0a", action) + part("\x12", textField("\x0a", matchedPolicy) + textField("\x12", matchedScope)));
  }
  for (const role of decision.effectiveDerivedRoles) {
    if (!isUsual(role)) return undefined;
    meta += part("\x12", role);
  }
  return meta;
}

/** How many encoded actions are cached. */
const maxActions = 1024;

/** Encodes an entry of the map `actions` once for each effect; null for a name that needs the JSON fallback. */
const effectsOf = memoized(maxActions, (action): { readonly allowed: string; readonly denied: string } | null => {
  const first = action.charCodeAt(0);
  if (!isUsual(action) || (first >= 0x30 && first <= 0x39)) return null;
  const name = textField("\x0a", action);
  return { allowed: part("\x12", `${name}\x10\x01`), denied: part("\x12", `${name}\x10\x02`) };
});

// oxlint-disable-next-line no-control-regex
const ascii = /^[\x00-\x7f]*$/;
const isUsual = (text: string): boolean => ascii.test(text);

/** Encodes a string field; an empty string is left out, as proto3 does. */
const textField = (tag: string, text: string): string => (text === "" ? "" : part(tag, text));

/** Encodes a length-delimited field: tag, length, content. */
const part = (tag: string, content: string): string => tag + lengthOf(content.length) + content;

const short = Array.from({ length: 0x80 }, (_, length) => String.fromCharCode(length));

function lengthOf(length: number): string {
  const known = short[length];
  if (known !== undefined) return known;
  let written = "";
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) written += String.fromCharCode((rest & 0x7f) | 0x80);
  return written + String.fromCharCode(rest);
}
