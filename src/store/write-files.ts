/** Writes several files below a directory together: each is replaced atomically, and when one fails, those before it are restored. */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
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
  /** The old contents; undefined for a new file. */
  readonly before: Uint8Array | undefined;
}

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
  const folder = dirname(target);
  const before = await readFile(target).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (text === undefined) return { path, before };
  const beside = join(folder, `.authz-${randomBytes(8).toString("hex")}.new`);
  const mode = before === undefined ? 0o666 : (await stat(target)).mode & 0o777;
  const file = await open(beside, "wx", mode);
  try {
    try {
      if (before !== undefined) await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return { path, beside, before };
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

/** Restores the old contents. Failures are ignored, because nothing else can be done; the next reading shows what is there. */
async function undo(root: string, done: readonly Prepared[]): Promise<void> {
  for (const { path, before } of done.toReversed()) {
    const target = join(root, path);
    await (before === undefined ? rm(target, { force: true }) : writeFile(target, before)).catch(() => undefined);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

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
