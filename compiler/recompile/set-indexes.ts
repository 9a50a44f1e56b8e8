/** Keeps the indexes of a set up to date, and detects the conflicts that only the whole set shows. */
import { invariant } from "../../runtime/cel/error.ts";
import { VersionedMap, type Draft } from "../../runtime/versioned-map.ts";
import { permissionsOf } from "../link/scope-permissions.ts";
import { readOnce, type CompileCache } from "../cache.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { SourceChanges } from "./source-changes.ts";
import type { SetIndexes, ScopeCounts } from "./compiled-set.ts";

/** The updated indexes, and the policies that were removed and added. */
export interface UpdatedIndexes {
  readonly indexes: SetIndexes;
  /** The enabled policies of the removed files, and of the added ones. */
  readonly removed: readonly PolicyDocument[];
  readonly added: readonly PolicyDocument[];
}

/** The indexes of an empty set. */
export const emptyIndexes: SetIndexes = {
  sources: VersionedMap.of(),
  documents: VersionedMap.of(),
  dependents: VersionedMap.of(),
  permissions: VersionedMap.of(),
};

/**
 * Updates the indexes. Undefined if two files have one path, two policies one key, or the policies of a scope different
 * scope permissions: the compilation of the whole set reports that.
 */
export function updateIndexes(before: SetIndexes, { removed, added }: SourceChanges, cache: CompileCache): UpdatedIndexes | undefined {
  const countingOf = (sources: SourceChanges["added"]): readonly PolicyDocument[] =>
    sources.flatMap((source) => readOnce(source, cache).document ?? []).filter(({ isDisabled }) => !isDisabled);
  const sources = before.sources.edit();
  const documents = before.documents.edit();
  const dependents = editLists(before.dependents);
  const permissions = before.permissions.edit();
  const [removedDocuments, addedDocuments] = [countingOf(removed), countingOf(added)];

  for (const { path } of removed) sources.delete(path);
  for (const document of removedDocuments) {
    const key = documentKey(document);
    documents.delete(key);
    for (const on of dependenciesOf(document)) dependents.remove(on, key);
    countPermissions(permissions, document, -1);
  }
  for (const source of added) {
    if (sources.has(source.path)) return undefined;
    sources.set(source.path, source);
  }
  for (const document of addedDocuments) {
    const key = documentKey(document);
    if (documents.has(key) || document.isBroken) return undefined;
    documents.set(key, document);
    for (const on of dependenciesOf(document)) dependents.add(on, key);
    if (countPermissions(permissions, document, 1) === "conflict") return undefined;
  }
  return {
    indexes: {
      sources: sources.finish(),
      documents: documents.finish(),
      dependents: dependents.finish(),
      permissions: permissions.finish(),
    },
    removed: removedDocuments,
    added: addedDocuments,
  };
}

/** Adds a policy to the counts of its scope, or subtracts it. */
function countPermissions(permissions: Draft<ScopeCounts>, document: PolicyDocument, by: 1 | -1): "conflict" | undefined {
  if (document.kind !== "resource" && document.kind !== "principal") return undefined;
  const scope = document.scope.value;
  let { overriding, requiring } = permissions.get(scope) ?? { overriding: 0, requiring: 0 };
  if (permissionsOf(document) === "override parent") overriding += by;
  else requiring += by;
  if (overriding + requiring === 0) permissions.delete(scope);
  else permissions.set(scope, { overriding, requiring });
  return overriding > 0 && requiring > 0 ? "conflict" : undefined;
}

interface ListsDraft {
  readonly add: (key: string, element: string) => void;
  readonly remove: (key: string, element: string) => void;
  readonly finish: () => VersionedMap<readonly string[]>;
}

/** Edits the lists of a map. Each is copied once; a key whose list becomes empty is removed. */
function editLists(before: VersionedMap<readonly string[]>): ListsDraft {
  const own = new Map<string, string[]>();
  const listOf = (key: string): string[] => {
    const known = own.get(key) ?? [...(before.get(key) ?? [])];
    own.set(key, known);
    return known;
  };
  return {
    add: (key, element) => void listOf(key).push(element),
    remove: (key, element) => {
      const list = listOf(key);
      const at = list.indexOf(element);
      invariant(at >= 0, "what is removed from the indexes has been added to them");
      list.splice(at, 1);
    },
    finish: () => {
      const next = before.edit();
      for (const [key, list] of own) {
        if (list.length === 0) next.delete(key);
        // A copy: a list that grew keeps room for more.
        else next.set(key, list.slice());
      }
      return next.finish();
    },
  };
}
