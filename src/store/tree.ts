/** Lists a directory of policies and schemas: its files, and stamps that change when their contents may have changed. */
import { lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isMisplacedSchemas, isPolicyPath } from "../../compiler/policy/paths.ts";
import { codeOf } from "../refusal.ts";
import { VersionedMap, type Draft } from "../../runtime/versioned-map.ts";
import { isSchemaPath } from "./schema-paths.ts";

// System calls are synchronous: thousands of them take a tenth of the time of asynchronous ones, and this thread answers no checks.

/** The result, by paths relative to the root (`/` between segments; "" is the root). */
export interface Tree {
  /** Files that are policies or schemas, and obstructing directories, whose paths end with a slash. */
  readonly entries: VersionedMap<Stamp>;
  /** Directories that were listed. */
  readonly folders: ReadonlySet<string>;
  /** Directories, and links to directories, that are named like policies or schemas. */
  readonly misnamed: ReadonlySet<string>;
  /** The paths of entries that may differ from those that were taken in last; absent: any may. */
  readonly doubtful?: ReadonlySet<string>;
}

/** What is known of an entry without reading it. */
export type Stamp =
  | {
      readonly kind: "file";
      readonly device: number;
      readonly inode: number;
      readonly size: number;
      /** Milliseconds since 1970: the last change of the contents, and of anything about the file. */
      readonly modified: number;
      readonly changed: number;
    }
  /** A schema directory in a place where none is allowed. */
  | { readonly kind: "misplaced" }
  /** A dangling link. It must not count as absent: its policy may have denied something. */
  | { readonly kind: "dangling" }
  /** Something named like a policy or schema that is no regular file. It must not count as absent either. */
  | { readonly kind: "special"; readonly what: Special }
  /** A file or directory whose name is not UTF-8. */
  | { readonly kind: "garbled" }
  /** A directory that cannot be listed, or a file that cannot be examined. */
  | { readonly kind: "unreadable"; readonly code: string };

/** File types other than regular files, for messages. */
export type Special = "a pipe" | "a socket" | "a device";

/** Called before a path is listed or examined, so that a watcher can be started first, and misses nothing. */
export type Entering = (path: string) => void;

/** The tree before the first listing. */
export const emptyTree: Tree = { entries: VersionedMap.of(), folders: new Set(), misnamed: new Set() };

interface Walk {
  readonly root: string;
  readonly entering: Entering;
  readonly put: (path: string, stamp: Stamp) => void;
  /** If given, called for files instead of `put`, without their stamps. */
  readonly found?: (path: string) => void;
  readonly folders: Set<string>;
  readonly misnamed: Set<string>;
  readonly skips?: (folder: string) => boolean;
}

/**
 * Lists the policies and schemas below a root. A link to a file counts as the file; links to directories are not followed, so that the
 * walk ends. Entries that equal those of the earlier tree are shared with it, to save memory.
 */
export function listTree(root: string, entering: Entering = () => undefined, earlier: Tree = emptyTree): Tree {
  const entries = earlier.entries.edit();
  const doubtful = new Set(earlier.doubtful);
  const found = new Set<string>();
  const [folders, misnamed] = [new Set<string>(), new Set<string>()];
  const put = (path: string, stamp: Stamp): void => {
    found.add(path);
    if (isSameStamp(earlier.entries.get(path), stamp)) return;
    entries.set(path, stamp);
    doubtful.add(path);
  };
  listInto({ root, entering, put, folders, misnamed }, "");
  if (entries.size > found.size)
    for (const path of entries.keys())
      if (!found.has(path)) {
        entries.delete(path);
        doubtful.add(path);
      }
  return { entries: entries.finish(), folders, misnamed, ...(earlier.doubtful && { doubtful }) };
}

/** Calls `put` for all that `listTree` would list, except below directories that are skipped. */
export function forEachEntry(root: string, put: (path: string, stamp: Stamp) => void, skips: (folder: string) => boolean): void {
  listInto({ root, entering: () => undefined, put, folders: new Set(), misnamed: new Set(), skips }, "");
}

