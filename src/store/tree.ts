/** A folder of policies and schemas as it lies on the disk: which files there are, and a stamp that changes when a file's text may have. */
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMisplacedSchemas, isPolicyPath } from "../../compiler/policy/paths.ts";
import { codeOf } from "../refusal.ts";
import { isSchemaPath } from "./schema-paths.ts";

/** Path relative to the root (`/` between segments) -> stamp. */
export type Tree = ReadonlyMap<string, string>;

/** The stamp of a folder of schemas that lies where none may; its path ends with a slash. */
export const misplaced = "misplaced";

/** Lists the policy and schema files below a root. A link to a file counts as the file; a link to a folder is not followed, so no walk can be endless. */
export async function listTree(root: string): Promise<Tree> {
  const tree = new Map<string, string>();
  await listInto(tree, root, "", true);
  return tree;
}

/** A folder to list again: its own files, or `deep` everything below it. */
export interface Touched {
  readonly folder: string;
  readonly deep: boolean;
}

/** Lists again only what was touched, taking the rest from an earlier tree. */
export async function relist(root: string, earlier: Tree, touched: readonly Touched[]): Promise<Tree> {
  const listedAgain = (path: string): boolean =>
    touched.some(({ folder, deep }) => (deep ? folder === "" || path.startsWith(`${folder}/`) : folderOf(path) === folder));
  const tree = new Map([...earlier].filter(([path]) => !listedAgain(path)));
  for (const { folder, deep } of touched) if (!(await isBehindLink(root, folder))) await listInto(tree, root, folder, deep);
  return tree;
}

/** A watcher follows links to folders, the walk does not: what was touched behind one must not be policies until the next walk. */
async function isBehindLink(root: string, folder: string): Promise<boolean> {
  if (folder === "") return false;
  try {
    return (await realpath(join(root, folder))) !== join(await realpath(root), folder);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Returns the folder of a path; "" is the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Would files in this folder be policies or schemas? */
function isRead(folder: string): boolean {
  return folder === "" || isPolicyPath(`${folder}/policy.yaml`) || isSchemaPath(`${folder}/schema.json`);
}

async function listInto(tree: Map<string, string>, root: string, folder: string, deep: boolean): Promise<void> {
  if (isMisplacedSchemas(folder)) {
    if ((await stampOf(join(root, folder), "folder")) !== undefined) tree.set(`${folder}/`, misplaced);
    return;
  }
  if (!isRead(folder)) return;
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (folder !== "" && isGone(error)) return []; // removed while we walked
    throw error;
  });
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (deep) await listInto(tree, root, path, true);
    } else if ((entry.isFile() || entry.isSymbolicLink()) && (isPolicyPath(path) || isSchemaPath(path))) {
      const stamp = await stampOf(join(root, path));
      if (stamp !== undefined) tree.set(path, stamp);
    }
  }
}

/** Returns what changes when the text of a file may have changed; undefined when there is no such file. */
export async function stampOf(path: string, kind: "file" | "folder" = "file"): Promise<string | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    return (kind === "file" ? found.isFile() : found.isDirectory())
      ? `${found.ino}.${found.size}.${found.mtimeNs}.${found.ctimeNs}`
      : undefined;
  } catch (error) {
    if (isGone(error)) return undefined; // removed meanwhile, or a link to nothing
    return "unreadable";
  }
}

/** Is the error that something does not exist (any more)? */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP";
}
