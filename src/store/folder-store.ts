/** A store that is a directory of policies and schemas. Only files whose size, times or inode changed are read again. */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, refusal } from "../refusal.ts";
import { emptyFolder, isAsRead, otherNameOf, readDifferent, withFound, withWritten, type FolderState } from "./folder-state.ts";
import { sourceOf } from "./file-source.ts";
import { policyFileName } from "./safe-names.ts";
import { isSchemaPath, schemaPath } from "./schema-paths.ts";
import { stampsOf } from "./stamps.ts";
import { readConsistently } from "./consistent-read.ts";
import type { Batch, Changes, Store, Written } from "./store.ts";
import { identityOf, isNotFound, listTree, relist, type Tree } from "./tree.ts";
import { watchFolder, type FolderWatcher, type WatchOptions } from "./watch.ts";
import { refuseBehindLinks, UnwrittenError, writeFiles, type FileChange } from "./write-files.ts";

/** The directory, and how it is watched. */
export interface DiskOptions {
  readonly directory: string;
  /** The setting that names it, for refusals; absent when none does. */
  readonly setting?: string;
  /** Policies and schemas cannot be changed through this program. */
  readonly readOnly?: boolean;
  /** How often the whole tree is compared while watching, because no watcher reports everything. */
  readonly pollMilliseconds?: number;
  /** How a directory or file is watched; by default `fs.watch`. */
  readonly watch?: WatchOptions["watch"];
}

/** Opens a directory; nothing is read yet. */
export function openFolderStore(options: DiskOptions): Store {
  const root = resolve(options.directory);
  const reader = openFolderReader(root, options);
  return {
    readOnly: options.readOnly === true ? "the folder of policies is read-only (setting storage.disk.readOnly)" : undefined,
    placeOf: policyFileName,
    schemaIdProblem,
    sourceOf: ({ path, text }) => sourceOf(path, text),
    write: async (batch) => {
      const changes = filesOf(batch);
      // Checked first, because files behind links were never read, and would look like concurrent changes.
      await refuseBehindLinks(root, changes);
      return reader.write(changes);
    },
    name: `the folder \`${options.directory}\``,
    read: reader.read,
    stamps: reader.stamps,
    watch: reader.watch,
    close: reader.close,
  };
}

/** Follows a directory. */
interface FolderReader {
  readonly read: (thorough?: boolean) => Promise<Changes>;
  readonly write: (changes: readonly FileChange[]) => Promise<Written>;
  readonly stamps: NonNullable<Store["stamps"]>;
  readonly watch: (changed: () => void) => void;
  readonly close: () => Promise<void>;
}

/**
 * How many milliseconds after a notification a missing or empty file, or a dangling link, is taken seriously: programs that replace a
 * file by removing or truncating it have written the new contents by then.
 */
const absenceMilliseconds = 100;

