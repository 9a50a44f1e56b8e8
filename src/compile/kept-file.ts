/** Files of a folder that only the server's user may enter: written whole, and read only if they are as they were written. */
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

/** A larger one is not kept: bytes. */
const mostBytes = 1024 * 1024 * 1024;
const digestLength = 32;

/** What stands in a file. */
export interface KeptBytes {
  readonly bytes: Buffer;
  /** Gives their room back at once: nobody may look at them any more. */
  readonly giveBack: () => void;
}

/** Throws a refusal where the folder is not one of the server's user alone. Whoever can put something there decides what is allowed; whoever can read there reads the policies. */
export function demandOwn(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw refusal(`\`${folder}\` is not a folder`);
  if (!isOwn(found))
    throw refusal(`other users than the server's can enter the folder \`${folder}\`: give it to that user alone (chmod 700)`);
}

const isOwn = ({ uid, mode }: Stats): boolean => process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);

/** Reads a file; undefined when it is not what was written. Throws where it is not the server's user's alone. */
export function readKept(file: string): KeptBytes | undefined {
  // Never behind a link.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > mostBytes || found.size < digestLength) return undefined;
    if (!isOwn(found)) throw refusal(`other users than the server's can read or write \`${file}\`: remove it`);
    const room = new ArrayBuffer(found.size, { maxByteLength: found.size });
    const bytes = Buffer.from(room);
    for (let at = 0; at < bytes.length;) {
      const read = readSync(descriptor, bytes, at, bytes.length - at, at);
      if (read === 0) return undefined;
      at += read;
    }
    const said = bytes.subarray(0, bytes.length - digestLength);
    if (!createHash("sha256").update(said).digest().equals(bytes.subarray(said.length))) return undefined;
    return { bytes: said, giveBack: () => room.resize(0) };
  } finally {
    closeSync(descriptor);
  }
}

/** A file that is being written, beside the one that it will replace. */
export interface Writing {
  readonly add: (text: string) => void;
  readonly finish: () => void;
  readonly giveUp: () => void;
}

/** So old, what is being written has no writer any more: milliseconds. */
const abandonedAfter = 60_000;

/** Begins to write, in a folder that is made where there is none; undefined while another server writes there. The digest at the end is of all before it: it tells damage, not a forger, whom the folder keeps out. */
export function beginWriting(folder: string, file: string): Writing | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  demandOwn(folder);
  const beside = `${file}.new`;
  const there = statSync(beside, { throwIfNoEntry: false });
  if (there !== undefined && Date.now() - there.mtimeMs < abandonedAfter) return undefined;
  if (there !== undefined) rmSync(beside, { force: true });
  const descriptor = openNew(beside);
  if (descriptor === undefined) return undefined;
  const hash = createHash("sha256");
  let size = 0;
  const write = (bytes: Buffer): void => {
    size += bytes.length;
    if (size > mostBytes) throw refusal(`the set is larger than ${mostBytes} bytes`);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
  };
  let isOpen = true;
  // Once: the number may soon be that of somebody else's file.
  const close = (): void => {
    if (isOpen) {
      isOpen = false;
      closeSync(descriptor);
    }
  };
  return {
    add: (text) => {
      const bytes = Buffer.from(text);
      hash.update(bytes);
      write(bytes);
    },
    // Not synced: a file that a crash of the machine leaves in pieces has another digest.
    finish: () => {
      write(hash.digest());
      close();
      renameSync(beside, file);
    },
    giveUp: () => {
      try {
        close();
        rmSync(beside, { force: true });
      } catch {
        // What failed first is told; what is left of it is removed by whoever writes there a minute later.
      }
    },
  };
}

/** Undefined where another server has just begun. */
function openNew(file: string): number | undefined {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  }
}
