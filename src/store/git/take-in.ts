/** A commit, and what was taken in before -> what is different: only texts that changed are read. */
import type { Source } from "../../../compiler/source.ts";
import { belowSchemas, isSchemaPath } from "../schema-paths.ts";
import type { Changes, Unreadable } from "../store.ts";
import type { ObjectReader } from "./object.ts";
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
}

/** A policy or a schema may have so many bytes. */
const largestText = 10 * 1024 * 1024;

/** Takes in a commit; throws `missingObject` when not all of it is there. */
export async function takeIn(read: ObjectReader, commit: string, folder: string, before: Taken | undefined): Promise<Taken> {
  const listing = await listCommit(read, commit, folder, before?.listing);
  const { files, unreadable } = listing;
  const changed: Source[] = [];
  const changedSchemas: Source[] = [];
  const unusable = new Map<string, Unreadable>();
  for (const [path, id] of files) {
    const known = before?.listing.files.get(path) === id;
    const reason = known ? before?.unusable.get(path) : undefined;
    if (reason !== undefined) unusable.set(path, reason);
    if (known) continue;
    const outcome = await readText(read, id);
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
  };
}

/** The ids of everything that the policies and schemas of a commit are made of. */
export const objectsOf = ({ files, skeleton }: Listing): readonly string[] => [...skeleton, ...files.values()];

async function readText(read: ObjectReader, id: string): Promise<{ readonly text: string } | { readonly message: string }> {
  const { kind, content } = await need(read, id);
  if (kind !== "blob") return { message: "the repository has something else in the file's place" };
  if (content.length > largestText) return { message: `the file is larger than ${largestText} bytes` };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(content) };
  } catch {
    return { message: "the file is not UTF-8 text" };
  }
}
