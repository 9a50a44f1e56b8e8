/** Writes the decision record: the parts of a DecisionLogEntry that are known only inside the sandbox, as JSON text. */
import type { JsonObject } from "../cel/value.ts";
import type { Decision } from "../decide/decision.ts";
import { cutWithDots } from "../cut.ts";
import type { CheckInput, Principal } from "../decide/input.ts";
import { answerText } from "./answer-texts.ts";
import { escaped, nameText, type Parts, whole, writeTexts, writtenOnce } from "./answers.ts";
import { plainObjectWriter } from "./plain-object.ts";
import type { CheckRequest } from "./request.ts";
import { copyEntries, principalText } from "./source.ts";

/** What to record. */
export interface RecordRules {
  /** Leave out checks in which every action was allowed. */
  readonly denialsOnly: boolean;
  /** Size limit in bytes of UTF-8; larger records are written without attributes (D16). */
  readonly maxBytes: number;
}

/** Used until the server sets others. */
export const defaultRecordRules: RecordRules = { denialsOnly: false, maxBytes: 2 ** 20 };

/**
 * Writes one JSON object without a raw line feed: `checkResources { inputs, outputs }`, `auditTrail`, and
 * `requestContext` if present. Returns "" if `denialsOnly` excludes it. A record above the limit begins with
 * `{"oversized":true,` and lacks attributes or, if still too large, inputs and outputs.
 */
export function writeDecisions(
  request: CheckRequest,
  inputs: readonly CheckInput[],
  decisions: readonly Decision[],
  { denialsOnly, maxBytes }: RecordRules,
): string {
  if (denialsOnly && decisions.every(allowsAll)) return "";
  const write = (start: string, parts: Parts): string | undefined => {
    const asked = addInputs(`${start}"checkResources":{"inputs":[`, request, inputs, parts);
    const told = asked && addOutputs(`${asked}],"outputs":[`, inputs, decisions, parts);
    return told && `${told}]},"auditTrail":${writeTrail(decisions)}${writeContext(request, parts)}}`;
  };
  return withinBounds(write, request.plain, maxBytes, "");
}

/** The same for a check that failed while it was decided: `checkResources { inputs, error }`. */
export function writeFailedCheck(request: CheckRequest, inputs: readonly CheckInput[], error: string, { maxBytes }: RecordRules): string {
  const reason = cutWithDots(error, longestReason);
  const write = (start: string, parts: Parts): string | undefined => {
    const asked = addInputs(`${start}"checkResources":{"inputs":[`, request, inputs, parts);
    return asked && `${asked}],"error":${escaped(reason)}}${writeContext(request, parts)}}`;
  };
  return withinBounds(write, request.plain, maxBytes, `${reason}; `);
}

const longestReason = 1000;

const same = (text: string): string => text;
const escapedWithin = (text: string): string => escaped(text).slice(1, -1);
const writeObject = (attributes: JsonObject): string => JSON.stringify(attributes);
const writePrincipalPlainly = plainObjectWriter();
const writeResourcePlainly = plainObjectWriter();

/** Tries with attributes, then without; if both are too large, writes only a message. */
function withinBounds(
  write: (start: string, parts: Parts) => string | undefined,
  plain: boolean,
  maxBytes: number,
  reason: string,
): string {
  const parts: Parts = {
    inner: plain ? same : escapedWithin,
    ofPrincipal: plain ? writePrincipalPlainly : writeObject,
    ofResource: plain ? writeResourcePlainly : writeObject,
    attributes: true,
    maxBytes,
  };
  const whole = write("{", parts);
  if (whole !== undefined && fits(whole, maxBytes)) return whole;
  const lean = write('{"oversized":true,', { ...parts, attributes: false });
  if (lean !== undefined && fits(lean, maxBytes)) return lean;
  const sentence = `${reason}left out: what was asked and decided is larger than ${maxBytes} bytes even without attributes (setting audit.maxEntrySize)`;
  return `{"oversized":true,"checkResources":{"error":${escaped(sentence)}}}`;
}

