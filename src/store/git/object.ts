/** Objects of git: what they are, what they are called, and what commits and trees say. */
import { createHash } from "node:crypto";
import { refusal } from "../../refusal.ts";

/** The kinds of objects. */
export const objectKinds = ["commit", "tree", "blob", "tag"] as const;

/** One of them. */
export type ObjectKind = (typeof objectKinds)[number];

/** An object's content. */
export interface GitObject {
  readonly kind: ObjectKind;
  readonly content: Buffer;
}

/** Finds objects by their ids; undefined where there is none. What it returns has this id: whoever made it has checked. */
export type ObjectReader = (id: string) => Promise<GitObject | undefined>;

/** No object may be larger, in bytes: neither what is fetched nor what is kept. */
export const largestObject = 64 * 1024 * 1024;

/** Returns an error that says that something which belongs to a commit is not there. */
export function missingObject(id: string): Error {
  const error = new Error(`the object ${id} is missing`);
  error.name = "MissingObject";
  return error;
}

/** Tells it from other errors. */
export const isMissingObject = (error: unknown): error is Error => error instanceof Error && error.name === "MissingObject";

/** Is this the id of an object? */
export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** Returns the id of an object: whatever was changed on the way has another. */
export const idOf = ({ kind, content }: GitObject): string =>
  createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex");

/** Returns the id of a commit's tree. */
export function treeOf(commit: GitObject, id: string): string {
  const [, tree] = /^tree ([0-9a-f]{40})\n/.exec(commit.content.toString("latin1", 0, 46)) ?? [];
  if (commit.kind !== "commit" || tree === undefined) throw refusal(`the object ${id} is not a commit`);
  return tree;
}

/** What a folder holds under one name. */
export interface TreeEntry {
  readonly name: string;
  /** The name is not UTF-8, and `name` is as near as it comes. */
  readonly isGarbled: boolean;
  readonly kind: "folder" | "file" | "link" | "submodule";
  readonly id: string;
}

const entryKinds: { readonly [mode: string]: TreeEntry["kind"] } = {
  "40000": "folder",
  "100644": "file",
  "100755": "file",
  "100664": "file",
  "120000": "link",
  "160000": "submodule",
};

/** Reads a tree. */
export function entriesOf(tree: GitObject, id: string): readonly TreeEntry[] {
  if (tree.kind !== "tree") throw refusal(`the object ${id} is not a tree`);
  const { content } = tree;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const kind = space === -1 ? undefined : entryKinds[content.toString("latin1", at, space).replace(/^0+/, "")];
    const bytes = content.subarray(space + 1, end);
    const name = bytes.toString("utf8");
    if (kind === undefined || end === -1 || end + 21 > content.length || isNoName(name))
      throw refusal(`the tree ${id} is not a valid tree`);
    entries.push({ name, isGarbled: !Buffer.from(name).equals(bytes), kind, id: content.toString("hex", end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}

const isNoName = (name: string): boolean => name === "" || name === "." || name === ".." || name.includes("/");
