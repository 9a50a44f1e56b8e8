/** A commit, and what was taken in before -> what is different: only texts that changed are read. */
import type { Source } from "../../../compiler/source.ts";
import { refusal } from "../../refusal.ts";
import { archiveLimits } from "../archive-names.ts";
import { belowSchemas, isSchemaPath } from "../schema-paths.ts";
import type { Changes, Unreadable } from "../store.ts";
import type { GitObject, ObjectReader } from "./object.ts";
import { listCommit, need, type Listing } from "./tree.ts";

/** A commit that was taken in. */
export interface Taken {
  readonly commit: string;
  /** How it differs from the one before. */
  readonly changes: Changes;
  /** What is told when nobody has changed anything since. */
  readonly again: Changes;
  /** The ids of everything that this is made of. */
  readonly objects: readonly string[];
  readonly listing: Listing;
  /** Texts that cannot be used, by their paths. */
  readonly unusable: ReadonlyMap<string, Unreadable>;
  /** How many bytes each file has, by its path. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** A policy or a schema may have so many bytes. */
const largestText = 10 * 1024 * 1024;

/**
 * Takes in a commit; throws `missingObject` when not all of it is there. All files together may have so many bytes: a tree can hold
 * the same file again and again, so that little in a repository is much here.
 */
export async function takeIn(
  read: ObjectReader,
  commit: string,
  folder: string,
  before: Taken | undefined,
  mostBytes = archiveLimits.unpacked,
): Promise<Taken> {
  const listing = await listCommit(read, commit, folder, before?.listing);
  const { files, unreadable } = listing;
  const changed: Source[] = [];
  const changedSchemas: Source[] = [];
  const unusable = new Map<string, Unreadable>();
  const sizes = new Map<string, number>();
  let bytes = 0;
  const count = (path: string, size: number): void => {
    sizes.set(path, size);
    bytes += size;
    if (bytes > mostBytes) throw refusal(`the policies and schemas of the commit ${commit} come to more than ${mostBytes} bytes`);
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

/** The ids of everything that the policies and schemas of a commit are made of. */
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
