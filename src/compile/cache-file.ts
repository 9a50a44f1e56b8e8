/** Files in a directory that only the server's user can access: written atomically, and read only if they are intact. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from "node:fs";
import { codeOf, refusal } from "../refusal.ts";

/** The largest size of a file in bytes. */
const maxBytes = 1024 * 1024 * 1024;
const digestLength = 32;

/** The contents of a file. */
export interface CacheFileContents {
  readonly bytes: Buffer;
  /** Frees the bytes at once; they must not be used any more. */
  readonly free: () => void;
}

/**
 * Throws a refusal unless a directory can be accessed only by the server's user. Whoever can write there decides what is allowed;
 * whoever can read there sees the policies.
 */
export function requirePrivateFolder(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw refusal(`\`${folder}\` is not a folder`);
  if (!isPrivate(found))
    throw refusal(`other users than the server's can enter the folder \`${folder}\`: give it to that user alone (chmod 700)`);
}

const isPrivate = ({ uid, mode }: Stats): boolean => process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);

/** Reads a file; undefined when it is damaged. Throws when others than the server's user can access it. */
export function readCacheFile(file: string): CacheFileContents | undefined {
  // Never through a link.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > maxBytes || found.size < digestLength) return undefined;
    if (!isPrivate(found)) throw refusal(`other users than the server's can read or write \`${file}\`: remove it`);
    const room = new ArrayBuffer(found.size, { maxByteLength: found.size });
    const bytes = Buffer.from(room);
    for (let at = 0; at < bytes.length;) {
      const read = readSync(descriptor, bytes, at, bytes.length - at, at);
      if (read === 0) return undefined;
      at += read;
    }
    const contents = bytes.subarray(0, bytes.length - digestLength);
    if (!createHash("sha256").update(contents).digest().equals(bytes.subarray(contents.length))) return undefined;
    return { bytes: contents, free: () => room.resize(0) };
  } finally {
    closeSync(descriptor);
  }
}

/** A file that is being written, beside the one that it will replace. */
export interface CacheFileWriter {
  readonly append: (text: string) => void;
  readonly commit: () => void;
  readonly abort: () => void;
}

/** A temporary file older than this many milliseconds has no writer any more. */
const abandonedMilliseconds = 60_000;

/**
 * Starts writing a file, and creates the directory if necessary; returns undefined while another server writes it. The digest at the
 * end detects damage, not forgery, which the directory's permissions prevent.
 */
export function openCacheFileWriter(folder: string, file: string): CacheFileWriter | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  requirePrivateFolder(folder);
  const temporaryFile = `${file}.new`;
  const existing = statSync(temporaryFile, { throwIfNoEntry: false });
  if (existing !== undefined && Date.now() - existing.mtimeMs < abandonedMilliseconds) return undefined;
  if (existing !== undefined) rmSync(temporaryFile, { force: true });
  const descriptor = openExclusive(temporaryFile);
  if (descriptor === undefined) return undefined;
  const hash = createHash("sha256");
  let size = 0;
  const write = (bytes: Buffer): void => {
    size += bytes.length;
    if (size > maxBytes) throw refusal(`the set is larger than ${maxBytes} bytes`);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
  };
  let isOpen = true;
  // Only once: the number may be reused for another file.
  const close = (): void => {
    if (isOpen) {
      isOpen = false;
      closeSync(descriptor);
    }
  };
  return {
    append: (text) => {
      const bytes = Buffer.from(text);
      hash.update(bytes);
      write(bytes);
    },
    // Without fsync: after a crash, an incomplete file has a wrong digest.
    commit: () => {
      write(hash.digest());
      close();
      renameSync(temporaryFile, file);
    },
    abort: () => {
      try {
        close();
        rmSync(temporaryFile, { force: true });
      } catch {
        // The first error is reported; the leftover is removed by whoever writes there a minute later.
      }
    },
  };
}

/** Returns undefined when another server has just started writing. */
function openExclusive(file: string): number | undefined {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  }
}
