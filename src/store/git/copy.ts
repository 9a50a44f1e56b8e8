/**
 * The local copy of a repository: a bare repository with loose objects, the newest commit, and the newest commit that compiled. It is
 * trusted no more than the remote.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { codeOf, isRefusal, refusal } from "../../refusal.ts";
import { makePrivateFolder, refuseUnlessPrivate } from "../private-folder.ts";
import {
  idOf,
  isMissingObject,
  isObjectId,
  largestObject,
  missingObject,
  objectKinds,
  type GitObject,
  type ObjectReader,
} from "./object.ts";
import { whyNotWritten } from "./copy-not-written.ts";

/**
 * The copy. Several processes of one user may share it, because objects are named by their hashes and files are replaced atomically.
 * All operations but `read` reject with a refusal when other users can write to its directory or the parent directory.
 */
export interface Copy {
  /** Returns an object; undefined when it is missing or its contents do not match its id. */
  readonly read: ObjectReader;
  /** Returns the commit that was fetched last; undefined when there is none. */
  readonly newest: () => Promise<string | undefined>;
  /** Returns the last commit that was accepted; undefined when there is none. */
  readonly accepted: () => Promise<string | undefined>;
  /** Records that a stored commit compiles and may be served. */
  readonly accept: (commit: string) => Promise<void>;
  /** Stores objects, and then the commit that they belong to. */
  readonly keep: (commit: string, objects: Iterable<string>, from: ObjectReader) => Promise<void>;
  /** Removes all other objects and temporary files, except recent ones, which another process may have just written. */
  readonly prune: (live: ReadonlySet<string>) => Promise<void>;
}

/** How many milliseconds an unneeded object is kept at least: another process that shares the copy may be about to use it. */
const grace = 600_000;

/** How many objects are written in parallel. */
const atOnce = 8;

const acceptedRef = join("refs", "heads", "accepted");

const [deflated, inflated] = [promisify(deflate), promisify(inflate)];

/** Opens the copy in a directory; nothing is read or created yet. */
export function openCopy(folder: string, graceMilliseconds = grace): Copy {
  const objects = join(folder, "objects");
  const placeOf = (id: string): string => join(objects, id.slice(0, 2), id.slice(2));

  const read: ObjectReader = async (id) => {
    // An object that cannot be read, for whatever reason, is fetched again.
    const packed = await readFile(placeOf(id)).catch(() => undefined);
    if (packed === undefined) return undefined;
    const object = await unpacked(packed).catch(() => undefined);
    if (object !== undefined && idOf(object) === id) return object;
    await rm(placeOf(id), { force: true }).catch(() => undefined); // a damaged file must not block the good one
    return undefined;
  };
  const put = async (id: string, { kind, content }: GitObject): Promise<void> => {
    const packed = await deflated(Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]), { level: 1, memLevel: 5 });
    await replace(placeOf(id), packed);
  };
  /** Whoever can write there decides what is served while the remote is unreachable. */
  const demandOwn = async (): Promise<void> => {
    for (const directory of [dirname(folder), folder])
      await refuseUnlessPrivate(directory).catch((error: unknown) => {
        if (isRefusal(error)) throw refusal(`${error.message}, or name a folder to be made (setting storage.git.checkoutDir)`);
        // Missing directories are reported by whoever reads or writes there.
      });
  };
  const commitIn = async (name: string): Promise<string | undefined> => {
    await demandOwn();
    const text = await readFile(join(folder, name), "latin1").catch(() => "");
    return isObjectId(text.trim()) ? text.trim() : undefined;
  };
  /** Makes the directory a valid shallow repository for the git command. */
  const noteShallow = async (...commits: readonly (string | undefined)[]): Promise<void> => {
    const lines = new Set(commits.filter((commit) => commit !== undefined));
    await replace(join(folder, "shallow"), Buffer.from([...lines].map((commit) => `${commit}\n`).join("")));
  };
  const explained = async (work: () => Promise<void>): Promise<void> => {
    await demandOwn();
    try {
      await makePrivateFolder(folder);
      await work();
    } catch (error) {
      if (isMissingObject(error) || isRefusal(error)) throw error;
      throw refusal(whyNotWritten(folder, codeOf(error)));
    }
  };
  return {
    read,
    newest: () => commitIn("HEAD"),
    accepted: () => commitIn(acceptedRef),
    accept: (commit) =>
      explained(async () => {
        await noteShallow(commit, await commitIn("HEAD"));
        await replace(join(folder, acceptedRef), Buffer.from(`${commit}\n`));
      }),
    keep: (commit, ids, from) =>
      explained(async () => {
        await mkdir(join(folder, "refs"), { recursive: true, mode: 0o700 });
        const left = ids[Symbol.iterator]();
        const keepThem = async (): Promise<void> => {
          for (const id of { [Symbol.iterator]: () => left }) {
            if ((await read(id)) !== undefined && (await freshened(placeOf(id)))) continue;
            const object = await from(id);
            if (object === undefined) throw missingObject(id);
            await put(id, object);
          }
        };
        await Promise.all(Array.from({ length: atOnce }, keepThem));
        await noteShallow(commit, await commitIn(acceptedRef));
        await replace(join(folder, "HEAD"), Buffer.from(`${commit}\n`));
      }),
    prune: async (live) => {
      await demandOwn();
      const oldest = Date.now() - graceMilliseconds;
      for (const below of await readdir(objects).catch(() => []))
        for (const name of await readdir(join(objects, below)).catch(() => [])) {
          const path = join(objects, below, name);
          if (!live.has(below + name)) await forgetOld(path, oldest);
        }
      for (const place of [folder, dirname(join(folder, acceptedRef))])
        for (const name of await readdir(place).catch(() => []))
          if (name.startsWith(halfWritten)) await forgetOld(join(place, name), oldest);
    },
  };
}

async function unpacked(packed: Buffer): Promise<GitObject | undefined> {
  const bytes = await inflated(packed, { maxOutputLength: largestObject + 64 });
  const end = bytes.indexOf(0);
  const kind = objectKinds.find((one) => bytes.toString("latin1", 0, end) === `${one} ${bytes.length - end - 1}`);
  return kind && { kind, content: bytes.subarray(end + 1) };
}

/** Updates the time of an object, so that it is not pruned; returns false when it is missing. */
async function freshened(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

async function forgetOld(path: string, oldest: number): Promise<void> {
  // Errors are ignored; the next pruning tries again.
  if (((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity) <= oldest) await rm(path, { force: true }).catch(() => undefined);
}

/** The name prefix of temporary files; a crash leaves them behind. */
const halfWritten = "new-";

async function replace(path: string, bytes: Buffer): Promise<void> {
  const besides = join(dirname(path), `${halfWritten}${randomBytes(6).toString("hex")}`);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(besides, bytes, { mode: 0o600 });
    await rename(besides, path);
  } catch (error) {
    await rm(besides, { force: true });
    throw error;
  }
}
