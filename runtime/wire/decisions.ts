/** Writes what was asked and decided as the record keeps it: the parts of a DecisionLogEntry that only the realm knows, as JSON text. */
import type { JsonObject } from "../cel/value.ts";
import type { Decision } from "../decide/decision.ts";
import type { CheckInput, Principal } from "../decide/input.ts";
import { escaped, nameText, type Parts, whole, writeAnswer, writeTexts, writtenOnce } from "./answers.ts";
import type { CheckRequest } from "./request.ts";

/** What is recorded. */
export interface RecordRules {
  /** Checks in which nothing was denied are left out. */
  readonly denialsOnly: boolean;
  /** Bytes; what is larger is recorded without its attributes (D16). */
  readonly mostBytes: number;
}

/** In force until somebody says otherwise. */
export const defaultRecordRules: RecordRules = { denialsOnly: false, mostBytes: 2 ** 20 };

/**
 * Writes one JSON object without a raw line feed: `checkResources { inputs, outputs }`, `auditTrail`, and `requestContext`
 * where there is one. "" when the rules leave it out. What would be too large begins with `{"oversized":true,` and lacks
 * its attributes, or even what was asked and decided.
 */
export function writeDecisions(
  request: CheckRequest,
  inputs: readonly CheckInput[],
  decisions: readonly Decision[],
  { denialsOnly, mostBytes }: RecordRules,
): string {
  if (denialsOnly && decisions.every(allowsAll)) return "";
  const write = (start: string, parts: Parts): string | undefined => {
    const asked = writeInputs(request, inputs, parts);
    if (asked === undefined) return undefined;
    const outputs = writeOutputs(inputs, decisions, parts);
    if (outputs === undefined) return undefined;
    return `${start}"checkResources":{"inputs":${asked},"outputs":${outputs}},"auditTrail":${writeTrail(decisions)}${writeContext(request, parts)}}`;
  };
  return withinBounds(write, request.plain, mostBytes, "");
}

/** The same for a check that began to be decided and failed: `checkResources { inputs, error }`. */
export function writeFailedCheck(request: CheckRequest, inputs: readonly CheckInput[], error: string, { mostBytes }: RecordRules): string {
  const reason = error.length > longestReason ? `${error.slice(0, longestReason)}...` : error;
  const write = (start: string, parts: Parts): string | undefined => {
    const asked = writeInputs(request, inputs, parts);
    return asked && `${start}"checkResources":{"inputs":${asked},"error":${escaped(reason)}}${writeContext(request, parts)}}`;
  };
  return withinBounds(write, request.plain, mostBytes, `${reason}; `);
}

const longestReason = 1000;

const bare = (text: string): string => `"${text}"`;

/** Tries with attributes, then without, then gives up all but a sentence. */
function withinBounds(
  write: (start: string, parts: Parts) => string | undefined,
  plain: boolean,
  mostBytes: number,
  reason: string,
): string {
  const parts = { quote: plain ? bare : escaped, attributes: true, mostBytes };
  const whole = write("{", parts);
  if (whole !== undefined && fits(whole, mostBytes)) return whole;
  const lean = write('{"oversized":true,', { ...parts, attributes: false });
  if (lean !== undefined && fits(lean, mostBytes)) return lean;
  const sentence = `${reason}left out: what was asked and decided is larger than ${mostBytes} bytes even without attributes`;
  return `{"oversized":true,"checkResources":{"error":${escaped(sentence)}}}`;
}

/** Says whether a text takes at most so many bytes in UTF-8. */
function fits(text: string, mostBytes: number): boolean {
  if (text.length * 3 <= mostBytes) return true;
  if (text.length > mostBytes) return false;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Each half of a pair is two of its four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes <= mostBytes;
}

/** Writes a list, or undefined as soon as it is too long: a few attributes asked about many times must not fill the memory. */
function writeList<T>(items: readonly T[], mostBytes: number, write: (item: T, index: number) => string): string | undefined {
  let text = "[";
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item === undefined) continue;
    if (index > 0) text += ",";
    text += write(item, index);
    if (text.length > mostBytes) return undefined;
  }
  return `${text}]`;
}

