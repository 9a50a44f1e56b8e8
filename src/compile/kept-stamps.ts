/** The stamps of the files that a kept set was made from, in a file beside it that is as well guarded: a start that finds the same stamps does not read those files. */
import { rmSync } from "node:fs";
import { beginWriting, demandOwn, readKept } from "./kept-file.ts";
import { noteProgram } from "./set-inputs.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { areSameStamps, type FolderStamps } from "../store/stamps.ts";
import { digest } from "../texts/digest.ts";
import { codeOf } from "../refusal.ts";

/** Files, by their stamps, and what was read of them. */
export interface Stamped {
  readonly stamps: FolderStamps;
  /** The digest of their contents, and of all else that the set was made from. */
  readonly inputs: string;
  /** How many are policies. */
  readonly policies: number;
  /** Absent where nobody looks at schemas. */
  readonly schemas?: SchemaFiles;
}

/** A set that is in force, by what it was made from. */
export interface InForce {
  readonly inputs: string;
  readonly policies: number;
  /** Of its files; absent where they say too little. */
  readonly stamps?: FolderStamps;
  /** All files were read under these stamps; otherwise they are to be compared yet. */
  readonly isRead: boolean;
}

/** The file of one store. */
export interface KeptStamps {
  /** Returns what was noted by this very program of files with these stamps. */
  readonly find: (stamps: FolderStamps) => Stamped | undefined;
  readonly note: (stamped: Stamped) => void;
  readonly forget: () => void;
}

/** What stands in the file, as JSON. */
interface Written extends Omit<Stamped, "schemas"> {
  readonly program: string;
  readonly schemas?: readonly (readonly [path: string, text: string])[];
}

/** What we wrote, byte by byte: a true edge. Undefined where it is another of our files. */
function writtenIn(text: string): Written | undefined {
  try {
    return JSON.parse(text) as Written;
  } catch {
    return undefined;
  }
}

/** Opens it. What cannot be read or written is thrown. */
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
