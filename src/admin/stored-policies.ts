/** The policies of a store as administrators know them: by the store's own identifier and by key. Runs in the thread that compiles. */
import { readOnce, type CompileMemory } from "../../compiler/memory.ts";
import type { PolicyDocument } from "../../compiler/policy/document.ts";
import { documentKey } from "../../compiler/policy/names.ts";
import type { Source } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";

/** One policy. */
export interface StoredPolicy {
  /** What the store calls it: the path of its file, or its key. */
  readonly id: string;
  readonly source: Source;
  /** Absent when not even its name can be read. */
  readonly document?: PolicyDocument;
}

/** All of them. */
export interface StoredPolicies {
  /** Ordered by id. */
  readonly all: readonly StoredPolicy[];
  /** Finds one by what the store calls it, or else by its key. */
  readonly find: (id: string) => StoredPolicy | undefined;
  readonly byKey: ReadonlyMap<string, StoredPolicy>;
}

// A memo, not a state: a map of sources never changes.
const known = new WeakMap<ReadonlyMap<string, Source>, StoredPolicies>();

/** Returns the policies of a store; files without any are not among them. Of two with one key the first has it. */
export function storedPolicies(sources: ReadonlyMap<string, Source>, memory: CompileMemory): StoredPolicies {
  const remembered = known.get(sources);
  if (remembered !== undefined) return remembered;
  const all = [...sources.values()]
    .toSorted((left, right) => byUnits(left.path, right.path))
    .flatMap((source): readonly StoredPolicy[] => {
      const { document, diagnostics } = readOnce(source, memory);
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

/** One that was asked for, by the id that it was asked for with. */
export interface FoundPolicy extends StoredPolicy {
  readonly asked: string;
}

/** Finds policies by ids, each of them once; what is not there is left out. */
export function findPolicies(ids: readonly string[], { find }: StoredPolicies): readonly FoundPolicy[] {
  const found = new Map<string, FoundPolicy>();
  for (const asked of ids) {
    const policy = find(asked);
    if (policy !== undefined && !found.has(policy.id)) found.set(policy.id, { ...policy, asked });
  }
  return [...found.values()];
}
