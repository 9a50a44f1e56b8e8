/** Whether a folder holds what it held, told without reading its files: by the size, times, inode and device of each, as git's index does. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isStamping } from "./file-systems.ts";
import { isSchemaPath } from "./schema-paths.ts";
import { fileBelow, tellTree, type Stamp } from "./tree.ts";

/** The stamps of all files of a folder at one moment. */
export interface FolderStamps {
  /** Of every path with its stamp: the same only where none is different, more or missing. */
  readonly digest: string;
  /** Before any was taken: milliseconds since 1970. */
  readonly taken: number;
}

/** The stamps of a folder, and whose they are. */
export interface ListedFolder {
  readonly stamps: FolderStamps;
  readonly entries: Iterable<readonly [path: string, stamp: Stamp]>;
}

/**
 * A file that has changed so shortly before its stamp was taken could change once more and have the same: the clocks of
 * file systems go in steps, of a second at most on those below. In milliseconds, twice that.
 */
const clearlyOlder = 2000;

/** Lists a folder, with its schemas or without; undefined where only its texts tell whether it is the same. */
export function listStamps(root: string, withSchemas: boolean): ListedFolder | undefined {
  try {
    const taken = Date.now();
    const entries: (readonly [path: string, stamp: Stamp])[] = [];
    const put = (path: string, stamp: Stamp): void => void entries.push([path, stamp]);
    tellTree(root, put, (folder) => !withSchemas && isSchemaPath(`${folder}/x.json`));
    const stamps = stampsOf(root, entries, taken, withSchemas);
    return stamps && { stamps, entries };
  } catch {
    return undefined; // whoever reads it says why it cannot be
  }
}

/** Returns the stamps of files that were listed, the first of them at the time `taken`; undefined where they say too little. */
export function stampsOf(
  root: string,
  entries: Iterable<readonly [path: string, stamp: Stamp]>,
  taken: number,
  withSchemas: boolean,
): FolderStamps | undefined {
  const run = runOfMachine();
  if (run === undefined) return undefined;
  const devices = new Set<number>();
  const told: (readonly [path: string, stamp: FileStamp])[] = [];
  for (const [path, stamp] of entries) {
    if (!withSchemas && isSchemaPath(path)) continue;
    if (stamp.kind !== "file" || !isTelling(stamp, taken)) return undefined;
    if (!devices.has(stamp.device) && !isStamping(fileBelow(root, path))) return undefined;
    devices.add(stamp.device);
    told.push([path, stamp]);
  }
  told.sort(([left], [right]) => (left < right ? -1 : 1));
  // Printed, numbers would cost more than asking for them did.
  const numbers = new Float64Array(told.length * 5);
  let at = 0;
  for (const [, { size, modified, changed, inode, device }] of told)
    for (const number of [size, modified, changed, inode, device]) numbers[at++] = number;
  // No path holds a NUL, and there are as many numbers as paths say.
  const paths = told.map(([path]) => path).join("\0");
  const hash = createHash("sha256").update(`${run}\0${withSchemas}\0${told.length}\0${paths}\0`).update(numbers);
  return { digest: hash.digest("hex"), taken };
}

type FileStamp = Extract<Stamp, { kind: "file" }>;

/** Are the stamps those that were taken earlier? Not where the clock has been set back since: then a later change may bear an earlier time. */
export const areSameStamps = (earlier: FolderStamps, now: FolderStamps): boolean =>
  earlier.digest === now.digest && earlier.taken <= now.taken;

/** Where a file system has no inodes or no times of changes, it says 0. */
function isTelling({ inode, modified, changed }: FileStamp, taken: number): boolean {
  return inode > 0 && changed > 0 && Math.max(modified, changed) < taken - clearlyOlder;
}

/**
 * Between two starts of a machine its clock may be lost, its disk be changed elsewhere, and what was written last have kept
 * its text and not its time: each is another. Undefined where the kernel does not count them.
 */
function runOfMachine(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  } catch {
    return undefined;
  }
}
