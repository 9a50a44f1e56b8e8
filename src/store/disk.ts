/** Policies and schemas in a folder. Reads again only what changed in size, time or inode. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import type { Source } from "../../compiler/source.ts";
import { codeOf, refusal } from "../refusal.ts";
import { openArchiveStore } from "./archive.ts";
import { archiveKind, type ArchiveKind } from "./archive-names.ts";
import { danglingMessage, readText, sourceOf, type Reading } from "./file-source.ts";
import { policyFileName } from "./safe-names.ts";
import { belowSchemas, isSchemaPath, schemaPath } from "./schema-paths.ts";
import { stampsOf } from "./stamps.ts";
import { steadily } from "./steady.ts";
import type { Batch, Changes, Store, Unreadable, Written } from "./store.ts";
import { emptyTree, identityOf, isGone, isSameStamp, listTree, relist, stampOf, type Stamp, type Tree } from "./tree.ts";
import { watchFolder, type FolderWatcher, type WatchOptions } from "./watch.ts";
import { refuseBehindLink, writeFiles, type FileChange } from "./write-files.ts";

/** Which folder, and how it is watched. */
export interface DiskOptions {
  readonly directory: string;
  /** The setting that names it, where one does: a refusal says so. */
  readonly setting?: string;
  /** Policies and schemas cannot be changed through the program. */
  readonly readOnly?: boolean;
  /** How often the whole tree is compared while watching, because no watcher sees everything. */
  readonly pollMilliseconds?: number;
  /** How a folder or a file is watched: the system's way unless said otherwise. */
  readonly watch?: WatchOptions["watch"];
}

/** So long after it was announced that a file is gone or empty, or a link leads nowhere, it is believed: those who replace files by removing or emptying them first have put the new text there. */
const absenceMilliseconds = 100;

/** Opens a folder, or an archive in place of one; nothing is read yet. */
export function openDiskStore(options: DiskOptions): Store {
  const { directory, setting } = options;
  const kind = archiveAt(directory);
  return kind === undefined
    ? openFolderStore(options)
    : openArchiveStore({ file: directory, kind, ...(setting !== undefined && { setting }) });
}

/** Returns how the archive is packed that stands there in place of a folder; undefined where there is none. */
export function archiveAt(directory: string): ArchiveKind | undefined {
  const kind = archiveKind(directory);
  try {
    return kind === undefined || statSync(directory).isDirectory() ? undefined : kind;
  } catch {
    return kind; // whoever reads it says why it cannot be
  }
}