/** Whether a string takes at most `maxBytes` in UTF-8. */
function fits(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return true;
  if (text.length > maxBytes) return false;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // A surrogate is 2 of the pair's 4 bytes, so 1 more than counted.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes <= maxBytes;
}

// Both functions append to one string, because intermediate strings are flattened again. Both return undefined as
// soon as it exceeds the limit: large attributes repeated for many resources must not fill the memory.
function addInputs(before: string, request: CheckRequest, inputs: readonly CheckInput[], parts: Parts): string | undefined {
  const { inner, ofResource, attributes, maxBytes } = parts;
  const first = inputs[0];
  if (first === undefined) return before;
  const copied = copyInputs(before, request, inputs, parts);
  if (copied !== undefined) return copied;
  const { requestId } = request;
  // All inputs of a request share one principal and one set of claims.
  const principal = whole(`,"principal":${writePrincipal(first.principal, parts)},"actions":`);
  const head = requestId === "" ? ',{"resource":{"kind":"' : `,{"requestId":"${inner(requestId)}","resource":{"kind":"`;
  const tail = first.auxData === undefined || !attributes ? "}" : `,"auxData":${JSON.stringify(first.auxData)}}`;
  let text = before;
  // The text around a resource's id and attributes is usually that of the previous resource.
  let last: CheckInput | undefined;
  let opening = "";
  let ending = "";
  for (let at = 0; at < inputs.length; at++) {
    const input = inputs[at] ?? first;
    const { kind, id, attr, policyVersion, scope } = input.resource;
    opening = last?.resource.kind === kind ? whole(opening) : `${head}${inner(kind)}","id":"`;
    ending =
      last !== undefined && areAskedAlike(last, input)
        ? whole(ending)
        : `${writePlace(policyVersion, scope, inner)}${principal}${writeTexts(input.actions, inner)}${tail}`;
    text += last === undefined ? opening.slice(1) : opening;
    text += inner(id);
    if (attributes && attr !== undefined) {
      text += '","attr":';
      text += ofResource(attr);
    } else text += '"';
    text += ending;
    last = input;
    if (text.length > maxBytes) return undefined;
  }
  return text;
}

/** The same, copied from the text of the request, if `source` allows it and no attributes or claims have to change. */
function copyInputs(before: string, { source, requestId }: CheckRequest, inputs: readonly CheckInput[], parts: Parts): string | undefined {
  const first = inputs[0];
  if (source === undefined || !parts.attributes || first === undefined || first.auxData !== undefined) return undefined;
  const said = principalText(source);
  const start = requestId === "" ? "{" : `{"requestId":"${requestId}",`;
  const ending = `,"principal":${said ?? writePrincipal(first.principal, parts)}}`;
  const between = `${ending},${start}`;
  return copyEntries(source, before + start, inputs.length > 2 ? whole(between) : between, ending, parts.maxBytes);
}

function areAskedAlike(left: CheckInput, right: CheckInput): boolean {
  if (left.resource.policyVersion !== right.resource.policyVersion || left.resource.scope !== right.resource.scope) return false;
  return areSameTexts(left.actions, right.actions);
}

