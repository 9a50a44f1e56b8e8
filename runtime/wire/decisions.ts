/** Writes what was asked and decided as the record keeps it: the parts of a DecisionLogEntry that only the realm knows, as JSON text. */
import type { JsonObject } from "../cel/value.ts";
import type { ActionDecision, Decision, EvaluationError } from "../decide/decision.ts";
import type { CheckInput, Principal, Resource } from "../decide/input.ts";
import { remembering } from "../decide/remember.ts";
import { writeOutput, writeValidationError } from "./reply.ts";
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
    const outputs = writeList(decisions, mostBytes, (decision, index) => writeDecision(decision, inputs[index]?.actions ?? [], parts));
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

/** How it is written, and how much of it. */
interface Parts {
  readonly quote: (text: string) => string;
  /** The attributes, claims and values, which can be of any size. */
  readonly attributes: boolean;
  readonly mostBytes: number;
}

/** Puts the pieces of a text together that will stand in several places: otherwise each place would do that again. */
const whole = (text: string): string => (text.charCodeAt(0) === 0 ? "" : text);

const escaped = (text: string): string => JSON.stringify(text);
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
  const head = whole(requestId === "" ? '{"resource":' : `{"requestId":${quote(requestId)},"resource":`);
  const tail = first.auxData === undefined || !attributes ? "}" : whole(`,"auxData":${JSON.stringify(first.auxData)}}`);
  return writeList(
    inputs,
    parts.mostBytes,
    ({ resource, actions }) => `${head}${writeResource(resource, parts)}${principal}${writeTexts(actions, quote)}${tail}`,
  );
}

function writePrincipal({ id, roles, attr, policyVersion, scope }: Principal, { quote, attributes }: Parts): string {
  let text = `{"id":${quote(id)},"roles":${writeTexts(roles, quote)}`;
  if (attributes && attr !== undefined) text += `,"attr":${JSON.stringify(attr)}`;
  return text + writePlace(policyVersion, scope, quote);
}

function writeResource({ kind, id, attr, policyVersion, scope }: Resource, { quote, attributes }: Parts): string {
  let text = `{"kind":${quote(kind)},"id":${quote(id)}`;
  if (attributes && attr !== undefined) text += `,"attr":${JSON.stringify(attr)}`;
  return text + writePlace(policyVersion, scope, quote);
}

/** As sent, not as used (D2). */
const writePlace = (policyVersion: string | undefined, scope: string | undefined, quote: Parts["quote"]): string =>
  `${policyVersion === undefined ? "" : `,"policyVersion":${quote(policyVersion)}`}${scope === undefined ? "" : `,"scope":${quote(scope)}`}}`;

function writeTexts(texts: readonly string[], quote: Parts["quote"]): string {
  let list = "[";
  for (let index = 0; index < texts.length; index++) list += (index > 0 ? "," : "") + quote(texts[index] ?? "");
  return `${list}]`;
}

function writeDecision(decision: Decision, asked: readonly string[], { quote, attributes, mostBytes }: Parts): string {
  const { requestId, resourceId, actions, effectiveDerivedRoles, validationErrors, outputs, evaluationErrors } = decision;
  let text = `${requestId === "" ? '{"resourceId":' : `{"requestId":${quote(requestId)},"resourceId":`}${quote(resourceId)},"actions":`;
  let separator = "{";
  // Most actions are decided by the policy that decided the one before: routes keep one decision of each kind.
  let last: ActionDecision | undefined;
  let effect = "";
  for (const action of asked) {
    const decided = actions.get(action);
    if (decided === undefined) continue;
    if (last !== decided) effect = effectText(decided);
    last = decided;
    text += separator + quote(action) + effect;
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
  if (evaluationErrors.length > 0) text += errorsText(evaluationErrors);
  return `${text}}`;
}

/** Remembers the text of something that lives as long as the policies do, and comes back with request after request. */
function writtenOnce<T extends object>(write: (what: T) => string): (what: T) => string {
  const written = new WeakMap<T, string>();
  return (what) => {
    const known = written.get(what);
    if (known !== undefined) return known;
    const text = whole(write(what));
    written.set(what, text);
    return text;
  };
}

/** Names of policies and derived roles that are remembered as they are written. */
const mostNames = 8192;

const nameText = remembering(mostNames, escaped);

const effectText = writtenOnce(({ effect, matchedPolicy, matchedScope }: ActionDecision) => {
  const scope = matchedScope === "" ? "" : `,"scope":${escaped(matchedScope)}`;
  return `:{"effect":"${effect === "EFFECT_ALLOW" ? "EFFECT_ALLOW" : "EFFECT_DENY"}","policy":${escaped(matchedPolicy)}${scope}}`;
});

function errorsText(errors: readonly EvaluationError[]): string {
  let text = ',"evaluationErrors":[';
  for (let index = 0; index < errors.length; index++) {
    const error = errors[index];
    if (error !== undefined) text += `${index > 0 ? "," : ""}${errorText(error)}`;
  }
  return `${text}]`;
}

/** Resources of one caller have errors in common. */
const errorText = writtenOnce(
  ({ expression, message }: EvaluationError) => `{"celError":{"expression":${escaped(expression)},"message":${escaped(message)}}}`,
);

const sourceText = writtenOnce((attributes: JsonObject) => `:{"attributes":${JSON.stringify(attributes)}}`);

type Policies = Decision["effectivePolicies"];

/** The policies that had a say in any of the decisions, each once. */
function writeTrail(decisions: readonly Decision[]): string {
  // Resources of one kind mostly go by the same policies.
  const sets = new Set<Policies>();
  for (const { effectivePolicies } of decisions) if (effectivePolicies.size > 0) sets.add(effectivePolicies);
  const [only] = sets;
  const text = sets.size === 1 && only !== undefined ? setText(only) : writePolicies(sets);
  return text === "" ? "{}" : `{"effectivePolicies":{${text}}}`;
}

const setText = writtenOnce((policies: Policies) => writePolicies([policies]));

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