/** Returns the paths that `listTree` would list, in order; undefined when anything but files is among them. Only links are examined. */
export function listPaths(root: string): readonly string[] | undefined {
  const paths: string[] = [];
  let isClear = true;
  const found = (path: string): void => void paths.push(path);
  const put = (path: string, { kind }: Stamp): void => (kind === "file" ? found(path) : void (isClear = false));
  listInto({ root, entering: () => undefined, put, found, folders: new Set(), misnamed: new Set() }, "");
  return isClear ? paths.sort() : undefined;
}

/** Lists again the paths that were touched (files, or directories with everything below them), and takes the rest from an earlier tree. */
export function relist(root: string, earlier: Tree, touched: Iterable<string>, entering: Entering = () => undefined): Tree {
  const edited: Edited = {
    entries: earlier.entries.edit(),
    folders: new Set(earlier.folders),
    misnamed: new Set(earlier.misnamed),
    ...(earlier.doubtful && { doubtful: new Set(earlier.doubtful) }),
  };
  const { entries, folders, misnamed, doubtful } = edited;
  const put = (path: string, stamp: Stamp): void => {
    entries.set(path, stamp);
    doubtful?.add(path);
  };
  const walk: Walk = { root, entering, put, folders, misnamed };
  const behindLinks = new Map<string, boolean>();
  for (const path of touched) {
    // A name that is not UTF-8 cannot be looked up again.
    if (path === "" || isGarbled(path)) return listTree(root, entering, earlier);
    forget(edited, path);
    const folder = folderOf(path);
    const isBehindLink = behindLinks.get(folder) ?? isReachedByLink(root, folder);
    behindLinks.set(folder, isBehindLink);
    if (!isBehindLink && isRead(folder)) look(walk, path);
  }
  return { entries: entries.finish(), folders, misnamed, ...(doubtful && { doubtful }) };
}

interface Edited {
  readonly entries: Draft<Stamp>;
  readonly folders: Set<string>;
  readonly misnamed: Set<string>;
  readonly doubtful?: Set<string>;
}

/** Removes a file, or a directory with everything below it. */
function forget({ entries, folders, misnamed, doubtful }: Edited, path: string): void {
  for (const key of [path, `${path}/`]) if (entries.delete(key)) doubtful?.add(key);
  misnamed.delete(path);
  if (!folders.delete(path)) return;
  for (const key of misnamed) if (key.startsWith(`${path}/`)) misnamed.delete(key);
  for (const key of folders) if (key.startsWith(`${path}/`)) folders.delete(key);
  for (const key of entries.keys())
    if (key.startsWith(`${path}/`)) {
      entries.delete(key);
      doubtful?.add(key);
    }
}

function look(walk: Walk, path: string): void {
  const found = attempt(() => lstatSync(join(walk.root, path)));
  if (found.kind === "done") lookAt(walk, path, found.result);
  else if (found.kind === "failed" && isText(path)) walk.put(path, { kind: "unreadable", code: found.code });
}

function lookAt(walk: Walk, path: string, entry: Pick<Stats, "isDirectory" | "isFile" | "isSymbolicLink">): void {
  if (entry.isDirectory()) return listInto(walk, path);
  if (!isText(path)) return;
  if (isGarbled(path)) return walk.put(path, { kind: "garbled" });
  if (entry.isFile() && walk.found !== undefined) return walk.found(path);
  const file = fileBelow(walk.root, path);
  // For a link, the target is examined before and after watching begins; only links to files can be watched.
  if (entry.isSymbolicLink() && stampOf(file)?.kind === "file") walk.entering(path);
  const stamp = stampOf(file);
  if (stamp !== undefined) walk.put(path, stamp);
  else if (entry.isSymbolicLink()) walk.misnamed.add(path);
}

function listInto(walk: Walk, folder: string): void {
  if (isMisplacedSchemas(folder)) {
    walk.put(`${folder}/`, { kind: "misplaced" });
    return;
  }
  if (!isRead(folder) || walk.skips?.(folder) === true) return;
  if (isGarbled(folder)) return walk.put(`${folder}/`, { kind: "garbled" });
  walk.entering(folder);
  const listed = attempt(() => readdirSync(join(walk.root, folder), { withFileTypes: true }), folder === "");
  walk.folders.add(folder);
  if (isText(folder)) walk.misnamed.add(folder);
  if (listed.kind === "failed") walk.put(`${folder}/`, { kind: "unreadable", code: listed.code });
  if (listed.kind === "done")
    for (const entry of listed.result) lookAt(walk, folder === "" ? entry.name : `${folder}/${entry.name}`, entry);
}

