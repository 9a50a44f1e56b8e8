/** The state of a directory since it was last read, and its updates by readings and writes. */
import { join } from "node:path";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import type { Source } from "../../compiler/source.ts";
import { danglingMessage, readText, sourceOf, type Reading } from "./file-source.ts";
import { foldName } from "./safe-names.ts";
import { belowSchemas, isSchemaPath } from "./schema-paths.ts";
import type { Changes, Unreadable } from "./store.ts";
import { emptyTree, isSameStamp, stampOf, type Stamp, type Tree } from "./tree.ts";
import type { FileChange } from "./write-files.ts";

/** What was read. */
export interface FolderState {
  readonly tree: Tree;
  readonly unreadable: ReadonlyMap<string, Unreadable>;
  /** The contents of files that were read so soon after a change that the next change may leave the same stamp. */
  readonly young: ReadonlyMap<string, string>;
}

/** The state before the first reading. */
export const emptyFolder: FolderState = { tree: emptyTree, unreadable: new Map(), young: new Map() };

/** What was found in the files that may have changed. */
export interface Found {
  readonly changed: readonly Source[];
  readonly changedSchemas: readonly Source[];
  readonly unreadable: Map<string, Unreadable>;
  readonly young: Map<string, string>;
  /** New and changed files that were removed between listing and reading. */
  readonly lost: ReadonlySet<string>;
  /** Stamps of files that changed between listing and reading. */
  readonly restamped: ReadonlyMap<string, Stamp>;
  /** Whether all entries have the same stamps as before. */
  readonly isAsBefore: boolean;
}

/** Reads the files that differ between the state and the current tree. */
export function readDifferent(root: string, { tree, unreadable, young }: FolderState, now: Tree): Found {
  const nextUnreadable = new Map(unreadable);
  const nextYoung = new Map(young);
  const lost = new Set<string>();
  const restamped = new Map<string, Stamp>();
  let isAsBefore = now.entries.size === tree.entries.size;
  const changed: Source[] = [];
  const changedSchemas: Source[] = [];
  for (const path of now.doubtful === undefined ? now.entries.keys() : new Set([...now.doubtful, ...unreadable.keys(), ...young.keys()])) {
    const stamp = now.entries.get(path);
    if (stamp === undefined) continue;
    const isSame = isSameStamp(tree.entries.get(path), stamp);
    isAsBefore &&= isSame;
    if (isSame && !unreadable.has(path) && !young.has(path)) continue;
    const readAt = Date.now();
    const outcome = textOf(root, path, stamp);
    // Removed since it was listed. A file that was known stays known until a listing lacks it, or its removal would not be noticed.
    if (outcome === undefined && isSame) continue;
    const youngText = young.get(path);
    nextUnreadable.delete(path);
    nextYoung.delete(path);
    if (outcome === undefined) lost.add(path);
    else if (!("text" in outcome)) nextUnreadable.set(path, outcome);
    else {
      const { text } = outcome;
      if (!isSameStamp(outcome.stamp, stamp)) restamped.set(path, outcome.stamp);
      if (isYoung(outcome.stamp, readAt)) nextYoung.set(path, text);
      if (text === youngText) continue;
      if (isSchemaPath(path)) changedSchemas.push({ path: belowSchemas(path), text });
      else changed.push(sourceOf(path, text));
    }
  }
  return { changed, changedSchemas, unreadable: nextUnreadable, young: nextYoung, lost, restamped, isAsBefore };
}

/** Applies what was found; returns the next state and the changes to report. */
export function withFound(
  { tree }: FolderState,
  now: Tree,
  { changed, changedSchemas, unreadable, young, lost, restamped, isAsBefore }: Found,
): { readonly state: FolderState; readonly changes: Changes } {
  const gone = [...(now.doubtful ?? tree.entries.keys())].filter(
    (path) => tree.entries.has(path) && (lost.has(path) || !now.entries.has(path)),
  );
  for (const path of gone) for (const map of [unreadable, young]) map.delete(path);
  const goneFiles = gone.filter((path) => !path.endsWith("/"));
  // If all stamps are equal, the old entries are kept, so that thousands are not copied every ten seconds.
  const entries = (isAsBefore ? tree : now).entries.edit();
  for (const path of lost) entries.delete(path);
  for (const [path, stamp] of restamped) entries.set(path, stamp);
  return {
    state: { tree: { entries: entries.finish(), folders: now.folders, misnamed: now.misnamed, doubtful: new Set() }, unreadable, young },
    changes: {
      changed,
      removed: goneFiles.filter((path) => !isSchemaPath(path)),
      changedSchemas,
      removedSchemas: goneFiles.filter(isSchemaPath).map(belowSchemas),
      unreadable: [...unreadable.values()],
    },
  };
}

/** Returns whether a file is as it was read last. */
export function isAsRead(root: string, { tree, young }: FolderState, path: string): boolean {
  if (!isSameStamp(stampOf(join(root, path)), tree.entries.get(path))) return false;
  const text = young.get(path);
  if (text === undefined) return true;
  const now = readText(root, path);
  return now !== undefined && "text" in now && now.text === text;
}

/**
 * Returns the path under which a file is known that is found under this one too: where the file system ignores case, a reading will
 * never list it under this one.
 */
export function otherNameOf(root: string, { tree: { entries } }: FolderState, path: string): string | undefined {
  const stamp = stampOf(join(root, path));
  if (stamp?.kind !== "file" || entries.has(path)) return undefined;
  const folded = foldName(path);
  for (const [other, known] of entries)
    if (known.kind === "file" && known.inode === stamp.inode && known.device === stamp.device && foldName(other) === folded) return other;
  return undefined;
}

/** Applies a write of ours. The file is known to exist, so that its removal will be noticed, and marked as not read yet. */
export function withWritten({ tree, unreadable, young }: FolderState, changes: readonly FileChange[]): FolderState {
  const entries = tree.entries.edit();
  for (const { path, text } of changes)
    if (text === undefined) entries.delete(path);
    else entries.set(path, { kind: "unreadable", code: "not read yet" });
  const written = new Set(changes.map(({ path }) => path));
  return {
    tree: { ...tree, entries: entries.finish() },
    young: new Map([...young].filter(([path]) => !written.has(path))),
    unreadable: new Map([...unreadable].filter(([path]) => !written.has(path))),
  };
}

/**
 * Returns whether a file that was read at this time could change again without getting another stamp: file system clocks advance in
 * milliseconds, or in seconds where fractions are not stored.
 */
function isYoung(stamp: Stamp, readAt: number): boolean {
  if (stamp.kind !== "file") return false;
  const step = stamp.changed % 1000 === 0 ? 2100 : 100;
  return Math.abs(readAt - stamp.changed) < step;
}

function textOf(root: string, path: string, stamp: Stamp): Reading | undefined {
  const folder = path.replace(/\/$/, "");
  if (stamp.kind === "misplaced") return { path: folder, message: misplacedSchemas(folder).message };
  if (stamp.kind === "file") return readText(root, path);
  if (stamp.kind === "dangling") return { path, message: danglingMessage };
  if (stamp.kind === "special") return { path, message: `it is ${stamp.what}, and no file: put the file there, or remove it` };
  const what = path === folder ? "file" : "folder";
  if (stamp.kind === "garbled") return { path: folder, message: `the ${what}'s name is not UTF-8 text: rename it` };
  return { path: folder, message: `the ${what} cannot be read (${stamp.code})` };
}
