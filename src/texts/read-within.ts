/** Reads files of bounded size, because some are endless, and some grow while they are read. */
import { closeSync, openSync, readSync } from "node:fs";

/** The size limit in bytes for certificates, keys and key sets. */
export const maxKeyFileBytes = 2 ** 20;

/** Reads a file, or a pipe such as a shell's `<(...)`; undefined when it is larger than `maxBytes`. */
export function readWithin(file: string, maxBytes: number): Buffer | undefined {
  const descriptor = openSync(file, "r");
  try {
    const parts: Buffer[] = [];
    for (let size = 0; size <= maxBytes;) {
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
