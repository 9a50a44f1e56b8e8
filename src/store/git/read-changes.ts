/** Computes the changes from the previous commit to another one; only files that changed are read. */
import type { Source } from "../../../compiler/source.ts";
import { refusal } from "../../refusal.ts";
import { archiveLimits } from "../archive-names.ts";
import { belowSchemas, isSchemaPath } from "../schema-paths.ts";
import type { Changes, Unreadable } from "../store.ts";
import type { GitObject, ObjectReader } from "./object.ts";
import { listCommit, need, type Listing } from "./tree.ts";

/** A commit that was taken in. */
export interface ReadCommit {
  readonly commit: string;
  /** The changes from the commit before. */
  readonly changes: Changes;
  /** The result of a reading when nothing has changed since. */
  readonly again: Changes;
  /** The ids of all its objects. */
  readonly objects: readonly string[];
  readonly listing: Listing;
  /** Files that cannot be used, by path. */
  readonly unusable: ReadonlyMap<string, Unreadable>;
  /** The size of each file in bytes, by path. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** The size limit of a policy or schema in bytes. */
const largestText = 10 * 1024 * 1024;

/**
 * Takes in a commit; throws `missingObject` when one of its objects is missing. `maxBytes` limits the size of all files together,
 * because a tree can contain the same file repeatedly: a small repository could become large here.
 */
export async function readChanges(
  read: ObjectReader,
  commit: string,
  folder: string,
  before: ReadCommit | undefined,
  maxBytes = archiveLimits.unpacked,
): Promise<ReadCommit> {
  const listing = await listCommit(read, commit, folder, before?.listing);
  const { files, unreadable } = listing;
  const { entries: maxFiles } = archiveLimits;
  if (files.size > maxFiles) throw refusal(`the commit ${commit} has more than ${maxFiles} policies and schemas`);
  const changed: Source[] = [];
  const changedSchemas: Source[] = [];
  const unusable = new Map<string, Unreadable>();
  const sizes = new Map<string, number>();
  let bytes = 0;
  const count = (path: string, size: number): void => {
    sizes.set(path, size);
    bytes += size;
    if (bytes > maxBytes) throw refusal(`the policies and schemas of the commit ${commit} come to more than ${maxBytes} bytes`);
  };
  for (const [path, id] of files) {
    const known = before?.listing.files.get(path) === id;
    const reason = known ? before?.unusable.get(path) : undefined;
    if (reason !== undefined) unusable.set(path, reason);
    if (known) {
      count(path, before?.sizes.get(path) ?? 0);
      continue;
    }
    const object = await need(read, id);
    count(path, object.content.length);
    const outcome = textIn(object);
    if ("message" in outcome) unusable.set(path, { path, message: outcome.message });
    else if (isSchemaPath(path)) changedSchemas.push({ path: belowSchemas(path), text: outcome.text });
    else changed.push({ path, text: outcome.text, attributes: { driver: "git", source: path, commit_hash: commit } });
  }
  const gone = [...(before?.listing.files.keys() ?? [])].filter((path) => !files.has(path));
  const nothing: Changes = {
    changed: [],
    removed: [],
    changedSchemas: [],
    removedSchemas: [],
    unreadable: [...unreadable, ...unusable.values()],
  };
  return {
    commit,
    changes: {
      ...nothing,
      changed,
      changedSchemas,
      removed: gone.filter((path) => !isSchemaPath(path)),
      removedSchemas: [...gone, ...unusable.keys()].filter(isSchemaPath).map(belowSchemas),
    },
    again: nothing,
    objects: objectsOf(listing),
    listing,
    unusable,
    sizes,
  };
}

/** Returns the ids of all objects that contribute to a commit's policies and schemas. */
export const objectsOf = ({ files, skeleton }: Listing): readonly string[] => [...skeleton, ...files.values()];

function textIn({ kind, content }: GitObject): { readonly text: string } | { readonly message: string } {
  if (kind !== "blob") return { message: "the repository has something else in the file's place" };
  if (content.length > largestText) return { message: `the file is larger than ${largestText} bytes` };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(content) };
  } catch {
    return { message: "the file is not UTF-8 text" };
  }
}
