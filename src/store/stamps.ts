/** Detects whether a directory has changed without reading its files, by size, times, inode and device of each, like git's index. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isStamping } from "../file-systems.ts";
import { isSchemaPath } from "./schema-paths.ts";
import { fileBelow, forEachEntry, type Stamp } from "./tree.ts";

/** The stamps of all files of a directory at one moment. */
export interface FolderStamps {
  /** The digest of all paths with their stamps. */
  readonly digest: string;
  /** When listing began: milliseconds since 1970. */
  readonly taken: number;
}

/** The stamps of a directory, combined and by path. */
export interface ListedFolder {
  readonly stamps: FolderStamps;
  readonly entries: Iterable<readonly [path: string, stamp: Stamp]>;
}

/**
 * In milliseconds. A file that changed this shortly before its stamp was taken could change again without a new stamp: file system
 * clocks advance in steps of up to a second. This is twice that.
 */
const clearlyOlder = 2000;

/** Lists a directory, with or without its schemas; undefined where stamps are not reliable. */
export function listStamps(root: string, withSchemas: boolean): ListedFolder | undefined {
  try {
    const taken = Date.now();
    const entries: (readonly [path: string, stamp: Stamp])[] = [];
    const put = (path: string, stamp: Stamp): void => void entries.push([path, stamp]);
    forEachEntry(root, put, (folder) => !withSchemas && isSchemaPath(`${folder}/x.json`));
    const stamps = stampsOf(root, entries, taken, withSchemas);
    return stamps && { stamps, entries };
  } catch {
    return undefined; // Reading it reports the error.
  }
}

/** Returns the combined stamps of files that were listed from the time `taken` on; undefined where they are not reliable. */
export function stampsOf(
  root: string,
  entries: Iterable<readonly [path: string, stamp: Stamp]>,
  taken: number,
  withSchemas: boolean,
): FolderStamps | undefined {
  const run = bootId();
  if (run === undefined) return undefined;
  const devices = new Set<number>();
  const told: (readonly [path: string, stamp: FileStamp])[] = [];
  for (const [path, stamp] of entries) {
    if (!withSchemas && isSchemaPath(path)) continue;
    if (stamp.kind !== "file" || !isReliable(stamp, taken)) return undefined;
    if (!devices.has(stamp.device) && !isStamping(fileBelow(root, path))) return undefined;
    devices.add(stamp.device);
    told.push([path, stamp]);
  }
  told.sort(([left], [right]) => (left < right ? -1 : 1));
  // Hashed as binary, because printing the numbers would cost more than stat did.
  const numbers = new Float64Array(told.length * 5);
  let at = 0;
  for (const [, { size, modified, changed, inode, device }] of told)
    for (const number of [size, modified, changed, inode, device]) numbers[at++] = number;
  // Paths contain no NUL, and the number of values follows from the number of paths, so the hashed data is unambiguous.
  const paths = told.map(([path]) => path).join("\0");
  const hash = createHash("sha256").update(`${run}\0${withSchemas}\0${told.length}\0${paths}\0`).update(numbers);
  return { digest: hash.digest("hex"), taken };
}

type FileStamp = Extract<Stamp, { kind: "file" }>;

/**
 * Returns whether two listings are equal. If the clock was set back in between, they count as different, because a later change may
 * have an earlier time.
 */
export const areSameStamps = (earlier: FolderStamps, now: FolderStamps): boolean =>
  earlier.digest === now.digest && earlier.taken <= now.taken;

/** Returns whether a stamp is reliable. File systems without inodes or change times report 0. */
function isReliable({ inode, modified, changed }: FileStamp, taken: number): boolean {
  return inode > 0 && changed > 0 && Math.max(modified, changed) < taken - clearlyOlder;
}

/**
 * Returns the boot id; undefined where the kernel has none. Stamps are only compared within one boot: across reboots the clock may be
 * wrong, the disk may be changed elsewhere, and the last writes may have lost their times.
 */
function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  } catch {
    return undefined;
  }
}
