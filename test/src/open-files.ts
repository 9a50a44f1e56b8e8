/** What a folder is still used by: files that are held open, and processes that are told of it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The files of a folder that this process holds open, in whichever of its threads. */
export const openFilesIn = (folder: string): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((descriptor) => mentions(() => readlinkSync(`/proc/self/fd/${descriptor}`), folder));

/** The command lines of other processes that name a folder. */
export const processesUsing = (folder: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((id) => mentions(() => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "), folder));

function mentions(read: () => string, folder: string): readonly string[] {
  try {
    const text = read();
    return text.includes(folder) ? [text] : [];
  } catch {
    return []; // gone since it was listed
  }
}
