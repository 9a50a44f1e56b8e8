/**
 * The stamps of the files that a kept set was compiled from, in an equally protected file beside it: a start that finds the same stamps
 * does not read those files.
 */
import { rmSync } from "node:fs";
import { beginWriting, demandOwn, readKept } from "./kept-file.ts";
import { noteProgram } from "./set-inputs.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { areSameStamps, type FolderStamps } from "../store/stamps.ts";
import { digest } from "../texts/digest.ts";
import { codeOf } from "../refusal.ts";

/** The stamps of files, and what was read from them. */
export interface Stamped {
  readonly stamps: FolderStamps;
  /** The digest of their contents and of all other inputs of the set. */
  readonly inputs: string;
  /** The number of policies. */
  readonly policies: number;
  /** Absent when attributes are not validated. */
  readonly schemas?: SchemaFiles;
}

/** A set in force, by its inputs. */
export interface InForce {
  readonly inputs: string;
  readonly policies: number;
  /** The stamps of its files; absent when they are not reliable. */
  readonly stamps?: FolderStamps;
  /** Whether all files were read with these stamps; otherwise they have yet to be compared. */
  readonly isRead: boolean;
}

/** The file of one store. */
export interface KeptStamps {
  /** Returns what this same program recorded for files with these stamps. */
  readonly find: (stamps: FolderStamps) => Stamped | undefined;
  readonly note: (stamped: Stamped) => void;
  readonly forget: () => void;
}

/** The contents of the file, as JSON. */
interface Written extends Omit<Stamped, "schemas"> {
  readonly program: string;
  readonly schemas?: readonly (readonly [path: string, text: string])[];
}

/** Parses the file; the cast is safe, because we wrote it. Undefined when it is another file of ours. */
function writtenIn(text: string): Written | undefined {
  try {
    return JSON.parse(text) as Written;
  } catch {
    return undefined;
  }
}

/** Opens the file. Errors of reading and writing are thrown. */
export function openKeptStamps(folder: string, file: string): KeptStamps {
  const read = (): Stamped | undefined => {
    demandOwn(folder);
    const kept = readKept(file);
    if (kept === undefined) return undefined;
    const written = writtenIn(kept.bytes.toString("utf8"));
    if (written?.program !== digest(noteProgram())) return undefined;
    const { program: _, schemas, ...rest } = written;
    return { ...rest, ...(schemas !== undefined && { schemas: new Map(schemas) }) };
  };
  const readAnyway = (): Stamped | undefined => {
    try {
      return read();
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  };
  return {
    find: (stamps) => {
      const stamped = read();
      return stamped !== undefined && areSameStamps(stamped.stamps, stamps) ? stamped : undefined;
    },
    note: (stamped) => {
      const before = readAnyway();
      if (before !== undefined && before.inputs === stamped.inputs && areSameStamps(before.stamps, stamped.stamps)) return;
      const { schemas, ...rest } = stamped;
      const written: Written = { ...rest, program: digest(noteProgram()), ...(schemas !== undefined && { schemas: [...schemas] }) };
      const writing = beginWriting(folder, file);
      try {
        writing?.add(JSON.stringify(written));
        writing?.finish();
      } catch (error) {
        writing?.giveUp();
        throw error;
      }
    },
    forget: () => rmSync(file, { force: true }),
  };
}
