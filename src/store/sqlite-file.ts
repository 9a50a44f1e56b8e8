/** The file of a SQLite database, and the files that SQLite keeps beside it. */
import { closeSync, openSync, statSync } from "node:fs";

/** Returns the inode of a file; 0 when it does not exist. */
export const fileNumber = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0;

/**
 * Creates an empty file, which is a valid empty database, with permissions for the server's user only; SQLite gives its other files the
 * same. If that fails, SQLite reports why.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    // Another process has just created it, or creating it is impossible.
  }
}

/** Returns a file beside the database that SQLite would take for part of it: a journal or WAL that is not empty. */
export function leftBeside(path: string): string | undefined {
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return [`${path}-wal`, `${path}-shm`, `${path}-journal`].find((file) => size(file) > 0);
}
