/**
 * The stamps of the files that a cached set was compiled from, in an equally protected file beside it: a start that finds the same stamps
 * does not read those files.
 */
import { rmSync } from "node:fs";
import { openCacheFileWriter, requirePrivateFolder, readCacheFile } from "./cache-file.ts";
import { programIdentity } from "./set-inputs.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { areSameStamps, type FolderStamps } from "../store/stamps.ts";
import { digest } from "../texts/digest.ts";
import { codeOf } from "../refusal.ts";

/** The stamps of files, and what was read from them. */
export interface StampRecord {
  readonly stamps: FolderStamps;
  /** The digest of their contents and of all other inputs of the set. */
  readonly inputs: string;
  /** The number of policies. */
  readonly policies: number;
  /** Absent when attributes are not validated. */
  readonly schemas?: SchemaFiles;
}

/** A set in force, by its inputs. */
export interface SetInForce {
  readonly inputs: string;
  readonly policies: number;
  /** The stamps of its files; absent when they are not reliable. */
  readonly stamps?: FolderStamps;
  /** The schemas in force; absent when attributes are not validated. */
  readonly schemas?: SchemaFiles;
  /** Whether all files were read with these stamps; otherwise they have yet to be compared. */
  readonly isRead: boolean;
}

/** The file of one store. */
export interface StampCache {
  /** Returns what this same program recorded for files with these stamps. */
  readonly find: (stamps: FolderStamps) => StampRecord | undefined;
  readonly record: (record: StampRecord) => void;
  readonly delete: () => void;
}

/** The contents of the file, as JSON. */
interface StampFile extends Omit<StampRecord, "schemas"> {
  readonly program: string;
  readonly schemas?: readonly (readonly [path: string, text: string])[];
}

/** Parses the file; the cast is safe, because we wrote it. Undefined when it is another file of ours. */
function parseStampFile(text: string): StampFile | undefined {
  try {
    return JSON.parse(text) as StampFile;
  } catch {
    return undefined;
  }
}

/** Opens the file. Errors of reading and writing are thrown. */
export function openStampCache(folder: string, file: string): StampCache {
  const read = (): StampRecord | undefined => {
    requirePrivateFolder(folder);
    const contents = readCacheFile(file);
    if (contents === undefined) return undefined;
    const written = parseStampFile(contents.bytes.toString("utf8"));
    if (written?.program !== digest(programIdentity())) return undefined;
    const { program: _, schemas, ...rest } = written;
    return { ...rest, ...(schemas !== undefined && { schemas: new Map(schemas) }) };
  };
  const readIfPresent = (): StampRecord | undefined => {
    try {
      return read();
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  };
  return {
    find: (stamps) => {
      const record = read();
      return record !== undefined && areSameStamps(record.stamps, stamps) ? record : undefined;
    },
    record: (record) => {
      const before = readIfPresent();
      if (before !== undefined && before.inputs === record.inputs && areSameStamps(before.stamps, record.stamps)) return;
      const { schemas, ...rest } = record;
      const written: StampFile = { ...rest, program: digest(programIdentity()), ...(schemas !== undefined && { schemas: [...schemas] }) };
      const writer = openCacheFileWriter(folder, file);
      try {
        writer?.append(JSON.stringify(written));
        writer?.commit();
      } catch (error) {
        writer?.abort();
        throw error;
      }
    },
    delete: () => rmSync(file, { force: true }),
  };
}
