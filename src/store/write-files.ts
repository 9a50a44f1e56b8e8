/** Writes several files below a folder at once: each is replaced whole, and when one cannot be, those before it get their old text back. */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../refusal.ts";
import { removeAbandoned } from "../texts/abandoned.ts";
import { isGone } from "./tree.ts";

/** A file, by its path below the root (`/` between segments), and its new text; none: it is removed. */
export interface FileChange {
  readonly path: string;
  readonly text?: string;
}

interface Prepared {
  readonly path: string;
  /** Where the new text lies until all of them do. */
  readonly beside?: string;
  /** What was there; undefined for a file that is new. */
  readonly before: Uint8Array | undefined;
}

/** How a new text is called until it is in its place: hidden, so that no store takes it for a policy or a schema. */
const besideName = /^\.authz-[\da-f]{16}\.new$/;

/** Makes the changes. Rejects with a refusal when nothing was changed, because of one of them. */
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
      await removeAbandoned(folder, besideName);
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

/** A refusal: nothing was changed, because of one of the files. */
export class UnwrittenError extends Error {
  override readonly name = "Refusal";
  /** No file can have that name there: whoever chose it can choose another one. */
  readonly isNameUnusable: boolean;

  constructor(message: string, isNameUnusable: boolean) {
    super(message);
    this.isNameUnusable = isNameUnusable;
  }
}

/**
 * So many files are written at once: a disk that is asked to keep several makes one effort of it. Node has four threads for
 * files, and one of them is for the files of others, such as audit files.
 */
const atOnce = 3;

/** Does something with each; after the first that fails nothing more is begun, and nothing goes on any more when that is told. */
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
    if (isGone(error)) return undefined;
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

/** A link must not lead a write out of the folder: throws a refusal when the folder of one of the files lies behind one. */
export async function refuseBehindLinks(root: string, changes: readonly FileChange[]): Promise<void> {
  for (const [folder, path] of foldersOf(root, changes)) await refuseOutside(root, folder, path);
}

/** The folders in which files lie, each with the first of them. */
const foldersOf = (root: string, changes: readonly FileChange[]): ReadonlyMap<string, string> =>
  new Map(changes.toReversed().map(({ path }) => [dirname(join(root, path)), path]));

async function refuseOutside(root: string, folder: string, path: string): Promise<void> {
  const isThere = await lstat(folder).then(
    () => true,
    (error: unknown) => {
      // Below a file nothing is: whoever makes the folder says so.
      if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
      throw error;
    },
  );
  if (!isThere) return refuseOutside(root, dirname(folder), path);
  if ((await realpath(folder)) !== join(await realpath(root), folder.slice(root.length)))
    throw new UnwrittenError(`the file \`${path}\` would lie behind a link, and links to folders are not followed`, true);
}

/** Nothing else can be done when even this fails: the next reading shows what is there. */
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