function writeInputs({ requestId }: CheckRequest, inputs: readonly CheckInput[], parts: Parts): string | undefined {
  const { quote, attributes } = parts;
  const first = inputs[0];
  if (first === undefined) return "[]";
  // One principal and one set of claims are asked about everything.
  const principal = whole(`,"principal":${writePrincipal(first.principal, parts)},"actions":`);
  const head = requestId === "" ? '{"resource":{"kind":' : `{"requestId":${quote(requestId)},"resource":{"kind":`;
  const tail = first.auxData === undefined || !attributes ? "}" : whole(`,"auxData":${JSON.stringify(first.auxData)}}`);
  // What stands before and behind a resource's id and attributes is mostly what stood there before.
  let last: CheckInput | undefined;
  let opening = "";
  let ending = "";
  return writeList(inputs, parts.mostBytes, (input) => {
    const { resource, actions } = input;
    if (last?.resource.kind !== resource.kind) opening = whole(`${head}${quote(resource.kind)},"id":`);
    if (last === undefined || !areAskedAlike(last, input))
      ending = whole(`${writePlace(resource.policyVersion, resource.scope, quote)}${principal}${writeTexts(actions, quote)}${tail}`);
    last = input;
    const text = opening + quote(resource.id);
    return attributes && resource.attr !== undefined ? `${text},"attr":${JSON.stringify(resource.attr)}${ending}` : text + ending;
  });
}

const areAskedAlike = (left: CheckInput, right: CheckInput): boolean =>
  left.resource.policyVersion === right.resource.policyVersion &&
  left.resource.scope === right.resource.scope &&
  left.actions.length === right.actions.length &&
  left.actions.every((action, at) => action === right.actions[at]);

function writePrincipal({ id, roles, attr, policyVersion, scope }: Principal, { quote, attributes }: Parts): string {
  let text = `{"id":${quote(id)},"roles":${writeTexts(roles, quote)}`;
  if (attributes && attr !== undefined) text += `,"attr":${JSON.stringify(attr)}`;
  return text + writePlace(policyVersion, scope, quote);
}

/** As sent, not as used (D2). */
const writePlace = (policyVersion: string | undefined, scope: string | undefined, quote: Parts["quote"]): string =>
  `${policyVersion === undefined ? "" : `,"policyVersion":${quote(policyVersion)}`}${scope === undefined ? "" : `,"scope":${quote(scope)}`}}`;

function writeOutputs(inputs: readonly CheckInput[], decisions: readonly Decision[], parts: Parts): string | undefined {
  const { quote } = parts;
  let last: string | undefined;
  let head = "";
  return writeList(decisions, parts.mostBytes, (decision, index) => {
    const { requestId, resourceId } = decision;
    if (last !== requestId) head = requestId === "" ? '{"resourceId":' : `{"requestId":${quote(requestId)},"resourceId":`;
    last = requestId;
    return head + quote(resourceId) + writeAnswer(decision, inputs[index]?.actions ?? [], parts);
  });
}

const sourceText = writtenOnce((attributes: JsonObject) => `:{"attributes":${JSON.stringify(attributes)}}`);

type Policies = Decision["effectivePolicies"];

/** The policies that had a say in any of the decisions, each once. */
function writeTrail(decisions: readonly Decision[]): string {
  // Resources of one kind mostly go by the same policies.
  let only: Policies | undefined;
  for (const { effectivePolicies } of decisions) {
    if (effectivePolicies === only || effectivePolicies.size === 0) continue;
    if (only !== undefined) return trailText(unionText(decisions));
    only = effectivePolicies;
  }
  return trailText(only === undefined ? "" : setText(only));
}

const trailText = (policies: string): string => (policies === "" ? "{}" : `{"effectivePolicies":{${policies}}}`);

const setText = writtenOnce((policies: Policies) => writePolicies([policies]));

/** Of some sets, by the first of them. */
const unions = new WeakMap<Policies, { readonly sets: readonly Policies[]; readonly text: string }>();

/** More sets are not remembered together. */
const mostSets = 8;

function unionText(decisions: readonly Decision[]): string {
  const sets: Policies[] = [...new Set(decisions.map(({ effectivePolicies }) => effectivePolicies))];
  const [first] = sets;
  if (first === undefined || sets.length > mostSets) return writePolicies(sets);
  const known = unions.get(first);
  if (known?.sets.length === sets.length && sets.every((set, at) => set === known.sets[at])) return known.text;
  const text = whole(writePolicies(sets));
  unions.set(first, { sets, text });
  return text;
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
  return text;
}

const writeContext = ({ annotations }: CheckRequest, { attributes }: Parts): string =>
  annotations === undefined || !attributes ? "" : `,"requestContext":{"annotations":${JSON.stringify(annotations)}}`;

function allowsAll({ actions }: Decision): boolean {
  for (const { effect } of actions.values()) if (effect !== "EFFECT_ALLOW") return false;
  return true;
}
