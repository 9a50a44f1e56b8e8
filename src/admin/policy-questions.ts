/** What administrators ask about the policies of a store: which there are, what is written in them, what they do. Runs in the thread that compiles. */
import { inspectPolicies } from "../../compiler/inspect/index.ts";
import type { CompileMemory } from "../../compiler/memory.ts";
import type { PolicyDocument } from "../../compiler/policy/document.ts";
import { policyMessage } from "../../compiler/policy/message.ts";
import { documentKey, nameOf } from "../../compiler/policy/names.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { toJson } from "../../runtime/cel/to-json.ts";
import type { PolicyFilter, PolicyText } from "../compile/commands.ts";
import { digest } from "../texts/digest.ts";
import type { StoreState } from "../compile/store-state.ts";
import { printJson, withNeutralNames } from "./changes/policy-text.ts";
import { isFound } from "./patterns.ts";
import { findPolicies, storedPolicies, type StoredPolicy } from "./stored-policies.ts";

/** Lists the ids of the policies that are meant. */
export const listPolicies = (filter: PolicyFilter, { sources }: StoreState, memory: CompileMemory): readonly string[] =>
  meant(filter, storedPolicies(sources, memory).all, storedPolicies(sources, memory).find).map(({ id }) => id);

/** Returns those that there are among some, each as the JSON text of its message. One that cannot be read whole is left out. */
export const getPolicies = (ids: readonly string[], { sources }: StoreState, memory: CompileMemory): readonly PolicyText[] =>
  findPolicies(ids, storedPolicies(sources, memory)).flatMap((policy) => {
    const text = messageText(policy);
    return text === undefined ? [] : [{ id: policy.id, text }];
  });

/** Tells what the policies that are meant contain: the JSON text of an InspectPoliciesResponse. */
export function inspectStored(filter: PolicyFilter, { sources }: StoreState, memory: CompileMemory): string {
  const { all, find } = storedPolicies(sources, memory);
  const chosen = new Set(meant(filter, all, find).map(({ document }) => document));
  const documents = all.flatMap(({ document }) => (document === undefined ? [] : [document]));
  return JSON.stringify({ results: inspectPolicies(documents, { of: (document) => chosen.has(document) }) });
}

function meant(
  { includeDisabled, ids, ...patterns }: PolicyFilter,
  all: readonly StoredPolicy[],
  find: (id: string) => StoredPolicy | undefined,
): readonly StoredPolicy[] {
  const wanted = ids.length === 0 ? undefined : new Set(ids.map(find));
  return all.filter((policy) => {
    if (wanted !== undefined && !wanted.has(policy)) return false;
    if (policy.document?.isDisabled === true && !includeDisabled) return false;
    return isMeant(patterns, policy.document);
  });
}

/** What has no name that could be read is meant by no pattern; sets that others import have neither version nor scope. */
function isMeant(
  { name, version, scope }: Pick<PolicyFilter, "name" | "version" | "scope">,
  document: PolicyDocument | undefined,
): boolean {
  if (document === undefined) return name === undefined && version === undefined && scope === undefined;
  return (
    (name === undefined || isFound(name, nameOf(document).value)) &&
    (version === undefined || isFound(version, "version" in document ? document.version.value : "")) &&
    (scope === undefined || isFound(scope, "scope" in document ? document.scope.value : ""))
  );
}

/** The message with what is known about the policy besides: where it comes from, and a hash of all but that. */
function messageText({ id, source, document }: StoredPolicy): string | undefined {
  const message = policyMessage(source);
  if (message === undefined || document === undefined) return undefined;
  const { metadata: written, ...rest } = message;
  const policy = withNeutralNames(rest);
  const annotations = typeof written === "object" && written !== null && "annotations" in written ? written.annotations : undefined;
  const { disabled: _, ...switchless } = policy;
  const attributes = toJson(document.sourceAttributes);
  const metadata = {
    ...(id !== documentKey(document) && { sourceFile: id }),
    ...(annotations !== undefined && { annotations }),
    hash: hashOf(printJson(switchless)),
    storeIdentifer: id, // the contract's own slip of the pen: clients read either
    storeIdentifier: id,
    ...(!(attributes instanceof EvalError) && { sourceAttributes: { attributes } }),
  };
  return printJson({ ...policy, metadata });
}

/** Unsigned, of 64 bits, as proto3 JSON has it: text. The same for the same policy in whichever store and layout, enabled or not. */
const hashOf = (text: string): string => BigInt(`0x${digest(text).slice(0, 16)}`).toString();
