/** Writes a text to standard output completely or fails: Node silently drops the rest after a partial write to a file, as on a full disk. */
import { fstatSync, writeFileSync } from "node:fs";

const descriptor = 1;
const isFile = isRegular();

/** Writes a text; what cannot be written is an error of `process.stdout`. */
export function writeStandardOutput(text: string): void {
  if (!isFile) return void process.stdout.write(text);
  try {
    writeFileSync(descriptor, text);
  } catch (error) {
    process.nextTick(() => process.stdout.emit("error", error));
  }
}

function isRegular(): boolean {
  try {
    // In numbers of any size: those of usual size are kept where Node looks for the last file that it resolved, and a pipe among
    // them would end its search for where a linked package really is.
    return fstatSync(descriptor, { bigint: true }).isFile();
  } catch {
    return false; // closed by whoever started us
  }
}
