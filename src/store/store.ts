/** What every store of policies can do. */
import type { Source } from "../../compiler/source.ts";

/** A place that holds policies. */
export interface Store {
  /** Where the policies come from, for people: ``the folder `policies` ``. */
  readonly name: string;
  /** Returns what changed since the last call; the first call returns everything. Rejects, with a refusal, when the store cannot be read at all. */
  readonly read: () => Promise<Changes>;
  /** Starts to watch; calls back, as often as it likes, when `read` may have something new. */
  readonly watch: (changed: () => void) => void;
  readonly close: () => Promise<void>;
}

/** What a store has found since it was asked before. */
export interface Changes {
  /** New policy files, and known ones with new text. */
  readonly changed: readonly Source[];
  /** Paths of policies that are gone. */
  readonly removed: readonly string[];
  /** The same of schemas, by their paths below `_schemas`. */
  readonly changedSchemas: readonly Source[];
  readonly removedSchemas: readonly string[];
  /** Files that are there and cannot be read, as long as that is so. */
  readonly unreadable: readonly Unreadable[];
}

/** A file that is there and cannot be read. */
export interface Unreadable {
  readonly path: string;
  /** Why: lower case, no full stop. */
  readonly message: string;
}

/** Prints an unreadable file as the compiler prints a problem. */
export const printUnreadable = ({ path, message }: Unreadable): string => `${path}: error unreadable-file: ${message}`;
