/** A folder of policies and schemas as it lies on the disk: which files there are, and stamps that change when their texts may have. */
import { lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isMisplacedSchemas, isPolicyPath } from "../../compiler/policy/paths.ts";
import { codeOf } from "../refusal.ts";
import { VersionedMap, type Draft } from "../../runtime/versioned-map.ts";
import { isSchemaPath } from "./schema-paths.ts";

// Everything is asked for at once and waited for: thousands of questions cost a tenth of what they do one by one, and the
// thread that asks them answers no checks.

/** What was found, by its path relative to the root (`/` between segments; "" is the root). */
export interface Tree {
  /** Files that are policies or schemas; and folders that are in the way, whose paths end with a slash. */
  readonly entries: VersionedMap<Stamp>;
  /** Folders that were listed. */
  readonly folders: ReadonlySet<string>;
  /** Folders, and links to folders, that are called like policies or schemas. */
  readonly misnamed: ReadonlySet<string>;
  /** Paths of entries that may differ from those that were taken in last; absent: any. */
  readonly doubtful?: ReadonlySet<string>;
}

/** What is known of an entry without reading it. */
export type Stamp =
  | {
      readonly kind: "file";
      readonly device: number;
      readonly inode: number;
      readonly size: number;
      /** Milliseconds since 1970: of the text, and of anything about the file. */
      readonly modified: number;
      readonly changed: number;
    }
  /** A folder of schemas that lies where none may. */
  | { readonly kind: "misplaced" }
  /** A link, and nothing where it leads: what it said, such as a denial, may not be taken for gone. */
  | { readonly kind: "dangling" }
  /** What is called like a policy or a schema, and is no file: as little is known of what it would say. */
  | { readonly kind: "special"; readonly what: Special }
  /** A file or a folder that no text names: its bytes are not UTF-8. */
  | { readonly kind: "garbled" }
  /** A folder that may not be listed, or a file that may not be asked. */
  | { readonly kind: "unreadable"; readonly code: string };

/** What may be there in place of a file, for people. */
export type Special = "a pipe" | "a socket" | "a device";

/** Told of what is about to be listed or asked, so that a watcher misses nothing between. */
export type Entering = (path: string) => void;

/** A folder in which nothing was looked for yet. */
export const emptyTree: Tree = { entries: VersionedMap.of(), folders: new Set(), misnamed: new Set() };

interface Walk {
  readonly root: string;
  readonly entering: Entering;
  readonly put: (path: string, stamp: Stamp) => void;
  /** Told of files instead, where nobody wants their stamps. */
  readonly found?: (path: string) => void;
  readonly folders: Set<string>;
  readonly misnamed: Set<string>;
  readonly skips?: (folder: string) => boolean;
}

/**
 * Lists the policies and schemas below a root. A link to a file counts as the file; a link to a folder is not followed, so no
 * walk can be endless. What is as in an earlier tree is taken from there: thousands of stamps are not kept again to say the same.
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

/** Tells all that `listTree` would list, one after the other, but for what lies in folders that are skipped. */
export function tellTree(root: string, put: (path: string, stamp: Stamp) => void, skips: (folder: string) => boolean): void {
  listInto({ root, entering: () => undefined, put, folders: new Set(), misnamed: new Set(), skips }, "");
}

/** Returns the paths of all that `listTree` would list, in order; undefined where something is in the way. Only links are asked what they are. */
export function listPaths(root: string): readonly string[] | undefined {
  const paths: string[] = [];
  let isClear = true;
  const found = (path: string): void => void paths.push(path);
  const put = (path: string, { kind }: Stamp): void => (kind === "file" ? found(path) : void (isClear = false));
  listInto({ root, entering: () => undefined, put, found, folders: new Set(), misnamed: new Set() }, "");
  return isClear ? paths.sort() : undefined;
}

/** Looks again at what was touched, files or folders with everything below them, taking the rest from an earlier tree. */
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
    // Of a garbled name nobody can ask whether it is still there.
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

/** Takes out a file, or a folder with all below it. */
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
  // A link is asked twice: only of what leads to a file can more be heard.
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

/** Would a file of this path be a policy or a schema? */
export const isText = (path: string): boolean => isPolicyPath(path) || isSchemaPath(path);

/** Where bytes are no UTF-8, U+FFFD stands in their place. Whoever gives that name on purpose is refused too, as in archives. */
const isGarbled = (path: string): boolean => path.includes("\u{fffd}");

/** Would files in this folder be policies or schemas? */
function isRead(folder: string): boolean {
  const inside = folder === "" ? "x" : `${folder}/x`;
  return isPolicyPath(`${inside}.yaml`) || isSchemaPath(`${inside}.json`);
}

/** A watcher may follow links to folders, the walk does not: what was touched behind one must not be policies until the next walk. */
function isReachedByLink(root: string, folder: string): boolean {
  if (folder === "") return false;
  const [from, real] = [root, join(root, folder)].map((path) => attempt(() => realpathSync(path)));
  return from?.kind === "done" && real?.kind === "done" && real.result !== join(from.result, folder);
}

/** Returns where a file lies, by its path relative to a root: thousands are not worth being made normal one by one. */
export const fileBelow = (root: string, path: string): string => `${root}/${path}`;

/** Returns the folder of a path; "" is the root. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns the stamp of a file, or of what is there in place of one; undefined when there is nothing, or a folder. */
export function stampOf(path: string): Stamp | undefined {
  const found = attempt(() => statSync(path));
  if (found.kind === "gone") return isDangling(path) ? { kind: "dangling" } : undefined;
  if (found.kind === "failed") return { kind: "unreadable", code: found.code };
  if (found.result.isFile()) return stampFrom(found.result);
  return found.result.isDirectory() ? undefined : { kind: "special", what: specialOf(found.result) };
}

const specialOf = (found: Stats): Special => (found.isFIFO() ? "a pipe" : found.isSocket() ? "a socket" : "a device");

/** Takes the stamp of a file from what the system said of it. */
export function stampFrom({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Stamp {
  return { kind: "file", device: dev, inode: ino, size, modified: mtimeMs, changed: ctimeMs };
}

/** Do both stamps say the same? */
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
    return isGone(error) ? { kind: "gone" } : { kind: "failed", code: codeOf(error) ?? "unknown error" };
  }
}

/** Returns what tells a folder from another one of its name, also from one that was made in the place of a removed one; throws when there is none. */
export function identityOf(root: string): string {
  const { dev, ino, birthtimeMs } = statSync(root);
  return `${dev}.${ino}.${birthtimeMs}`;
}

/** Is the error that something does not exist (any more)? */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP";
}

/** Is there a link in the place of a file that is gone? Also one of a circle. */
export function isDangling(path: string): boolean {
  const found = attempt(() => lstatSync(path));
  return found.kind === "done" && found.result.isSymbolicLink();
}
