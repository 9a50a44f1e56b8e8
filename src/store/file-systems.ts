/** What the kernel itself knows of changes on a file system, by its number of statfs(2): others are those of another machine, those that a program answers for, and those that take the time of a change from whoever made it. */
import { statfsSync } from "node:fs";

/**
 * The kernel stamps each change of a file, whoever makes it, with the clock of this machine, and tells those who watch: not of what
 * is written through a mapping or by another name of the file, which is found by comparing.
 */
const local: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0x01021994, // tmpfs
]);

/** What lies below it is not told. */
const overlay = 0x794c7630;

/** Are the times of changes those of the kernel? Throws where nothing is. */
export function isStamping(path: string): boolean {
  const { type } = statfsSync(path);
  return type === overlay || local.has(type);
}

/** Is who watches a file or a folder told of each change? */
export function isTold(path: string): boolean {
  try {
    return local.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