/** Returns whether a file with this path would be a policy or schema. */
export const isText = (path: string): boolean => isPolicyPath(path) || isSchemaPath(path);

/**
 * Returns whether a name was not UTF-8: invalid bytes are decoded as U+FFFD. A name that really contains this character is refused too,
 * as in archives.
 */
const isGarbled = (path: string): boolean => path.includes("\u{fffd}");

/** Returns whether files in this directory would be policies or schemas. */
function isRead(folder: string): boolean {
  const inside = folder === "" ? "x" : `${folder}/x`;
  return isPolicyPath(`${inside}.yaml`) || isSchemaPath(`${inside}.json`);
}

/**
 * Returns whether a directory is reached through a link. A watcher may follow such links, but the walk does not, so what is touched
 * behind one must be ignored.
 */
function isReachedByLink(root: string, folder: string): boolean {
  if (folder === "") return false;
  const [from, real] = [root, join(root, folder)].map((path) => attempt(() => realpathSync(path)));
  return from?.kind === "done" && real?.kind === "done" && real.result !== join(from.result, folder);
}

/** Returns the path of a file below a root. Plain concatenation, because normalising thousands of paths is slow. */
export const fileBelow = (root: string, path: string): string => `${root}/${path}`;

/** Returns the directory of a path; "" is the root. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns the stamp of a file, or of what is there instead; undefined when there is nothing or a directory. */
export function stampOf(path: string): Stamp | undefined {
  const found = attempt(() => statSync(path));
  if (found.kind === "gone") return isDangling(path) ? { kind: "dangling" } : undefined;
  if (found.kind === "failed") return { kind: "unreadable", code: found.code };
  if (found.result.isFile()) return stampFrom(found.result);
  return found.result.isDirectory() ? undefined : { kind: "special", what: specialOf(found.result) };
}

const specialOf = (found: Stats): Special => (found.isFIFO() ? "a pipe" : found.isSocket() ? "a socket" : "a device");

/** Converts the result of stat to a stamp. */
export function stampFrom({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Stamp {
  return { kind: "file", device: dev, inode: ino, size, modified: mtimeMs, changed: ctimeMs };
}

/** Returns whether two stamps are equal. */
export function isSameStamp(left: Stamp | undefined, right: Stamp | undefined): boolean {
  if (left === right) return true;
  if (left?.kind === "unreadable" && right?.kind === "unreadable") return left.code === right.code;
  if (left?.kind === "special" && right?.kind === "special") return left.what === right.what;
  if (left?.kind !== "file" || right?.kind !== "file") return left?.kind === right?.kind;
  return (
    left.size === right.size &&
    left.modified === right.modified &&
    left.changed === right.changed &&
    left.inode === right.inode &&
    left.device === right.device
  );
}

type Attempt<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly code: string };

function attempt<T>(ask: () => T, throwing = false): Attempt<T> {
  try {
    return { kind: "done", result: ask() };
  } catch (error) {
    if (throwing) throw error;
    return isNotFound(error) ? { kind: "gone" } : { kind: "failed", code: codeOf(error) ?? "unknown error" };
  }
}

/**
 * Returns the identity of a directory, which differs for another one of the same name, also one that was created later; throws when
 * there is none.
 */
export function identityOf(root: string): string {
  const { dev, ino, birthtimeMs } = statSync(root);
  return `${dev}.${ino}.${birthtimeMs}`;
}

/** Returns whether an error says that something does not exist. */
export function isNotFound(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP";
}

/** Returns whether a path is a dangling link, or one of a cycle. */
export function isDangling(path: string): boolean {
  const found = attempt(() => lstatSync(path));
  return found.kind === "done" && found.result.isSymbolicLink();
}
