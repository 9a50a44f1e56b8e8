/** The administrators' queries about the policies of a store: list, get, inspect. Runs in the compile thread. */
import { inspectPolicies } from "../../compiler/inspect/index.ts";
import type { CompileCache } from "../../compiler/cache.ts";
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

/** Returns the ids of the policies that match a filter. */
export const listPolicies = (filter: PolicyFilter, { sources }: StoreState, cache: CompileCache): readonly string[] =>
  meant(filter, storedPolicies(sources, cache).all, storedPolicies(sources, cache).find).map(({ id }) => id);

/**
 * Returns the policies with these ids, as far as they exist, each as its message in JSON. Policies that cannot be read completely are
 * left out.
 */
export const getPolicies = (ids: readonly string[], { sources }: StoreState, cache: CompileCache): readonly PolicyText[] =>
  findPolicies(ids, storedPolicies(sources, cache)).flatMap((policy) => {
    const text = messageText(policy);
    return text === undefined ? [] : [{ id: policy.id, text }];
  });

/** Returns an InspectPoliciesResponse in JSON for the policies that match a filter. */
export function inspectStored(filter: PolicyFilter, { sources }: StoreState, cache: CompileCache): string {
  const { all, find } = storedPolicies(sources, cache);
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

/**
 * Returns whether a policy matches the patterns. One whose name cannot be read matches no pattern; exported sets have neither version
 * nor scope.
 */
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

/** Returns the message of a policy in JSON, with metadata: its origin, and a hash of the rest. */
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
    storeIdentifer: id, // A misspelling in the contract; clients read either.
    storeIdentifier: id,
    ...(!(attributes instanceof EvalError) && { sourceAttributes: { attributes } }),
  };
  return printJson({ ...policy, metadata });
}

/**
 * Returns an unsigned 64-bit hash as a string, as in proto3 JSON. It is the same for the same policy in any store and layout, enabled
 * or not.
 */
const hashOf = (text: string): string => BigInt(`0x${digest(text).slice(0, 16)}`).toString();
