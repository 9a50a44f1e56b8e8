/** Policies and schemas in a folder. Reads again only what changed in size, time or inode. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import type { Source } from "../../compiler/source.ts";
import { codeOf, refusal } from "../refusal.ts";
import { policyFileName } from "./safe-names.ts";
import { belowSchemas, isSchemaPath, schemaPath } from "./schema-paths.ts";
import type { Batch, Changes, Store, Unreadable, Written } from "./store.ts";
import { isGone, listTree, misplaced, relist, stampOf, type Tree } from "./tree.ts";
import { watchFolder, type FolderWatcher } from "./watch.ts";
import { refuseBehindLink, writeFiles, type FileChange } from "./write-files.ts";

/** Which folder, and how it is watched. */
export interface DiskOptions {
  readonly directory: string;
  /** Policies and schemas cannot be changed through the program. */
  readonly readOnly?: boolean;
  /** How often the whole tree is compared while watching, because no watcher sees everything. */
  readonly pollMilliseconds?: number;
}

/** Opens a folder; nothing is read yet. */
export function openDiskStore(options: DiskOptions): Store {
  const root = resolve(options.directory);
  let tree: Tree = new Map();
  let compareAll = true;
  let wasGone = false;
  /** Path -> stamp and reason of files that could not be read. */
  const unreadable = new Map<string, Unreadable>();
  let watcher: FolderWatcher | undefined;

  const read = async (thorough = false): Promise<Changes> => {
    const touched = watcher?.takeTouched() ?? "everything";
    const all = thorough || compareAll || touched === "everything";
    compareAll = true; // until this reading is known to have worked
    const now = await list(options.directory, () => (all ? listTree(root) : relist(root, tree, touched))).catch((error: unknown) => {
      wasGone = true;
      throw error;
    });
    if (wasGone) await watcher?.restart();
    wasGone = false;
    const there = new Map(now);
    const changed: Source[] = [];
    const changedSchemas: Source[] = [];
    for (const [path, stamp] of now) {
      if (tree.get(path) === stamp && !unreadable.has(path)) continue;
      unreadable.delete(path);
      if (stamp === misplaced) {
        const folder = path.slice(0, -1);
        unreadable.set(path, { path: folder, message: misplacedSchemas(folder).message });
        continue;
      }
      const outcome = await readText(join(root, path));
      if (outcome === undefined) there.delete(path); // gone since it was listed
      else if (!("text" in outcome)) unreadable.set(path, { path, message: outcome.message });
      else if (isSchemaPath(path)) changedSchemas.push({ path: belowSchemas(path), text: outcome.text });
      else changed.push(sourceOf(path, outcome.text));
    }
    const gone = [...tree.keys()].filter((path) => !there.has(path));
    for (const path of gone) unreadable.delete(path);
    const removedSchemas = gone.filter(isSchemaPath).map(belowSchemas);
    const removed = gone.filter((path) => !isSchemaPath(path) && tree.get(path) !== misplaced);
    tree = there;
    compareAll = false;
    return { changed, removed, changedSchemas, removedSchemas, unreadable: [...unreadable.values()] };
  };

  const write = async (batch: Batch): Promise<Written> => {
    const changes: readonly FileChange[] = [
      ...batch.putPolicies.map(({ path, text }) => ({ path, text })),
      ...batch.putSchemas.map(({ path, text }) => ({ path: schemaPath(path), text })),
      ...[...batch.removePolicies, ...batch.removeSchemas.map(schemaPath)].map((path) => ({ path })),
    ];
    // Before anybody is suspected of having changed it: what lies behind a link was never read.
    for (const { path } of changes) await refuseBehindLink(root, path);
    for (const { path } of changes) if ((await stampOf(join(root, path))) !== tree.get(path)) return "stale";
    await writeFiles(root, changes);
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
    watch: (changed) => {
      watcher = watchFolder({ root, pollMilliseconds: options.pollMilliseconds ?? 10_000, changed });
    },
    close: async () => watcher?.close(),
  };
}

/** Bytes, on every file system in use. */
const longestFileName = 255;

const sourceOf = (path: string, text: string): Source => ({ path, text, attributes: { driver: "disk", source: path } });

async function list(directory: string, walk: () => Promise<Tree>): Promise<Tree> {
  try {
    return await walk();
  } catch (error) {
    const why =
      codeOf(error) === "ENOTDIR"
        ? "is not a directory"
        : isGone(error)
          ? "does not exist"
          : `cannot be read (${codeOf(error) ?? "unknown error"})`;
    throw refusal(`the policies directory \`${directory}\` ${why} (setting storage.disk.directory)`);
  }
}

/** Returns undefined when the file is gone. */
async function readText(path: string): Promise<{ readonly text: string } | { readonly message: string } | undefined> {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path)) };
  } catch (error) {
    if (isGone(error)) return undefined;
    if (error instanceof TypeError) return { message: "the file is not UTF-8 text" };
    return { message: `the file cannot be read (${codeOf(error) ?? "unknown error"})` };
  }
}
