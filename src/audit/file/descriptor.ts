/** File operations with promises, on bare descriptors: `FileHandle` cannot stand for standard output and standard error. */
import { close, fdatasync, fstat, ftruncate, open, write } from "node:fs";
import { promisify } from "node:util";

/** Opens a file that only its owner may read; resolves with its descriptor. */
export const openFile = (path: string, flags: number): Promise<number> => promisify(open)(path, flags, 0o600);

/** Writes once, and resolves with how many bytes were taken; fewer than given is no error. */
export const writeOnce = (descriptor: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, taken) => {
      if (error === null) resolve(taken);
      else reject(error);
    });
  });

/** Returns the status of an open file. */
export const fileStatus = promisify(fstat);
/** Truncates a file to a length in bytes. */
export const truncateFile: (descriptor: number, length: number) => Promise<void> = promisify(ftruncate);
/** Waits until what was written is on the disk. */
export const syncFile = promisify(fdatasync);
/** Closes a descriptor. */
export const closeFile = promisify(close);
