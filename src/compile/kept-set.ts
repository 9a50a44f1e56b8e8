/** The set that was compiled last from a store, kept in a file: a start that finds the same policies reads it instead of compiling them. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Finding } from "./compile-set.ts";
import { digest } from "../texts/digest.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";

/** What is kept of a set besides its text. */
export interface KeptFacts {
  /** The digest of the bundle. */
  readonly digest: string;
  /** Those that are told of it. */
  readonly warnings: readonly Finding[];
}

/** A set that was kept. */
export interface KeptSet extends KeptFacts {
  /** JSON of the bundle, piece by piece. */
  readonly text: Iterable<string>;
}

/** The place of the set of one store. Nothing that happens there keeps anybody from serving. */
export interface KeptSets {
  /** Returns the set, if it was made from these very inputs and its file is whole. */
  readonly find: (inputs: string) => KeptSet | undefined;
  /** Returns the pieces of a text, and keeps them while somebody reads them: the whole, in place of what was kept, or nothing. */
  readonly keeping: (inputs: string, facts: KeptFacts, text: Iterable<string>) => Iterable<string>;
}

/** A larger one is not kept: bytes. */
const mostBytes = 1024 * 1024 * 1024;
const digestLength = 32;

/**
 * Opens the place of a store, by its name, in a folder that only the server's user may enter: what lies there is put in
 * force. `remark` is told, once, why nothing can be kept.
 */
export function openKeptSets(given: string, storeName: string, remark: (message: string) => void): KeptSets {
  const folder = resolve(given); // a link with a slash at its end would be the folder that it leads to
  const file = join(folder, `${digest(storeName)}.set`);
  let isTold = false;
  const tell = (error: unknown): undefined => {
    const why = codeOf(error) === undefined ? messageOf(error) : `\`${folder}\`: ${messageOf(error)}`;
    if (!isTold) remark(`compiled policies are not kept for the next start, and were not looked for: ${why} (setting compile.cacheDir)`);
    isTold = true;
    return undefined;
  };
  return {
    find: (inputs) => {
      try {
        demandOwn(folder);
        return read(file, inputs);
      } catch (error) {
        return codeOf(error) === "ENOENT" ? undefined : tell(error);
      }
    },
    keeping: (inputs, facts, text) => ({
      *[Symbol.iterator]() {
        let writing: Writing | undefined;
        const attempt = (step: () => void): void => {
          try {
            step();
          } catch (error) {
            const begun = writing;
            writing = tell(error);
            begun?.giveUp();
          }
        };
        attempt(() => {
          mkdirSync(folder, { recursive: true, mode: 0o700 });
          demandOwn(folder);
          writing = beginWriting(file);
          writing?.add(`${JSON.stringify({ inputs, ...facts })}\n`);
        });
        try {
          for (const piece of text) {
            attempt(() => writing?.add(piece));
            yield piece;
          }
          attempt(() => writing?.finish());
          writing = undefined;
        } finally {
          writing?.giveUp(); // nobody read to the end
        }
      },
    }),
  };
}

/** Whoever can put something there decides what is allowed; whoever can read there reads the policies. */
function demandOwn(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw refusal(`\`${folder}\` is not a folder`);
  if (!isOwn(found))
    throw refusal(`others than the server's user can enter the folder \`${folder}\`: give it to that user alone (chmod 700)`);
}

const isOwn = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);

/** The digest at the end is of all before it: it tells damage, not a forger, whom the folder keeps out. */
function read(file: string, inputs: string): KeptSet | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  let bytes: Buffer;
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > mostBytes) return undefined;
    if (!isOwn(found)) throw refusal(`others than the server's user can read or write \`${file}\`: remove it`);
    bytes = readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  const said = bytes.subarray(0, Math.max(0, bytes.length - digestLength));
  if (!createHash("sha256").update(said).digest().equals(bytes.subarray(said.length))) return undefined;
  const end = said.indexOf("\n");
  // A true edge: this is what we wrote, byte by byte.
  const { inputs: of, ...facts } = JSON.parse(said.toString("utf8", 0, end)) as KeptFacts & { readonly inputs: string };
  return of === inputs ? { ...facts, text: textOf(said.subarray(end + 1)) } : undefined;
}

const bytesOfPiece = 2 ** 18;

const textOf = (bytes: Buffer): Iterable<string> => ({
  *[Symbol.iterator]() {
    const decoder = new StringDecoder("utf8");
    for (let at = 0; at < bytes.length; at += bytesOfPiece) yield decoder.write(bytes.subarray(at, at + bytesOfPiece));
    yield decoder.end();
  },
});

/** A file that is being written, beside the one that it will replace. */
interface Writing {
  readonly add: (text: string) => void;
  readonly finish: () => void;
  readonly giveUp: () => void;
}

/** So old, what is being written has no writer any more: milliseconds. */
const abandonedAfter = 60_000;

/** Undefined while another server writes there. */
function beginWriting(file: string): Writing | undefined {
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
