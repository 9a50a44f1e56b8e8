/**
 * Writes a string to standard output completely or fails: Node silently drops the rest after a partial write to a file, as on a full
 * disk.
 */
import { fstatSync, writeFileSync } from "node:fs";

const descriptor = 1;
const isFile = isRegular();

/** Writes a string; a failure is emitted as an error of `process.stdout`. */
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
    // With bigint, because the normal variant stores its result in a buffer that Node's module resolver shares, and a pipe in it would
    // stop the resolution of linked packages.
    return fstatSync(descriptor, { bigint: true }).isFile();
  } catch {
    return false; // closed by the parent process
  }
}