function openFolderStore(options: DiskOptions): Store {
  const root = resolve(options.directory);
  let tree = emptyTree;
  let compareAll = true;
  /** The folder that the tree is of. */
  let treeOf: string | undefined;
  /** Before all of it was listed last: milliseconds since 1970. */
  let listed = 0;
  let unreadable: ReadonlyMap<string, Unreadable> = new Map();
  /** Texts of files that were read so soon after they had changed that the next change may leave the same stamp. */
  let young: ReadonlyMap<string, string> = new Map();
  let watcher: FolderWatcher | undefined;

  const listAgain = (from: Tree, touched: "everything" | Iterable<string>): Tree =>
    asked(options, () =>
      touched === "everything" ? listTree(root, watcher?.entering, from) : relist(root, from, touched, watcher?.entering),
    );
  /** Which folder it is; throws a refusal when there is none. */
  const identityNow = (): string => asked(options, () => identityOf(root));
  const readOnce = async (thorough: boolean): Promise<Changes> => {
    const touched = watcher?.takeTouched() ?? "everything";
    compareAll ||= touched === "everything";
    const identity = identityNow();
    const all = thorough || compareAll || touched === "everything" || identity !== treeOf;
    compareAll = true; // until this reading is known to have worked
    const began = Date.now();
    let now = listAgain(tree, all ? "everything" : touched);
    const doubtful = watcher === undefined || thorough ? [] : vanished(tree, now);
    if (watcher !== undefined && doubtful.length > 0) {
      await sleep(absenceMilliseconds);
      const since = watcher.takeTouched();
      now = listAgain(now, since === "everything" ? since : new Set([...doubtful, ...since]));
    }
    watcher?.keep(now);
    const changes = take(now, identity);
    if (changes === undefined) return await readOnce(true);
    compareAll = false;
    if (all) listed = began;
    return changes;
  };
  /** Reads what differs from the tree before; `now` is the tree from here on. Undefined, and nothing is taken, when the folder has become another one meanwhile: its files were not removed, they are elsewhere. */
  const take = (now: Tree, identity: string): Changes | undefined => {
    const nextUnreadable = new Map(unreadable);
    const nextYoung = new Map(young);
    const lost = new Set<string>();
    /** Stamps of files that were another when they were read than when they were listed. */
    const restamped = new Map<string, Stamp>();
    let isAsBefore = now.entries.size === tree.entries.size;
    const changed: Source[] = [];
    const changedSchemas: Source[] = [];
    for (const path of now.doubtful === undefined
      ? now.entries.keys()
      : new Set([...now.doubtful, ...unreadable.keys(), ...young.keys()])) {
      const stamp = now.entries.get(path);
      if (stamp === undefined) continue;
      const isSame = isSameStamp(tree.entries.get(path), stamp);
      isAsBefore &&= isSame;
      if (isSame && !unreadable.has(path) && !young.has(path)) continue;
      const youngText = young.get(path);
      nextUnreadable.delete(path);
      nextYoung.delete(path);
      const outcome = textOf(root, path, stamp);
      if (outcome === undefined) lost.add(path); // gone since it was listed
      else if (!("text" in outcome)) nextUnreadable.set(path, outcome);
      else {
        const { text } = outcome;
        if (!isSameStamp(outcome.stamp, stamp)) restamped.set(path, outcome.stamp);
        if (isYoung(outcome.stamp)) nextYoung.set(path, text);
        if (text === youngText) continue;
        if (isSchemaPath(path)) changedSchemas.push({ path: belowSchemas(path), text });
        else changed.push(sourceOf(path, text));
      }
    }
    if (identityNow() !== identity) return undefined;
    const gone = [...(now.doubtful ?? tree.entries.keys())].filter(
      (path) => tree.entries.has(path) && (lost.has(path) || !now.entries.has(path)),
    );
    for (const path of gone) for (const map of [nextUnreadable, nextYoung]) map.delete(path);
    const goneFiles = gone.filter((path) => !path.endsWith("/"));
    unreadable = nextUnreadable;
    young = nextYoung;
    // Thousands of entries that say the same are not worth keeping again every ten seconds.
    const entries = (isAsBefore ? tree : now).entries.edit();
    for (const path of lost) entries.delete(path);
    for (const [path, stamp] of restamped) entries.set(path, stamp);
    treeOf = identity;
    tree = { entries: entries.finish(), folders: now.folders, doubtful: new Set() };
    return {
      changed,
      removed: goneFiles.filter((path) => !isSchemaPath(path)),
      changedSchemas,
      removedSchemas: goneFiles.filter(isSchemaPath).map(belowSchemas),
      unreadable: [...nextUnreadable.values()],
    };
  };

  const readOrLose = async (thorough: boolean): Promise<Changes> => {
    try {
      return await readOnce(thorough);
    } catch (error) {
      watcher?.lose();
      throw error;
    }
  };
  const readSteady = steadily(readOrLose, () => watcher?.stirs() ?? 0);
  /** What has been told of, to the last file; undefined while there may be more that was read. */
  let told: { readonly tree: Tree; readonly listed: number } | undefined;
  const read = async (thorough = false): Promise<Changes> => {
    told = undefined;
    const changes = await readSteady(thorough);
    told = { tree, listed };
    const remarks = watcher?.takeRemarks() ?? [];
    return remarks.length === 0 ? changes : { ...changes, remarks };
  };

  /** Is a file as it was read last? */
  const isAsRead = (path: string): boolean => {
    if (!isSameStamp(stampOf(join(root, path)), tree.entries.get(path))) return false;
    const text = young.get(path);
    if (text === undefined) return true;
    const now = readText(root, path);
    return now !== undefined && "text" in now && now.text === text;
  };
  const write = async (batch: Batch): Promise<Written> => {
    const changes: readonly FileChange[] = [
      ...batch.putPolicies.map(({ path, text }) => ({ path, text })),
      ...batch.putSchemas.map(({ path, text }) => ({ path: schemaPath(path), text })),
      ...[...batch.removePolicies, ...batch.removeSchemas.map(schemaPath)].map((path) => ({ path })),
    ];
    // Before anybody is suspected of having changed it: what lies behind a link was never read.
    for (const { path } of changes) await refuseBehindLink(root, path);
    if (!changes.every(({ path }) => isAsRead(path))) return "stale";
    told = undefined;
    await writeFiles(root, changes);
    // Known to be there, so that it is missed when somebody removes it; and to be read, because nobody has yet.
    const entries = tree.entries.edit();
    for (const { path, text } of changes)
      if (text === undefined) entries.delete(path);
      else entries.set(path, { kind: "unreadable", code: "not read yet" });
    tree = { ...tree, entries: entries.finish() };
    const written = new Set(changes.map(({ path }) => path));
    young = new Map([...young].filter(([path]) => !written.has(path)));
    unreadable = new Map([...unreadable].filter(([path]) => !written.has(path)));
    return "written";
  };

  return {
    readOnly: options.readOnly === true ? "the folder of policies is read-only (setting storage.disk.readOnly)" : undefined,
    placeOf: policyFileName,
    schemaIdProblem: (id) => {
      if (id.split("/").some((segment) => Buffer.byteLength(segment) > longestFileName))
        return `must not have a segment of more than ${longestFileName} bytes: schemas are files here`;
      if (isSchemaPath(schemaPath(id))) return undefined;
      return /\.json$/i.test(id) ? "must not have a segment that begins with a dot" : "must end in .json: schemas are files here";
    },
    sourceOf: ({ path, text }) => sourceOf(path, text),
    write,
    name: `the folder \`${options.directory}\``,
    read,
    stamps: (withSchemas) =>
      told === undefined || unreadable.size > 0 ? undefined : stampsOf(root, told.tree.entries, told.listed, withSchemas),
    watch: (changed) => {
      const { pollMilliseconds = 10_000 } = options;
      watcher = watchFolder({ root, pollMilliseconds, changed, ...(options.watch && { watch: options.watch }) });
    },
    close: async () => watcher?.close(),
  };
}