function areSameTexts(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

function writePrincipal({ id, roles, attr, policyVersion, scope }: Principal, { inner, ofPrincipal, attributes }: Parts): string {
  let text = `{"id":"${inner(id)}","roles":${writeTexts(roles, inner)}`;
  if (attributes && attr !== undefined) text += `,"attr":${ofPrincipal(attr)}`;
  return text + writePlace(policyVersion, scope, inner);
}

/** Written as sent, not with defaults applied (D2). */
const writePlace = (policyVersion: string | undefined, scope: string | undefined, inner: Parts["inner"]): string =>
  `${policyVersion === undefined ? "" : `,"policyVersion":"${inner(policyVersion)}"`}${scope === undefined ? "" : `,"scope":"${inner(scope)}"`}}`;

function addOutputs(before: string, inputs: readonly CheckInput[], decisions: readonly Decision[], parts: Parts): string | undefined {
  const { inner, maxBytes } = parts;
  let text = before;
  let last: Decision | undefined;
  let head = "";
  for (let at = 0; at < decisions.length; at++) {
    const [decision, input] = [decisions[at], inputs[at]];
    if (decision === undefined || input === undefined) continue; // cannot happen: both lists have the same length
    const { requestId, resourceId } = decision;
    if (last?.requestId !== requestId)
      head = requestId === "" ? ',{"resourceId":"' : whole(`,{"requestId":"${inner(requestId)}","resourceId":"`);
    text += last === undefined ? head.slice(1) : head;
    text += inner(resourceId);
    text += answerText(decision, input.actions, parts);
    last = decision;
    if (text.length > maxBytes) return undefined;
  }
  return text;
}

const sourceText = writtenOnce((attributes: JsonObject) => `:{"attributes":${JSON.stringify(attributes)}}`);

type Policies = Decision["effectivePolicies"];

/** Writes the policies that took part in any of the decisions, each once. */
function writeTrail(decisions: readonly Decision[]): string {
  // Resources of one kind usually share one set of policies.
  let only: Policies | undefined;
  for (let at = 0; at < decisions.length; at++) {
    const policies = decisions[at]?.effectivePolicies;
    if (policies === undefined || policies === only || policies.size === 0) continue;
    if (only !== undefined) return unionText(only, decisions);
    only = policies;
  }
  return only === undefined ? "{}" : setText(only);
}

const setText = writtenOnce((policies: Policies) => writePolicies([policies]));

/** The last union of several sets, by the first of them. */
const unions = new WeakMap<Policies, { readonly sets: readonly Policies[]; readonly text: string }>();

/** Unions of more sets are not cached. */
const maxSets = 8;

function unionText(first: Policies, decisions: readonly Decision[]): string {
  const known = unions.get(first);
  if (known !== undefined && areTheSetsOf(decisions, known.sets)) return known.text;
  const sets = [...new Set(decisions.map(({ effectivePolicies }) => effectivePolicies).filter(({ size }) => size > 0))];
  if (sets.length > maxSets) return writePolicies(sets);
  const text = whole(writePolicies(sets));
  unions.set(first, { sets, text });
  return text;
}

/** Whether these are the sets of the decisions, in the order in which they first occur. */
function areTheSetsOf(decisions: readonly Decision[], sets: readonly Policies[]): boolean {
  let met = 0;
  for (let at = 0; at < decisions.length; at++) {
    const policies = decisions[at]?.effectivePolicies;
    if (policies === undefined || policies.size === 0) continue;
    if (policies === sets[met]) met++;
    else if (!isAmong(policies, sets, met)) return false;
  }
  return met === sets.length;
}

function isAmong(policies: Policies, sets: readonly Policies[], end: number): boolean {
  for (let at = 0; at < end; at++) if (sets[at] === policies) return true;
  return false;
}

function writePolicies(sets: Iterable<Policies>): string {
  let text = "";
  const seen = new Set<string>();
  for (const policies of sets) {
    for (const [key, attributes] of policies) {
      if (seen.has(key)) continue;
      seen.add(key);
      text += `${text === "" ? "" : ","}${nameText(key)}${sourceText(attributes)}`;
    }
  }
  return text === "" ? "{}" : `{"effectivePolicies":{${text}}}`;
}

const writeContext = ({ annotations }: CheckRequest, { attributes }: Parts): string =>
  annotations === undefined || !attributes ? "" : `,"requestContext":{"annotations":${JSON.stringify(annotations)}}`;

function allowsAll({ actions }: Decision): boolean {
  for (const { effect } of actions.values()) if (effect !== "EFFECT_ALLOW") return false;
  return true;
}
