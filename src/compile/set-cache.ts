/** The set that was compiled last from a store, kept in a file: a start that finds the same policies loads it instead of compiling. */
import { isAscii } from "node:buffer";
import { join, resolve } from "node:path";
import type { Finding } from "./compile-set.ts";
import { openCacheFileWriter, requirePrivateFolder, readCacheFile, type CacheFileContents, type CacheFileWriter } from "./cache-file.ts";
import { openStampCache, type StampRecord } from "./stamp-cache.ts";
import { codeOf, messageOf } from "../refusal.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { FolderStamps } from "../store/stamps.ts";
import type { StorageConfig } from "../store/storage.ts";
import { digest } from "../texts/digest.ts";

/** What is stored with a set besides its JSON. */
export interface CachedSetHeader {
  /** The digest of the bundle. */
  readonly digest: string;
  /** The warnings to report with it. */
  readonly warnings: readonly Finding[];
}

/** A cached set. */
export interface CachedSet extends CachedSetHeader {
  /** The JSON of the bundle, in pieces. */
  readonly text: Iterable<string>;
  /** Returns the same in one string; may be called once, instead of reading `text`, because the bytes are freed. */
  readonly wholeText: () => string;
}

/** A cached set, and the recorded stamps of the files that it was compiled from. */
export interface StampedSet {
  readonly set: CachedSet;
  readonly record: StampRecord;
}

/** The cache for one store. Its errors never prevent serving. */
export interface SetCache {
  /** Returns the set, if it was compiled from exactly these inputs and its file is intact. */
  readonly find: (inputs: string) => CachedSet | undefined;
  /** The same, with a predicate on the inputs, which is called only if there is a set. */
  readonly findIf: (isMadeFrom: (inputs: string) => boolean) => CachedSet | undefined;
  /** Returns the set, if this program compiled it from files with exactly these stamps. */
  readonly findByStamps: (stamps: FolderStamps) => StampedSet | undefined;
  /** Records the stamps of the files that the cached set was compiled from. */
  readonly recordStamps: (record: StampRecord) => void;
  /** Deletes the stamps, so that the next start reads all files. */
  readonly deleteStamps: () => void;
  /**
   * Returns the pieces of a set's JSON, and writes them to the file while they are read. The file is replaced only once all have been
   * read; then `written` is called.
   */
  readonly writeThrough: (inputs: string, header: CachedSetHeader, text: Iterable<string>, written?: () => void) => Iterable<string>;
}

/**
 * Returns the name of a store in the cache. For a directory it is the absolute path, because servers started elsewhere may use the same
 * relative path.
 */
export function cacheName(storage: StorageConfig, storeName: string, rules: SchemaRules | undefined): string {
  const place = storage["storage.driver"] === "disk" ? resolve(storage["storage.disk.directory"]) : storeName;
  return JSON.stringify([place, rules]);
}

/**
 * Opens the cache of a store in a directory that only the server's user can access, because its contents are put in force. `remark` is
 * called once with the reason if nothing can be kept.
 */
export function openSetCache(given: string, storeName: string, remark: (message: string) => void): SetCache {
  const folder = resolve(given); // Normalised, because a link with a trailing slash would mean its target.
  const file = join(folder, `${digest(storeName)}.set`);
  const stamps = openStampCache(folder, join(folder, `${digest(storeName)}.stamps`));
  let isReported = false;
  const reportOnce = (error: unknown): undefined => {
    const why = codeOf(error) === undefined ? messageOf(error) : `\`${folder}\`: ${messageOf(error)}`;
    if (!isReported)
      remark(`compiled policies are not kept for the next start, and were not looked for: ${why} (setting compile.cacheDir)`);
    isReported = true;
    return undefined;
  };
  const trying = <T>(step: () => T): T | undefined => {
    try {
      return step();
    } catch (error) {
      return codeOf(error) === "ENOENT" ? undefined : reportOnce(error);
    }
  };
  const findIf = (isMadeFrom: (inputs: string) => boolean): CachedSet | undefined =>
    trying(() => {
      requirePrivateFolder(folder);
      const contents = readCacheFile(file);
      return contents && parseCachedSet(contents, isMadeFrom);
    });
  const find = (inputs: string): CachedSet | undefined => findIf((of) => of === inputs);
  return {
    find,
    findIf,
    findByStamps: (now) => {
      const record = trying(() => stamps.find(now));
      const set = record && find(record.inputs);
      return set && record && { set, record };
    },
    recordStamps: (record) => trying(() => stamps.record(record)),
    deleteStamps: () => trying(stamps.delete),
    writeThrough: (inputs, header, text, written) => ({
      *[Symbol.iterator]() {
        let writer: CacheFileWriter | undefined;
        const attempt = (step: () => void): void => {
          try {
            step();
          } catch (error) {
            const failed = writer;
            writer = reportOnce(error);
            failed?.abort();
          }
        };
        attempt(() => {
          writer = openCacheFileWriter(folder, file);
          writer?.append(`${JSON.stringify({ inputs, ...header })}\n`);
        });
        try {
          for (const piece of text) {
            attempt(() => writer?.append(piece));
            yield piece;
          }
          attempt(() => writer?.commit());
          const isWritten = writer !== undefined;
          writer = undefined;
          if (isWritten) written?.();
        } finally {
          writer?.abort(); // it was not read to the end
        }
      },
    }),
  };
}

function parseCachedSet({ bytes, free }: CacheFileContents, isMadeFrom: (inputs: string) => boolean): CachedSet | undefined {
  const end = bytes.indexOf("\n");
  // This cast is safe: we wrote these bytes.
  const { inputs, ...header } = JSON.parse(bytes.toString("utf8", 0, end)) as CachedSetHeader & { readonly inputs: string };
  if (!isMadeFrom(inputs)) return undefined;
  const text = bytes.subarray(end + 1);
  const wholeText = (): string => {
    const decoded = text.toString(isAscii(text) ? "latin1" : "utf8"); // latin1 takes half the time
    free();
    return decoded;
  };
  return { ...header, text: piecesOf(text), wholeText };
}

const minPieceBytes = 2 ** 18;

/** Yields pieces that end with a line, as they were written. */
const piecesOf = (bytes: Buffer): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (let at = 0; at < bytes.length;) {
      const line = bytes.indexOf("\n", at + minPieceBytes);
      const end = line === -1 ? bytes.length : line + 1;
      yield bytes.toString("utf8", at, end);
      at = end;
    }
  },
});