/** Bytes, on every file system in use. */
const longestFileName = 255;

/** Paths of files that were there and are not, or had a text and are empty; and of links that lead nowhere now. */
function vanished(before: Tree, now: Tree): readonly string[] {
  // The first time, all are new.
  if (now.doubtful === undefined) return [...now.entries].flatMap(([path, { kind }]) => (kind === "dangling" ? [path] : []));
  return [...now.doubtful].filter((path) => {
    const [then, stamp] = [before.entries.get(path), now.entries.get(path)];
    if (stamp?.kind === "dangling") return then?.kind !== "dangling";
    if (then?.kind !== "file") return false;
    return stamp === undefined || (stamp.kind === "file" && stamp.size === 0 && then.size > 0);
  });
}

/** Could the file change once more without another stamp? Clocks of file systems go in steps: of milliseconds, or of seconds where no fraction is kept. */
function isYoung(stamp: Stamp): boolean {
  if (stamp.kind !== "file") return false;
  const step = stamp.changed % 1000 === 0 ? 2100 : 100;
  return Math.abs(Date.now() - stamp.changed) < step;
}

function asked<T>({ directory, setting }: DiskOptions, walk: () => T): T {
  try {
    return walk();
  } catch (error) {
    const why =
      codeOf(error) === "ENOTDIR"
        ? "is not a directory"
        : isGone(error)
          ? "does not exist"
          : `cannot be read (${codeOf(error) ?? "unknown error"})`;
    throw refusal(`the policies directory \`${directory}\` ${why}${setting === undefined ? "" : ` (setting ${setting})`}`);
  }
}

function textOf(root: string, path: string, stamp: Stamp): Reading | undefined {
  const folder = path.replace(/\/$/, "");
  if (stamp.kind === "misplaced") return { path: folder, message: misplacedSchemas(folder).message };
  if (stamp.kind === "file") return readText(root, path);
  if (stamp.kind === "dangling") return { path, message: danglingMessage };
  const what = path === folder ? "file" : "folder";
  if (stamp.kind === "garbled") return { path: folder, message: `the ${what}'s name is not UTF-8 text: rename it` };
  return { path: folder, message: `the ${what} cannot be read (${stamp.code})` };
}
