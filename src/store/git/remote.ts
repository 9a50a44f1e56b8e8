/** The interface of remote repositories, which each transport implements. */
import { nearest } from "../../../compiler/nearest.ts";
import { refusal } from "../../refusal.ts";
import { isObjectId, type ObjectReader } from "./object.ts";

/** A remote repository. */
export interface Remote {
  /** Requests the newest commit of the branch. Rejects with a refusal when there is no answer. */
  readonly open: (signal: AbortSignal) => Promise<Exchange>;
}

/** The commit that is already in the local copy, and its objects. */
export interface Have {
  readonly commit: string;
  readonly read: ObjectReader;
}

/** An open exchange with a remote. */
export interface Exchange {
  /** The newest commit of the branch. */
  readonly commit: string;
  /** Fetches that commit without its history; objects that `have` contains may be left out. Called at most once. */
  readonly objects: (have: Have | undefined) => Promise<ObjectReader>;
  /** Whether objects are read on demand instead of being fetched. */
  readonly isNear: boolean;
  readonly close: () => Promise<void>;
}

/** The size limit of a pack in bytes. */
export const largestPack = 256 * 1024 * 1024;

/** Returns the commit of a branch; throws a refusal when there is none. `names` are all branches, for a suggestion. */
export function commitOf(branch: string, id: string | undefined, names: readonly string[]): string {
  if (id !== undefined && isObjectId(id)) return id;
  if (id !== undefined) throw refusal("the server does not speak the git protocol");
  if (names.length === 0) throw refusal(`it is empty: there is no branch \`${branch}\``);
  const near = nearest(branch, [...names]) ?? (names.length === 1 ? names[0] : undefined);
  throw refusal(`it has no branch \`${branch}\` (setting storage.git.branch)${near === undefined ? "" : `: did you mean \`${near}\`?`}`);
}

/** Returns the names of the branches among refs. */
export const branchesIn = (refs: Iterable<string>): readonly string[] =>
  [...refs].filter((ref) => ref.startsWith(heads)).map((ref) => ref.slice(heads.length));

/** The prefix of the refs of branches. */
export const heads = "refs/heads/";
