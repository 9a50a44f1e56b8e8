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

/** Where as many bytes came as were `expected`, it is not asked for more: there was room for more, and more would have come with them. */
function readToEnd(descriptor: number, expected?: number): Buffer {
  for (let size = 0; size < room.length;) {
    const read = readSync(descriptor, room, size, room.length - size, null);
    size += read;
    if (read === 0 || (size === expected && size < room.length)) return room.subarray(0, size);
  }
  return Buffer.concat([room, readFileSync(descriptor)]);
}
