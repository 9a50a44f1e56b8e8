/** Plans a change that puts the policies of a request into the store, or reports what is wrong with them. */
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import type { Source } from "../../../compiler/source.ts";
import type { Json } from "../../../runtime/wire/json.ts";
import { refused, type RequestProblem, type Refused } from "../../compile/commands.ts";
import { withEdits } from "../../compile/store-state.ts";
import { foldName } from "../../store/safe-names.ts";
import { emptyBatch, type Batch } from "../../store/store.ts";
import { storedPolicies } from "../stored-policies.ts";
import { problemsOf, refusePut, type Change, type ChangeContext } from "./change.ts";
import { withoutStoreMetadata } from "./store-metadata.ts";
import { readPolicyJson } from "./policy-json.ts";
import { isJsonPath, policyText, withNeutralNames } from "./policy-text.ts";

/** Plans the change. Of two policies with the same key, the last counts. */
export function putPolicies(texts: readonly string[], { state, store, cache, at }: ChangeContext): Change | Refused {
  const given = texts.map((text) => readPolicyJson(withNeutralNames(JSON.parse(text))));
  const policies = given.map(({ policy }): Json => policy);
  const wrong = given.flatMap((each, index) => each.wrong.map(({ path, message }) => wrongKind(index, path, message)));
  const keys: { readonly key: string; readonly isDisabled: boolean; readonly index: number }[] = [];
  const diagnostics: Diagnostic[] = [];
  const read = new Map<Source, number>();
  const printed: string[] = [];
  for (const [index, policy] of policies.entries()) {
    const source: Source = { path: `policies[${index}]`, text: policyText(policy, "") };
    printed.push(source.text);
    read.set(source, index);
    const before = diagnostics.length;
    const document = readPolicy(source, (diagnostic) => void diagnostics.push(diagnostic));
    const isSound = !diagnostics.slice(before).some(({ severity }) => severity === "error");
    if (document !== undefined) keys.push({ key: documentKey(document), isDisabled: document.isDisabled, index });
    else if (isSound) diagnostics.push({ code: "invalid-document", severity: "error", source, path: "$", message: "this is not a policy" });
  }
  // A value of the wrong type for JSON may be reported by the YAML parser too; it is reported once.
  const known = new Set(wrong.map(({ path }) => path));
  const problems = [...wrong, ...problemsOf(diagnostics, read).filter(({ path }) => !known.has(path))];
  if (problems.length > 0) return refused("invalid", "the policies cannot be read", problems);

  const { byKey } = storedPolicies(state.sources, cache);
  /** The paths that are taken, also where the file system would take another one for the same; undefined until one is looked for. */
  let taken: Set<string> | undefined;
  const isTaken = (path: string): boolean => (taken ??= new Set([...state.sources.keys()].map(foldName))).has(foldName(path));
  const paths = new Map<string, string>();
  const put = new Map<string, Batch["putPolicies"][number]>();
  const asked = new Map<string, readonly [Source, number]>();
  for (const { key, isDisabled, index } of keys) {
    const path = byKey.get(key)?.id ?? paths.get(key) ?? freePath(key, store.placeOf, isTaken);
    paths.set(key, path);
    taken?.add(foldName(path));
    const policy = policies[index] ?? null;
    const own = withoutStoreMetadata(policy);
    // Printing costs as much as parsing, so identical output is reused.
    const text = (own === policy && !isJsonPath(path) ? printed[index] : undefined) ?? policyText(own, path);
    put.set(path, { path, text, isDisabled });
    asked.set(path, [store.sourceOf({ path, text }, at), index]);
  }
  return {
    kind: "change",
    state: {
      ...state,
      sources: withEdits(
        state.sources,
        [],
        [...asked].map(([path, [source]]) => [path, source] as const),
      ),
    },
    batch: { ...emptyBatch, putPolicies: [...put.values()] },
    count: put.size,
    refuse: (broken) => refusePut(broken, new Map(asked.values())),
  };
}

const wrongKind = (index: number, path: string, message: string): RequestProblem => ({
  path: `policies[${index}]${path.slice(1)}`,
  code: "wrong-type",
  message,
});

function freePath(key: string, placeOf: ChangeContext["store"]["placeOf"], isTaken: (path: string) => boolean): string {
  for (let attempt = 0, before = ""; ; attempt++) {
    const path = placeOf(key, attempt);
    // A store with a single path per key reserves it for that policy.
    if (path === before || !isTaken(path)) return path;
    before = path;
  }
}
