/** Removes temporary files whose writer died before it could rename them into place. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** A temporary file older than this many milliseconds has no writer any more. */
const abandonedAfter = 60_000;

/** Removes the temporary files of a directory, by a pattern for their names. What cannot be removed is left for the next time. */
export async function removeStaleTemporaryFiles(folder: string, name: RegExp): Promise<void> {
  const oldest = Date.now() - abandonedAfter;
  for (const found of (await readdir(folder).catch(() => [])).filter((one) => name.test(one))) {
    const path = join(folder, found);
    const writtenAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
    if (writtenAt < oldest) await rm(path, { force: true }).catch(() => undefined);
  }
}
