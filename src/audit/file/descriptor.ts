/** File descriptors with promises: bare numbers, because those of standard output and error are nobody's to own. */
import { close, fdatasync, fstat, ftruncate, open, write } from "node:fs";
import { promisify } from "node:util";

/** Opens a file that only its owner may read; answers the descriptor. */
export const openFile = (path: string, flags: number): Promise<number> => promisify(open)(path, flags, 0o600);

/** Writes once, and answers how many bytes were taken; fewer than given is no error. */
export const writeOnce = (descriptor: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, taken) => {
      if (error === null) resolve(taken);
      else reject(error);
    });
  });

/** Says how a file stands. */
export const fileStatus = promisify(fstat);
/** Cuts a file off. */
export const truncateFile: (descriptor: number, length: number) => Promise<void> = promisify(ftruncate);
/** Waits until what was written is on the disk. */
export const syncFile = promisify(fdatasync);
/** Closes a descriptor. */
export const closeFile = promisify(close);
