/** The file of a SQLite database, and the files that SQLite keeps beside it. */
import { closeSync, openSync, statSync } from "node:fs";

/** Returns the number of a file on its file system; 0 where there is none. */
export const fileNumber = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0;

/** Makes an empty file, which is an empty database, of the server's user alone; SQLite gives what it keeps beside the same mode. Where that is not possible, SQLite says why. */
export function makeOwnFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    // Somebody else has just made it, or nobody can.
  }
}

/** Returns a file of which SQLite would take for a part of the database what it holds, or what others have open as that. */
export function leftBeside(path: string): string | undefined {
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return [`${path}-wal`, `${path}-shm`, `${path}-journal`].find((file) => size(file) > 0);
}
