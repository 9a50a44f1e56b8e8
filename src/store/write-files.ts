/** Writes several files below a directory together: each is replaced atomically, and when one fails, those before it are restored. */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readFile, readlink, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../refusal.ts";
import { removeStaleTemporaryFiles } from "../texts/stale-temporary-files.ts";
import { isNotFound } from "./tree.ts";

/** A file, by its path relative to the root (`/` between segments), and its new contents; without contents, it is removed. */
export interface FileChange {
  readonly path: string;
  readonly text?: string;
}

interface Prepared {
  readonly path: string;
  /** The temporary file with the new contents. */
  readonly beside?: string;
  /** What was there; undefined for a new file. */
  readonly before: Before | undefined;
}

type Before = { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: number } | { readonly kind: "link"; readonly to: string };

/** The names of temporary files: hidden, so that no store takes them for policies or schemas. */
const besideName = /^\.authz-[\da-f]{16}\.new$/;

/** Makes the changes. Rejects with a refusal when one of them fails; then nothing has been changed. */
export async function writeFiles(root: string, changes: readonly FileChange[]): Promise<void> {
  const prepared: Prepared[] = [];
  const done: Prepared[] = [];
  let at = "";
  try {
    for (const [folder, path] of foldersOf(root, changes)) {
      at = path;
      await refuseOutside(root, folder, path);
    }
    const written = changes.filter(({ text }) => text !== undefined);
    for (const [folder, path] of foldersOf(root, written)) {
      at = path;
      await mkdir(folder, { recursive: true });
    }
    at = "";
    await eachOf(changes, async (change) => {
      const file = await prepare(root, change).catch((error: unknown) => {
        at ||= change.path;
        throw error;
      });
      if (file.beside !== undefined || file.before !== undefined) prepared.push(file);
    });
    for (const file of prepared) {
      at = file.path;
      const path = join(root, file.path);
      if (file.before === undefined) await refuseOccupied(path, file.path);
      if (file.beside === undefined) await rm(path, { force: true });
      else await rename(file.beside, path);
      done.push(file);
    }
    for (const folder of new Set(prepared.map(({ path }) => dirname(join(root, path))))) {
      await removeStaleTemporaryFiles(folder, besideName);
      await syncFolder(folder);
    }
  } catch (error) {
    await undo(root, done);
    for (const { beside } of prepared) if (beside !== undefined) await rm(beside, { force: true });
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new UnwrittenError(`the file \`${at}\` cannot be written: ${reasons[code] ?? code}`, unusable.has(code));
  }
}

/** The refusal when one of the files could not be written, and nothing was changed. */
export class UnwrittenError extends Error {
  override readonly name = "Refusal";
  /** Whether the file name itself is impossible, so that another one should be chosen. */
  readonly isNameUnusable: boolean;

  constructor(message: string, isNameUnusable: boolean) {
    super(message);
    this.isNameUnusable = isNameUnusable;
  }
}

/**
 * How many files are written in parallel: a disk flushes several together. Node has four threads for file operations, and one is left
 * for others, such as audit files.
 */
const atOnce = 3;

/**
 * Runs `act` on each element, a few in parallel. After the first failure no further one is started; the promise settles once all have
 * ended.
 */
async function eachOf<T>(elements: readonly T[], act: (element: T) => Promise<void>): Promise<void> {
  const left = elements.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const element of left) {
      if (failures.length > 0) return;
      await act(element).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
}

async function prepare(root: string, { path, text }: FileChange): Promise<Prepared> {
  const target = join(root, path);
  const before = await beforeOf(target);
  if (text === undefined) return { path, before };
  const mode = before === undefined ? undefined : (await stat(target)).mode & 0o777;
  return { path, beside: await writeBeside(target, text, mode), before };
}

