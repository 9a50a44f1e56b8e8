/** Git objects: their kinds and ids, and parsing of commits and trees. */
import { createHash } from "node:crypto";
import { refusal } from "../../refusal.ts";

/** The kinds of objects. */
export const objectKinds = ["commit", "tree", "blob", "tag"] as const;

/** One of the kinds. */
export type ObjectKind = (typeof objectKinds)[number];

/** An object. */
export interface GitObject {
  readonly kind: ObjectKind;
  readonly content: Buffer;
}

/** Reads an object by its id; undefined when it is missing. An implementation must have verified that the contents match the id. */
export type ObjectReader = (id: string) => Promise<GitObject | undefined>;

/** The size limit of an object in bytes, fetched or stored. */
export const largestObject = 64 * 1024 * 1024;

/** Returns the error for an object that a commit needs and that is missing. */
export function missingObject(id: string): Error {
  const error = new Error(`the object ${id} is missing`);
  error.name = "MissingObject";
  return error;
}

/** Returns whether an error is that one. */
export const isMissingObject = (error: unknown): error is Error => error instanceof Error && error.name === "MissingObject";

/** Returns whether a string is an object id. */
export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** Computes the id of an object, the SHA-1 of its header and contents. */
export const idOf = ({ kind, content }: GitObject): string =>
  createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex");

/** Returns the id of a commit's tree; throws a refusal when the object is no commit. */
export function treeOf(commit: GitObject, id: string): string {
  const [, tree] = /^tree ([0-9a-f]{40})\n/.exec(commit.content.toString("latin1", 0, 46)) ?? [];
  if (commit.kind !== "commit" || tree === undefined) throw refusal(`the object ${id} is not a commit`);
  return tree;
}

/** An entry of a tree. */
export interface TreeEntry {
  readonly name: string;
  /** Whether the name is not UTF-8; `name` is then decoded with replacement characters. */
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

/** Parses a tree; throws a refusal when the object is no tree. */
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