function openFolderReader(root: string, options: DiskOptions): FolderReader {
  let state: FolderState = emptyFolder;
  let compareAll = true;
  /** The identity of the directory that the state belongs to. */
  let stateOf: string | undefined;
  /** When everything was last listed (taken before it): milliseconds since 1970. */
  let listed = 0;
  let watcher: FolderWatcher | undefined;

  const listAgain = (from: Tree, touched: "everything" | Iterable<string>): Tree =>
    asked(options, () =>
      touched === "everything" ? listTree(root, watcher?.entering, from) : relist(root, from, touched, watcher?.entering),
    );
  /** Returns the identity of the directory; throws a refusal when it does not exist. */
  const identityNow = (): string => asked(options, () => identityOf(root));
  const readOnce = async (thorough: boolean): Promise<Changes> => {
    const touched = watcher?.takeTouched() ?? "everything";
    compareAll ||= touched === "everything";
    const identity = identityNow();
    const all = thorough || compareAll || touched === "everything" || identity !== stateOf;
    compareAll = true; // until this reading is known to have succeeded
    const began = Date.now();
    let now = listAgain(state.tree, all ? "everything" : touched);
    const doubtful = watcher === undefined || thorough ? [] : vanished(state.tree, now);
    if (watcher !== undefined && doubtful.length > 0) {
      await sleep(absenceMilliseconds);
      const since = watcher.takeTouched();
      now = listAgain(now, since === "everything" ? since : new Set([...doubtful, ...since]));
    }
    watcher?.keep(now);
    const found = readDifferent(root, state, now);
    // The directory was replaced while it was read: its files were not removed, they are elsewhere.
    if (identityNow() !== identity) return await readOnce(true);
    const { changes, state: next } = withFound(state, now, found);
    state = next;
    stateOf = identity;
    compareAll = false;
    if (all) listed = began;
    return changes;
  };
  const readOrLose = async (thorough: boolean): Promise<Changes> => {
    try {
      return await readOnce(thorough);
    } catch (error) {
      watcher?.lose();
      throw error;
    }
  };
  let toldMisnamed: ReadonlySet<string> = new Set();
  /** Returns a remark, once for each, on directories that are named like policies: mounting a missing file creates one. */
  const newlyMisnamed = (): readonly string[] => {
    const { folders, misnamed } = state.tree;
    const found = [...misnamed].filter((path) => !toldMisnamed.has(path));
    toldMisnamed = misnamed;
    return found.map(
      (path) =>
        `\`${path}\` in the folder \`${options.directory}\` is ${folders.has(path) ? "a folder, of which only what lies in it is read" : "a link to a folder, which is not followed"}: if a file was meant, put it there`,
    );
  };
  const readSteady = readConsistently(readOrLose, () => watcher?.eventCount() ?? 0);
  /** What has been reported completely; undefined while something that was read may not have been reported. */
  let told: { readonly tree: Tree; readonly listed: number } | undefined;

  return {
    read: async (thorough = false) => {
      told = undefined;
      const changes = await readSteady(thorough);
      told = { tree: state.tree, listed };
      const remarks = [...(watcher?.takeRemarks() ?? []), ...newlyMisnamed()];
      return remarks.length === 0 ? changes : { ...changes, remarks };
    },
    write: async (changes) => {
      const stale = changes.find(({ path }) => !isAsRead(root, state, path));
      if (stale !== undefined) {
        const same = otherNameOf(root, state, stale.path);
        if (same === undefined) return "stale";
        const why = `the file system takes its name for that of \`${same}\`, which is there`;
        throw new UnwrittenError(`the file \`${stale.path}\` cannot be written: ${why}`, true);
      }
      told = undefined;
      await writeFiles(root, changes);
      state = withWritten(state, changes);
      return "written";
    },
    stamps: (withSchemas) =>
      told === undefined || state.unreadable.size > 0 ? undefined : stampsOf(root, told.tree.entries, told.listed, withSchemas),
    watch: (changed) => {
      const { pollMilliseconds = 10_000 } = options;
      watcher = watchFolder({ root, pollMilliseconds, changed, ...(options.watch && { watch: options.watch }) });
    },
    close: async () => watcher?.close(),
  };
}

/** Returns the paths of files that have disappeared or become empty, and of links that have become dangling. */
function vanished(before: Tree, now: Tree): readonly string[] {
  // At the first reading everything is new.
  if (now.doubtful === undefined) return [...now.entries].flatMap(([path, { kind }]) => (kind === "dangling" ? [path] : []));
  return [...now.doubtful].filter((path) => {
    const [then, stamp] = [before.entries.get(path), now.entries.get(path)];
    if (stamp?.kind === "dangling") return then?.kind !== "dangling";
    if (then?.kind !== "file") return false;
    return stamp === undefined || (stamp.kind === "file" && stamp.size === 0 && then.size > 0);
  });
}

/** Returns the files that a batch writes, and those that it removes, which have no contents. */
const filesOf = (batch: Batch): readonly FileChange[] => [
  ...batch.putPolicies.map(({ path, text }) => ({ path, text })),
  ...batch.putSchemas.map(({ path, text }) => ({ path: schemaPath(path), text })),
  ...[...batch.removePolicies, ...batch.removeSchemas.map(schemaPath)].map((path) => ({ path })),
];

/** The limit of file names, in bytes, on all common file systems. */
const longestFileName = 255;

function schemaIdProblem(id: string): string | undefined {
  if (id.split("/").some((segment) => Buffer.byteLength(segment) > longestFileName))
    return `must not have a segment of more than ${longestFileName} bytes: schemas are files here`;
  if (isSchemaPath(schemaPath(id))) return undefined;
  return /\.json$/i.test(id) ? "must not have a segment that begins with a dot" : "must end in .json: schemas are files here";
}

function asked<T>({ directory, setting }: DiskOptions, walk: () => T): T {
  try {
    return walk();
  } catch (error) {
    const why =
      codeOf(error) === "ENOTDIR"
        ? "is not a directory"
        : isNotFound(error)
          ? "does not exist"
          : `cannot be read (${codeOf(error) ?? "unknown error"})`;
    throw refusal(`the policies directory \`${directory}\` ${why}${setting === undefined ? "" : ` (setting ${setting})`}`);
  }
}
