/** Lists the policies and schemas in a folder of a commit, by the ids of their contents. */
import { isMisplacedSchemas, isPolicyPath } from "../../../compiler/policy/paths.ts";
import { misplacedSchemas } from "../../../compiler/policy/misplaced-schemas.ts";
import { refusal } from "../../refusal.ts";
import { isSchemaPath } from "../schema-paths.ts";
import type { Unreadable } from "../store.ts";
import { entriesOf, missingObject, treeOf, type GitObject, type ObjectReader, type TreeEntry } from "./object.ts";

/** The contents of the folder. */
export interface Listing {
  /** The ids of the files, by path relative to the folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Entries that are named like a policy or schema but are none. */
  readonly unreadable: readonly Unreadable[];
  /** The ids of the commit and of the trees on the way. */
  readonly skeleton: readonly string[];
  /** The folders by path, so that an unchanged one is not read again. */
  readonly folders: ReadonlyMap<string, Folder>;
}

/** A folder. */
interface Folder {
  readonly id: string;
  readonly files: readonly (readonly [path: string, id: string])[];
  readonly unreadable: readonly Unreadable[];
  readonly below: readonly (readonly [path: string, folder: Folder])[];
}

/** Returns an object; throws when it is missing. */
export async function need(read: ObjectReader, id: string): Promise<GitObject> {
  const object = await read(id);
  if (object === undefined) throw missingObject(id);
  return object;
}

/** The most entries that are visited: a tree can contain the same tree repeatedly. */
const maxEntries = 1_000_000;
const deepest = 128;

/** Lists a folder of a commit ("" is the root). Folders that are unchanged from an earlier listing are not read. */
export async function listCommit(read: ObjectReader, commit: string, folder: string, before?: Listing): Promise<Listing> {
  const way: string[] = [commit];
  let seen = 0;

  const entriesIn = async (id: string): Promise<readonly TreeEntry[]> => entriesOf(await need(read, id), id);
  const walk = async (id: string, above: string, depth: number): Promise<Folder> => {
    const known = before?.folders.get(above);
    if (known?.id === id) return known;
    if (depth > deepest) throw refusal(`the folders of the commit ${commit} are nested more than ${deepest} deep`);
    const files: (readonly [string, string])[] = [];
    const unreadable: Unreadable[] = [];
    const below: (readonly [string, Folder])[] = [];
    for (const entry of await entriesIn(id)) {
      const path = above === "" ? entry.name : `${above}/${entry.name}`;
      if (++seen > maxEntries) throw refusal(`the commit ${commit} has more than ${maxEntries} files and folders`);
      if (entry.kind === "folder") {
        if (isMisplacedSchemas(path)) unreadable.push({ path, message: misplacedSchemas(path).message });
        else if (isPolicyPath(`${path}/policy.yaml`) || isSchemaPath(`${path}/schema.json`))
          below.push([path, await walk(entry.id, path, depth + 1)]);
      } else if (entry.kind !== "submodule" && (isPolicyPath(path) || isSchemaPath(path))) {
        if (entry.isGarbled) unreadable.push({ path, message: "the file's name is not UTF-8 text" });
        else if (entry.kind === "link")
          unreadable.push({ path, message: "it is a symbolic link, and in a git repository they are not followed" });
        else files.push([path, entry.id]);
      }
    }
    return { id, files, unreadable, below };
  };

  let tree = treeOf(await need(read, commit), commit);
  for (const segment of folder.split("/").filter((one) => one !== "" && one !== ".")) {
    way.push(tree);
    const found = (await entriesIn(tree)).find(({ name }) => name === segment);
    if (found?.kind !== "folder") {
      const why = found === undefined ? "does not have the folder" : "has something that is not a folder as";
      throw refusal(`the commit ${commit} ${why} \`${folder}\` (setting storage.git.subDir)`);
    }
    tree = found.id;
  }
  return listingOf(await walk(tree, "", 0), way);
}

function listingOf(root: Folder, way: readonly string[]): Listing {
  const files = new Map<string, string>();
  const folders = new Map<string, Folder>();
  const unreadable: Unreadable[] = [];
  const skeleton = [...way];
  const add = (path: string, folder: Folder): void => {
    folders.set(path, folder);
    skeleton.push(folder.id);
    unreadable.push(...folder.unreadable);
    for (const [file, id] of folder.files) files.set(file, id);
    for (const [child, inside] of folder.below) add(child, inside);
  };
  add("", root);
  return { files, unreadable, skeleton, folders };
}
