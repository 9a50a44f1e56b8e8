/** Standard output, written to its end: of a text that a file takes only a part of, as on a full disk, Node forgets the rest without a word. */
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
    return fstatSync(descriptor).isFile();
  } catch {
    return false; // closed by whoever started us
  }
}
