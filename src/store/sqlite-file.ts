/** The file of a SQLite database, and the files that SQLite keeps beside it. */
import { closeSync, openSync, realpathSync, statSync } from "node:fs";

/** What tells one file from another. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  /** Nanoseconds since 1970; undefined where it may be the time of the last change, as on systems that do not keep the other. */
  readonly born: bigint | undefined;
}

/** Returns the identity of a file; undefined when it does not exist. */
export function fileIdentity(path: string): FileIdentity | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && { device: found.dev, inode: found.ino, born: found.birthtimeNs === found.ctimeNs ? undefined : found.birthtimeNs };
}

/** Returns whether two identities may be of one file. Most file systems give the inode of a removed file to one of the next. */
export const mayBeSame = (left: FileIdentity, right: FileIdentity): boolean =>
  left.device === right.device &&
  left.inode === right.inode &&
  (left.born === right.born || left.born === undefined || right.born === undefined);

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

/** Returns the path that a path leads to through links: SQLite keeps its other files beside that one. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // Opening it reports the error.
  }
}

/** Returns a file beside the database at a real path that SQLite would take for part of it: a journal or WAL that is not empty. */
export function leftBeside(path: string): string | undefined {
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return [`${path}-wal`, `${path}-shm`, `${path}-journal`].find((file) => size(file) > 0);
}
