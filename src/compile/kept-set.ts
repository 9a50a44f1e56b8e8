/** The set that was compiled last from a store, kept in a file: a start that finds the same policies loads it instead of compiling. */
import { isAscii } from "node:buffer";
import { join, resolve } from "node:path";
import type { Finding } from "./compile-set.ts";
import { beginWriting, demandOwn, readKept, type KeptBytes, type Writing } from "./kept-file.ts";
import { openKeptStamps, type Stamped } from "./kept-stamps.ts";
import { codeOf, messageOf } from "../refusal.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { FolderStamps } from "../store/stamps.ts";
import type { StorageConfig } from "../store/storage.ts";
import { digest } from "../texts/digest.ts";

/** What is kept of a set besides its JSON. */
export interface KeptFacts {
  /** The digest of the bundle. */
  readonly digest: string;
  /** The warnings to report with it. */
  readonly warnings: readonly Finding[];
}

/** A kept set. */
export interface KeptSet extends KeptFacts {
  /** The JSON of the bundle, in pieces. */
  readonly text: Iterable<string>;
  /** Returns the same in one string; may be called once, instead of reading `text`, because the bytes are freed. */
  readonly whole: () => string;
}

/** A kept set, and the recorded stamps of the files that it was compiled from. */
export interface StampedSet {
  readonly kept: KeptSet;
  readonly stamped: Stamped;
}

/** The cache for one store. Its errors never prevent serving. */
export interface KeptSets {
  /** Returns the set, if it was compiled from exactly these inputs and its file is intact. */
  readonly find: (inputs: string) => KeptSet | undefined;
  /** The same, with a predicate on the inputs, which is called only if there is a set. */
  readonly findIf: (isMadeFrom: (inputs: string) => boolean) => KeptSet | undefined;
  /** Returns the set, if this program compiled it from files with exactly these stamps. */
  readonly findStamped: (stamps: FolderStamps) => StampedSet | undefined;
  /** Records the stamps of the files that the kept set was compiled from. */
  readonly noteStamps: (stamped: Stamped) => void;
  /** Deletes the stamps, so that the next start reads all files. */
  readonly forgetStamps: () => void;
  /**
   * Returns the pieces of a set's JSON, and writes them to the file while they are read. The file is replaced only once all have been
   * read; then `kept` is called.
   */
  readonly keeping: (inputs: string, facts: KeptFacts, text: Iterable<string>, kept?: () => void) => Iterable<string>;
}

/**
 * Returns the name of a store in the cache. For a directory it is the absolute path, because servers started elsewhere may use the same
 * relative path.
 */
export function keptName(storage: StorageConfig, storeName: string, rules: SchemaRules | undefined): string {
  const place = storage["storage.driver"] === "disk" ? resolve(storage["storage.disk.directory"]) : storeName;
  return JSON.stringify([place, rules]);
}

/**
 * Opens the cache of a store in a directory that only the server's user can access, because its contents are put in force. `remark` is
 * called once with the reason if nothing can be kept.
 */
export function openKeptSets(given: string, storeName: string, remark: (message: string) => void): KeptSets {
  const folder = resolve(given); // Normalised, because a link with a trailing slash would mean its target.
  const file = join(folder, `${digest(storeName)}.set`);
  const stamps = openKeptStamps(folder, join(folder, `${digest(storeName)}.stamps`));
  let isTold = false;
  const tell = (error: unknown): undefined => {
    const why = codeOf(error) === undefined ? messageOf(error) : `\`${folder}\`: ${messageOf(error)}`;
    if (!isTold) remark(`compiled policies are not kept for the next start, and were not looked for: ${why} (setting compile.cacheDir)`);
    isTold = true;
    return undefined;
  };
  const trying = <T>(step: () => T): T | undefined => {
    try {
      return step();
    } catch (error) {
      return codeOf(error) === "ENOENT" ? undefined : tell(error);
    }
  };
  const findIf = (isMadeFrom: (inputs: string) => boolean): KeptSet | undefined =>
    trying(() => {
      demandOwn(folder);
      const kept = readKept(file);
      return kept && setFrom(kept, isMadeFrom);
    });
  const find = (inputs: string): KeptSet | undefined => findIf((of) => of === inputs);
  return {
    find,
    findIf,
    findStamped: (now) => {
      const stamped = trying(() => stamps.find(now));
      const kept = stamped && find(stamped.inputs);
      return kept && stamped && { kept, stamped };
    },
    noteStamps: (stamped) => trying(() => stamps.note(stamped)),
    forgetStamps: () => trying(stamps.forget),
    keeping: (inputs, facts, text, kept) => ({
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
          writing = beginWriting(folder, file);
          writing?.add(`${JSON.stringify({ inputs, ...facts })}\n`);
        });
        try {
          for (const piece of text) {
            attempt(() => writing?.add(piece));
            yield piece;
          }
          attempt(() => writing?.finish());
          const isKept = writing !== undefined;
          writing = undefined;
          if (isKept) kept?.();
        } finally {
          writing?.giveUp(); // it was not read to the end
        }
      },
    }),
  };
}

function setFrom({ bytes, giveBack }: KeptBytes, isMadeFrom: (inputs: string) => boolean): KeptSet | undefined {
  const end = bytes.indexOf("\n");
  // This cast is safe: we wrote these bytes.
  const { inputs, ...facts } = JSON.parse(bytes.toString("utf8", 0, end)) as KeptFacts & { readonly inputs: string };
  if (!isMadeFrom(inputs)) return undefined;
  const text = bytes.subarray(end + 1);
  const whole = (): string => {
    const decoded = text.toString(isAscii(text) ? "latin1" : "utf8"); // latin1 takes half the time
    giveBack();
    return decoded;
  };
  return { ...facts, text: textOf(text), whole };
}

const bytesOfPiece = 2 ** 18;

/** Yields pieces that end with a line, as they were written. */
const textOf = (bytes: Buffer): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < bytes.length;) {
      const line = bytes.indexOf("\n", at + bytesOfPiece);
      const end = line === -1 ? bytes.length : line + 1;
      yield bytes.toString("utf8", at, end);
      at = end;
    }
  },
});
