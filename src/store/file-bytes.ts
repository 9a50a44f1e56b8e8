/** Reads files into one reused buffer, so that reading thousands of files leaves no garbage. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { stampFrom, type Stamp } from "./tree.ts";

/** The buffer, in bytes; most policies are smaller. */
const room = Buffer.allocUnsafeSlow(2 ** 16);

/** Reads a file. The bytes are valid until the next file is read. Throws when it cannot be read. */
export const readBytes = (file: string): Buffer => opened(file, readToEnd);

/** Reads a file, with the stamp that it has on the same descriptor before it is read. */
export const readStamped = (file: string): { readonly stamp: Stamp; readonly bytes: Buffer } =>
  opened(file, (descriptor) => {
    const found = fstatSync(descriptor);
    return { stamp: stampFrom(found), bytes: readToEnd(descriptor, found.size) };
  });

function opened<Result>(file: string, use: (descriptor: number) => Result): Result {
  const descriptor = openSync(file, "r");
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads to the end. If exactly the expected number of bytes arrived and the buffer had room for more, the file is complete, and no
 * further read is needed.
 */
function readToEnd(descriptor: number, expected?: number): Buffer {
  for (let size = 0; size < room.length;) {
    const read = readSync(descriptor, room, size, room.length - size, null);
    size += read;
    if (read === 0 || (size === expected && size < room.length)) return room.subarray(0, size);
  }
  return Buffer.concat([room, readFileSync(descriptor)]);
}
