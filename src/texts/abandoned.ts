/** Removes temporary files whose writer died before it could rename them into place. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** So old, what is being written has no writer any more: milliseconds. */
const abandonedAfter = 60_000;

/** Removes the files of a folder that have such a name and no writer any more. What cannot be removed stays, until the next write. */
export async function removeAbandoned(folder: string, name: RegExp): Promise<void> {
  const oldest = Date.now() - abandonedAfter;
  for (const found of (await readdir(folder).catch(() => [])).filter((one) => name.test(one))) {
    const path = join(folder, found);
    const writtenAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
    if (writtenAt < oldest) await rm(path, { force: true }).catch(() => undefined);
  }
}
