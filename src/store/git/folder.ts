/** A repository in a local directory, read without the git command; nothing is written. */
import * as fs from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { codeOf, refusal } from "../../refusal.ts";
import { idOf, isObjectId, objectKinds, type ObjectReader } from "./object.ts";
import { commitOf, heads, type Remote } from "./remote.ts";

/** The repository and its branch. */
export interface FolderRemoteOptions {
  readonly path: string;
  readonly branch: string;
}

/** Creates a remote; nothing is read yet. */
export function folderRemote({ path, branch }: FolderRemoteOptions): Remote {
  return {
    open: async () => {
      // Imported on demand: only this kind of repository needs it.
      const git = await import("isomorphic-git");
      const gitdir = await findRepository(path);
      const id = await git.resolveRef({ fs, gitdir, ref: heads + branch }).catch(() => undefined);
      const commit = commitOf(branch, id, id === undefined ? await git.listBranches({ fs, gitdir }) : []);
      const places = [gitdir, ...(await alternatesOf(gitdir))];
      // A new cache for each reading: it would go stale, and never be freed.
      const cache = {};
      const read: ObjectReader = async (wanted) => {
        for (const place of places) {
          const found = await git.readObject({ fs, gitdir: place, oid: wanted, format: "content", cache }).catch(() => undefined);
          const kind = objectKinds.find((one) => one === found?.type);
          if (found === undefined || kind === undefined || !(found.object instanceof Uint8Array)) continue;
          const object = { kind, content: Buffer.from(found.object) };
          if (idOf(object) === wanted) return object;
        }
        if (await isPartial(places)) throw refusal(partial(wanted));
        return undefined;
      };
      return { commit, isNear: true, objects: async () => read, close: async () => undefined };
    },
  };
}

/** Finds the git directory: the directory itself, its `.git`, or the target of a file `.git`. */
async function findRepository(path: string): Promise<string> {
  const root = resolve(path);
  for (const folder of [join(root, ".git"), root]) if (await isRepository(folder)) return folder;
  const link = await readFile(join(root, ".git"), "utf8").catch(() => "");
  const [, target] = /^gitdir: (.+)$/m.exec(link) ?? [];
  if (target !== undefined) {
    const folder = resolve(root, target);
    const common = await readFile(join(folder, "commondir"), "utf8").catch(() => "");
    const place = resolve(folder, common.trim());
    if (await isRepository(place)) return place;
  }
  const why = await whyNoRepository(root);
  throw refusal(`the folder ${why} (setting storage.git.url)`);
}

/** Returns why there is no repository. A permission error is distinguished, because it is fixed differently. */
async function whyNoRepository(root: string): Promise<string> {
  const readings = [readdir(root), readFile(join(root, ".git", "HEAD")), readFile(join(root, "HEAD"))];
  const codes = await Promise.all(readings.map((reading) => reading.then(() => undefined, codeOf)));
  if (codes[0] === "ENOENT") return "does not exist";
  const code = codes.find((one) => one !== undefined && one !== "ENOENT" && one !== "ENOTDIR");
  return code === undefined ? "is not a git repository" : `cannot be read (${code})`;
}

async function isRepository(folder: string): Promise<boolean> {
  const config = await readFile(join(folder, "config"), "utf8").catch(() => "");
  if (/^\s*objectformat\s*=(?!\s*sha1\s*$)/im.test(config))
    throw refusal("the repository's objects are not named by sha1: no other format is supported");
  if (/^\s*refstorage\s*=(?!\s*files\s*$)/im.test(config))
    throw refusal("the repository keeps its branches in a table, which is not supported");
  const head = await readFile(join(folder, "HEAD"), "utf8").catch(() => "");
  const hasObjects = await stat(join(folder, "objects")).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return hasObjects && (head.startsWith("ref: ") || isObjectId(head.trim()));
}

/** Returns whether one of the repositories is a partial clone: git marks the packs whose objects may refer to some that are elsewhere. */
async function isPartial(places: readonly string[]): Promise<boolean> {
  const packs = await Promise.all(places.map((place) => readdir(join(place, "objects", "pack")).catch(() => [])));
  return packs.flat().some((name) => name.endsWith(".promisor"));
}

const partial = (id: string): string =>
  `the folder is a partial clone, and the object ${id} has not been fetched to it: clone it without \`--filter\`, or name the repository that it was cloned from (setting storage.git.url)`;

/** How many steps the git command follows from one repository that borrows objects to the next. */
const longestBorrowing = 5;

/** Returns the other repositories whose objects this one borrows, directly or because they borrow too. */
async function alternatesOf(gitdir: string): Promise<readonly string[]> {
  const places = new Set<string>();
  let lenders: readonly string[] = [gitdir];
  for (let step = 0; step <= longestBorrowing; step++) {
    const next = await Promise.all(lenders.map(lendersOf));
    lenders = [...new Set(next.flat())].filter((place) => place !== gitdir && !places.has(place));
    for (const place of lenders) places.add(place);
  }
  return [...places];
}

async function lendersOf(gitdir: string): Promise<readonly string[]> {
  const text = await readFile(join(gitdir, "objects", "info", "alternates"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((one) => one !== "" && !one.startsWith("#"))
    .map((objects) => resolve(gitdir, "objects", objects, ".."));
}
