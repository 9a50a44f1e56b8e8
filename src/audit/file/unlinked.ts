/** Tells whether an open file has been unlinked: at once where the kernel knows it without asking a disk or another machine. */
import { fstatSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { fileStatus } from "./descriptor.ts";

/** The types of file systems (`statfs(2)`) that answer `fstat` from memory. */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x794c7630, // overlayfs
  0x01021994, // tmpfs
]);

/** Returns whether an open file has no name any more. */
export type IsUnlinked = (descriptor: number) => boolean | Promise<boolean>;

/**
 * Returns the test for files at a path. It is made after each batch of lines: where the answer may take long, a thread waits for it, which
 * costs more than the answer.
 */
export async function unlinkedTest(path: string): Promise<IsUnlinked> {
  const type = await statfs(path).then(
    (found) => found.type,
    () => undefined,
  );
  return type !== undefined && localTypes.has(type)
    ? (descriptor) => fstatSync(descriptor).nlink === 0
    : async (descriptor) => (await fileStatus(descriptor)).nlink === 0;
}
