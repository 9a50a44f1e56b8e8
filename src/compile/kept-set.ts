/** The set that was compiled last from a store, kept in a file: a start that finds the same policies reads it instead of compiling them. */
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
  /** The same in one piece; to be asked for once, instead: what it was read from is given back. */
  readonly whole: () => string;
}

/** A set that was kept, and what was noted with the stamps of the files that it was made from. */
export interface StampedSet {
  readonly kept: KeptSet;
  readonly stamped: Stamped;
}

/** The place of the set of one store. Nothing that happens there keeps anybody from serving. */
export interface KeptSets {
  /** Returns the set, if it was made from these very inputs and its file is whole. */
  readonly find: (inputs: string) => KeptSet | undefined;
  /** The same, for whoever looks for inputs only where there is a set. */
  readonly findIf: (isMadeFrom: (inputs: string) => boolean) => KeptSet | undefined;
  /** Returns the set, if this program made it from files with these very stamps. */
  readonly findStamped: (stamps: FolderStamps) => StampedSet | undefined;
  /** Notes the stamps of files whose contents the kept set was made from. */
  readonly noteStamps: (stamped: Stamped) => void;
  /** Forgets the stamps: the next start reads all files. */
  readonly forgetStamps: () => void;
  /** Returns the pieces of a text, and keeps them while somebody reads them: the whole, in place of what was kept, or nothing. Then `kept` is called. */
  readonly keeping: (inputs: string, facts: KeptFacts, text: Iterable<string>, kept?: () => void) => Iterable<string>;
}

/** The name of a store among those of a folder. Where it is a folder itself, by its whole path: servers that are started elsewhere have others of that name. */
export function keptName(storage: StorageConfig, storeName: string, rules: SchemaRules | undefined): string {
  const place = storage["storage.driver"] === "disk" ? resolve(storage["storage.disk.directory"]) : storeName;
  return JSON.stringify([place, rules]);
}

/**
 * Opens the place of a store, by its name, in a folder that only the server's user may enter: what lies there is put in
 * force. `remark` is told, once, why nothing can be kept.
 */
export function openKeptSets(given: string, storeName: string, remark: (message: string) => void): KeptSets {
  const folder = resolve(given); // a link with a slash at its end would be the folder that it leads to
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
          writing?.giveUp(); // nobody read to the end
        }
      },
    }),
  };
}

function setFrom({ bytes, giveBack }: KeptBytes, isMadeFrom: (inputs: string) => boolean): KeptSet | undefined {
  const end = bytes.indexOf("\n");
  // A true edge: this is what we wrote, byte by byte.
  const { inputs, ...facts } = JSON.parse(bytes.toString("utf8", 0, end)) as KeptFacts & { readonly inputs: string };
  if (!isMadeFrom(inputs)) return undefined;
  const text = bytes.subarray(end + 1);
  const whole = (): string => {
    const decoded = text.toString(isAscii(text) ? "latin1" : "utf8"); // the same in half the time
    giveBack();
    return decoded;
  };
  return { ...facts, text: textOf(text), whole };
}

const bytesOfPiece = 2 ** 18;

/** In pieces that end with a line, as they were written. */
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
