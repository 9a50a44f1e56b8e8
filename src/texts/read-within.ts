/** Reads files of bounded size: some never end, and some grow while they are read. */
import { closeSync, openSync, readSync } from "node:fs";

/** Certificates, keys and key sets are smaller than this, all together. */
export const mostKeyFileBytes = 2 ** 20;

/** Reads a file, or a pipe as a shell's `<(...)`; undefined when it goes on beyond so many bytes. */
export function readWithin(file: string, mostBytes: number): Buffer | undefined {
  const descriptor = openSync(file, "r");
  try {
    const parts: Buffer[] = [];
    for (let size = 0; size <= mostBytes;) {
      const part = Buffer.alloc(65_536);
      const read = readSync(descriptor, part);
      if (read === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, read));
      size += read;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