/** Reads what is at a path, so that it can be restored; undefined when there is nothing to read. */
async function beforeOf(target: string): Promise<Before | undefined> {
  try {
    const bytes = await readFile(target);
    const found = await lstat(target);
    return found.isSymbolicLink() ? { kind: "link", to: await readlink(target) } : { kind: "file", bytes, mode: found.mode & 0o777 };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const nameBeside = (target: string): string => join(dirname(target), `.authz-${randomBytes(8).toString("hex")}.new`);

/** Writes a temporary file, to be renamed to a path, with exactly this mode, or with that of a new file; returns its path. */
async function writeBeside(target: string, content: string | Uint8Array, mode: number | undefined): Promise<string> {
  const beside = nameBeside(target);
  const file = await open(beside, "wx", mode ?? 0o666);
  try {
    try {
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return beside;
}

/** Throws a refusal when the directory of a file is reached through a link, which could lead outside the root. */
export async function refuseBehindLinks(root: string, changes: readonly FileChange[]): Promise<void> {
  for (const [folder, path] of foldersOf(root, changes)) await refuseOutside(root, folder, path);
}

/** Returns the directories of files, each with the first of its files. */
const foldersOf = (root: string, changes: readonly FileChange[]): ReadonlyMap<string, string> =>
  new Map(changes.toReversed().map(({ path }) => [dirname(join(root, path)), path]));

async function refuseOutside(root: string, folder: string, path: string): Promise<void> {
  const isThere = await lstat(folder).then(
    () => true,
    (error: unknown) => {
      // The parent may be a file; creating the directory reports that.
      if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
      throw error;
    },
  );
  if (!isThere) return refuseOutside(root, dirname(folder), path);
  if ((await realpath(folder)) !== join(await realpath(root), folder.slice(root.length)))
    throw new UnwrittenError(`the file \`${path}\` would lie behind a link, and links to folders are not followed`, true);
}

/**
 * Throws a refusal when there is a file where a new one goes: somebody else's, or one of the same batch, where the file system takes two
 * names for one. A folder is reported by renaming.
 */
async function refuseOccupied(target: string, path: string): Promise<void> {
  const found = await stat(target).catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
  if (found !== undefined && !found.isDirectory()) throw new UnwrittenError(`the file \`${path}\` cannot be written: ${occupied}`, true);
}

const occupied = "another is there since, perhaps by a name that the file system takes for the same";

/** Restores what was there. Failures are ignored, because nothing else can be done; the next reading shows what is there. */
async function undo(root: string, done: readonly Prepared[]): Promise<void> {
  for (const { path, before } of done.toReversed()) await restore(join(root, path), before).catch(() => undefined);
}

/** Restores atomically, like every change: whoever reads the file meanwhile must not find half of it. */
async function restore(target: string, before: Before | undefined): Promise<void> {
  if (before === undefined) return rm(target, { force: true });
  const beside = before.kind === "file" ? await writeBeside(target, before.bytes, before.mode) : nameBeside(target);
  try {
    if (before.kind === "link") await symlink(before.to, beside);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Where directories cannot be synced, as on some network file systems, the files themselves have been: their names may be lost by a crash. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!unsupported.has(codeOf(error) ?? "")) throw error;
  }
}

/** What systems say that cannot open or sync a directory at all; a failure of the disk is none of these. */
const unsupported: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EBADF", "EISDIR", "EPERM", "EACCES"]);

const reasons: { readonly [code: string]: string } = {
  EACCES: "the server may not write there (EACCES)",
  EPERM: "the server may not write there (EPERM)",
  EROFS: "the file system is read-only (EROFS)",
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the disk quota is used up (EDQUOT)",
  ENAMETOOLONG: "its name is too long (ENAMETOOLONG)",
  EISDIR: "a folder of that name is there (EISDIR)",
  ENOTDIR: "a file stands where its folder would have to be (ENOTDIR)",
  EEXIST: "a file stands where its folder would have to be (EEXIST)",
};
const unusable: ReadonlySet<string> = new Set(["EISDIR", "ENOTDIR", "EEXIST", "ENAMETOOLONG"]);
