/** A repository that is not here: what each way to reach one must do. */
import { nearest } from "../../../compiler/nearest.ts";
import { refusal } from "../../refusal.ts";
import { isObjectId, type ObjectReader } from "./object.ts";

/** A repository elsewhere. */
export interface Remote {
  /** Asks for the newest commit of the branch. Rejects, with a refusal, when there is no answer. */
  readonly open: (signal: AbortSignal) => Promise<Exchange>;
}

/** A commit that is here, and what is here of it. */
export interface Have {
  readonly commit: string;
  readonly read: ObjectReader;
}

/** A repository that has answered. */
export interface Exchange {
  /** The newest commit of the branch. */
  readonly commit: string;
  /** Fetches that commit, without its history and perhaps without what also belongs to one that is here. Asked at most once. */
  readonly objects: (have: Have | undefined) => Promise<ObjectReader>;
  /** Nothing is fetched beforehand: each object is read when it is asked for. */
  readonly isNear: boolean;
  readonly close: () => Promise<void>;
}

/** A pack may have so many bytes. */
export const largestPack = 256 * 1024 * 1024;

/** Returns the commit that a branch is at; `names` are all branches, for the sake of what was meant. */
export function commitOf(branch: string, id: string | undefined, names: readonly string[]): string {
  if (id !== undefined && isObjectId(id)) return id;
  if (id !== undefined) throw refusal("the server does not speak the git protocol");
  if (names.length === 0) throw refusal(`it is empty: there is no branch \`${branch}\``);
  const near = nearest(branch, [...names]) ?? (names.length === 1 ? names[0] : undefined);
  throw refusal(`it has no branch \`${branch}\` (setting storage.git.branch)${near === undefined ? "" : `: did you mean \`${near}\`?`}`);
}

/** Names of branches among refs. */
export const branchesIn = (refs: Iterable<string>): readonly string[] =>
  [...refs].filter((ref) => ref.startsWith(heads)).map((ref) => ref.slice(heads.length));

/** What the refs of branches begin with. */
export const heads = "refs/heads/";
