/** Makes a disagreement small: whatever can go without the answers agreeing goes. */
import { childrenOf } from "../../compiler/cel/children.ts";
import { parse } from "../../compiler/cel/parse.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import type { Document, Json } from "./document.ts";
import type { Batch } from "./requests.ts";

/** Policies and one call on them. */
export interface Finding {
  readonly documents: readonly Document[];
  readonly batch: Batch;
}

/** Tries smaller and smaller findings, as long as `stillDiffers` and for at most so many tries. */
export function shrink(finding: Finding, stillDiffers: (finding: Finding) => boolean, tries = 4000): Finding {
  let left = tries;
  let current = finding;
  for (let progress = true; progress && left > 0;) {
    progress = false;
    for (const candidate of candidates(current)) {
      if (left-- <= 0) break;
      if (!stillDiffers(candidate)) continue;
      current = candidate;
      progress = true;
      break;
    }
  }
  return current;
}

/** Smaller findings, the boldest first. */
function* candidates({ documents, batch }: Finding): Iterable<Finding> {
  for (const inputs of without(batch.inputs)) yield { documents, batch: { ...batch, inputs } };
  for (const fewer of without(documents)) yield { documents: fewer, batch };
  for (const [index, document] of documents.entries()) {
    for (const smaller of smallerJson(document)) {
      if (isDocument(smaller)) yield { documents: documents.with(index, smaller), batch };
    }
  }
  for (const [index, input] of batch.inputs.entries()) {
    for (const smaller of smallerInputs(input)) yield { documents, batch: { ...batch, inputs: batch.inputs.with(index, smaller) } };
  }
  const { schemas: _, ...settingsWithout } = batch.settings;
  for (const settings of [
    { ...batch.settings, strictEvaluation: false },
    { ...batch.settings, lenientScopeSearch: false },
    { ...batch.settings, defaultPolicyVersion: "default" },
    { ...batch.settings, defaultScope: "" },
    settingsWithout,
  ]) {
    if (JSON.stringify(settings) !== JSON.stringify(batch.settings)) yield { documents, batch: { ...batch, settings } };
  }
}

/** The list without one element, for each; never empty. */
function* without<T>(list: readonly T[]): Iterable<readonly T[]> {
  if (list.length > 1) for (const index of list.keys()) yield list.toSpliced(index, 1);
}

const isDocument = (json: Json): json is Document =>
  typeof json === "object" && json !== null && !Array.isArray(json) && "apiVersion" in json;

/** Smaller versions of a part of a policy; most do not compile, and so fall by the wayside. */
function* smallerJson(json: Json): Iterable<Json> {
  if (typeof json === "string") return yield* smallerExpressions(json);
  if (typeof json !== "object" || json === null) return;
  if (isList(json)) {
    for (const index of json.keys()) yield json.toSpliced(index, 1);
    for (const [index, each] of json.entries()) for (const smaller of smallerJson(each)) yield json.with(index, smaller);
    return;
  }
  for (const key of Object.keys(json)) yield Object.fromEntries(Object.entries(json).filter(([each]) => each !== key));
  // `all: {of: [a, b]}` may become `a`.
  for (const [key, value] of Object.entries(json)) {
    const parts =
      ["all", "any", "none"].includes(key) && typeof value === "object" && value !== null && "of" in value ? value.of : undefined;
    if (parts !== undefined && isList(parts)) yield* parts;
  }
  for (const [key, value] of Object.entries(json)) for (const smaller of smallerJson(value)) yield { ...json, [key]: smaller };
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json);

/** The expression with some part of it replaced by one of that part's own parts, or by something simple. */
function* smallerExpressions(text: string): Iterable<string> {
  const { tree, issues } = parse(text);
  if (tree === undefined || issues.length > 0) return;
  for (const node of nodes(tree)) {
    const replacements = [...childrenOf(node)].map((child) => text.slice(child.start, child.end));
    const plain = ["true", "1", '"a"', "P.attr.missing"].filter((simple) => simple.length < node.end - node.start);
    for (const replacement of [...replacements, ...plain]) {
      const whole = node === tree ? replacement : `${text.slice(0, node.start)}${wrap(replacement)}${text.slice(node.end)}`;
      if (whole.length < text.length) yield whole;
    }
  }
}

const wrap = (text: string): string => (/^[\w.]+$/.test(text) ? text : `(${text})`);

function* nodes(tree: Expression): Iterable<Expression> {
  yield tree;
  for (const child of childrenOf(tree)) yield* nodes(child);
}

function* smallerInputs(input: CheckInput): Iterable<CheckInput> {
  const { auxData, principal, resource, ...rest } = input;
  if (auxData !== undefined) yield { ...rest, principal, resource };
  for (const actions of without(input.actions)) yield { ...input, actions };
  for (const roles of without(principal.roles)) yield { ...input, principal: { ...principal, roles } };
  for (const attr of smallerAttributes(principal.attr)) yield { ...input, principal: { ...principal, attr } };
  for (const attr of smallerAttributes(resource.attr)) yield { ...input, resource: { ...resource, attr } };
  for (const plain of plainer(principal)) yield { ...input, principal: plain };
  for (const plain of plainer(resource)) yield { ...input, resource: plain };
}

/** Without a version, without a scope, with its parent for a scope. */
function* plainer<T extends CheckInput["principal"] | CheckInput["resource"]>(side: T): Iterable<T> {
  const { policyVersion, scope } = side;
  // True edges: what is taken away is optional.
  if (policyVersion !== undefined)
    yield Object.fromEntries(Object.entries(side).filter(([name]) => name !== "policyVersion")) as unknown as T;
  if (scope === undefined) return;
  yield Object.fromEntries(Object.entries(side).filter(([name]) => name !== "scope")) as unknown as T;
  if (scope.includes(".")) yield { ...side, scope: scope.slice(0, scope.lastIndexOf(".")) };
}

function* smallerAttributes(attributes: JsonObject | undefined): Iterable<JsonObject> {
  const entries = Object.entries(attributes ?? {});
  if (entries.length > 2) {
    const half = Math.ceil(entries.length / 2);
    yield Object.fromEntries(entries.slice(half));
    yield Object.fromEntries(entries.slice(0, half));
  }
  for (const index of entries.keys()) yield Object.fromEntries(entries.toSpliced(index, 1));
}
