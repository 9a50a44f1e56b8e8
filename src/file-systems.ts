/**
 * Knows on which file systems the kernel reports and stamps every change, and answers from memory, by their statfs(2) numbers. On others
 * (network, FUSE, or with time stamps by the writer) it may not.
 */
import { statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";

/**
 * Local file systems: the kernel stamps every change with this machine's clock, and reports it to watchers. Exceptions are writes
 * through memory mappings and through other hard links, which comparisons find.
 */
const local: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0x01021994, // tmpfs
]);

/** overlayfs: changes in its lower layers are not reported. */
const overlay = 0x794c7630;

const isLocal = ({ type }: { readonly type: number }): boolean => type === overlay || local.has(type);

/** Returns whether the kernel stamps changes at a path; throws when the path does not exist. */
export function isStamping(path: string): boolean {
  return isLocal(statfsSync(path));
}

/**
 * Resolves to whether `fstat` of an open file at a path reads memory alone, so that it can be called without a thread of its own. False
 * when that cannot be found out.
 */
export async function answersFromMemory(path: string): Promise<boolean> {
  try {
    return isLocal(await statfs(path));
  } catch {
    return false;
  }
}

/** Returns whether a watcher of a path is notified of every change. */
export function reportsEveryChange(path: string): boolean {
  try {
    return local.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
