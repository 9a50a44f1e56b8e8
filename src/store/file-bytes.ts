/** Files read one after the other into the same room: of thousands that nobody keeps nothing is left behind. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { stampFrom, type Stamp } from "./tree.ts";

/** Most policies are smaller than this: bytes. */
const room = Buffer.allocUnsafeSlow(2 ** 16);

/** Reads a file to its end: its bytes, until the next is read. Throws where it cannot be read. */
export const readBytes = (file: string): Buffer => opened(file, readToEnd);

/** Reads a file, and asks it before for the stamp under which it is read. */
export const readStamped = (file: string): { readonly stamp: Stamp; readonly bytes: Buffer } =>
  opened(file, (descriptor) => {
    const stamp = stampFrom(fstatSync(descriptor));
    return { stamp, bytes: readToEnd(descriptor) };
  });

function opened<Result>(file: string, use: (descriptor: number) => Result): Result {
  const descriptor = openSync(file, "r");
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readToEnd(descriptor: number): Buffer {
  for (let size = 0; size < room.length;) {
    const read = readSync(descriptor, room, size, room.length - size, null);
    if (read === 0) return room.subarray(0, size);
    size += read;
  }
  return Buffer.concat([room, readFileSync(descriptor)]);
}
