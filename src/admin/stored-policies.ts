/** The policies of a store as administrators address them: by the store's own identifier or by key. Runs in the compile thread. */
import { readOnce, type CompileCache } from "../../compiler/cache.ts";
import type { PolicyDocument } from "../../compiler/policy/document.ts";
import { documentKey } from "../../compiler/policy/names.ts";
import type { Source } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";

/** One policy. */
export interface StoredPolicy {
  /** Its id in the store: the path of its file, or its key. */
  readonly id: string;
  readonly source: Source;
  /** Absent when not even its name can be read. */
  readonly document?: PolicyDocument;
}

/** All policies of a store. */
export interface StoredPolicies {
  /** Ordered by id. */
  readonly all: readonly StoredPolicy[];
  /** Finds a policy by its id in the store, or else by its key. */
  readonly find: (id: string) => StoredPolicy | undefined;
  readonly byKey: ReadonlyMap<string, StoredPolicy>;
}

// A cache: a map of sources never changes.
const known = new WeakMap<ReadonlyMap<string, Source>, StoredPolicies>();

/** Returns the policies of a store. Of two with the same key, the first has it. */
export function storedPolicies(sources: ReadonlyMap<string, Source>, cache: CompileCache): StoredPolicies {
  const remembered = known.get(sources);
  if (remembered !== undefined) return remembered;
  const all = [...sources.values()]
    .toSorted((left, right) => byUnits(left.path, right.path))
    .flatMap((source): readonly StoredPolicy[] => {
      const { document, diagnostics } = readOnce(source, cache);
      if (document !== undefined) return [{ id: source.path, source, document }];
      return diagnostics.length === 0 ? [] : [{ id: source.path, source }];
    });
  const byId = new Map(all.map((policy) => [policy.id, policy]));
  const byKey = new Map<string, StoredPolicy>();
  for (const policy of all) {
    const key = policy.document && documentKey(policy.document);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, policy);
  }
  const policies: StoredPolicies = { all, byKey, find: (id) => byId.get(id) ?? byKey.get(id) };
  known.set(sources, policies);
  return policies;
}

/** A policy that was requested, with the id in the request. */
export interface FoundPolicy extends StoredPolicy {
  readonly asked: string;
}

/** Finds policies by ids, each once; unknown ids are ignored. */
export function findPolicies(ids: readonly string[], { find }: StoredPolicies): readonly FoundPolicy[] {
  const found = new Map<string, FoundPolicy>();
  for (const asked of ids) {
    const policy = find(asked);
    if (policy !== undefined && !found.has(policy.id)) found.set(policy.id, { ...policy, asked });
  }
  return [...found.values()];
}
