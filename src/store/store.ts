/** The interface of stores of policies. */
import type { Source } from "../../compiler/source.ts";
import type { FolderStamps } from "./stamps.ts";

/** A store. */
export interface Store {
  /** Where the policies come from, for messages: ``the folder `policies` ``. */
  readonly name: string;
  /**
   * Returns the changes since the last call; the first call returns everything. Rejects with a refusal when the store cannot be read at
   * all. `thorough`: do not rely on watchers.
   */
  readonly read: (thorough?: boolean) => Promise<Changes>;
  /**
   * Returns the stamps by which the contents last read can be recognised without reading them; undefined, or absent, where they must be
   * read.
   */
  readonly stamps?: (withSchemas: boolean) => FolderStamps | undefined;
  /** Starts watching. `changed` is called whenever `read` may return something new; spurious calls are allowed. */
  readonly watch: (changed: () => void) => void;
  /**
   * Called before the next reading if the contents last read compile: a store with a local copy falls back to them. Rejects with a
   * refusal when that cannot be recorded.
   */
  readonly accepted?: () => Promise<void>;
  /** Why the store cannot be changed; undefined when it can. */
  readonly readOnly: string | undefined;
  /** Returns a path for a new policy with this key; `attempt` is increased while the path is taken. */
  readonly placeOf: (key: string, attempt: number) => string;
  /** Returns why a schema cannot have this id in this store; undefined when it can. The id has been checked by `unsafeSchemaId`. */
  readonly schemaIdProblem: (id: string) => string | undefined;
  /** Returns the source that `read` will report once this policy has been written. */
  readonly sourceOf: (policy: PlacedText, at: number) => Source;
  /** Writes a batch completely or not at all. Rejects with a refusal when it cannot. */
  readonly write: (batch: Batch, at: number) => Promise<Written>;
  /**
   * Deletes all but the last `keepLast` revisions of each policy, and returns how many were deleted; absent where no revisions are
   * kept.
   */
  readonly purgeRevisions?: (keepLast: number) => Promise<number>;
  /** Ends the reading that is waiting for another machine, and all later ones; absent where none waits. To be called before `close`. */
  readonly cancel?: () => void;
  readonly close: () => Promise<void>;
}

/** "stale": nothing was written, because the affected items were changed concurrently since the last reading. */
export type Written = "written" | "stale";

/** The contents of a file, and its path. */
export interface PlacedText {
  readonly path: string;
  readonly text: string;
}

/** Changes to write together. Paths are those of `Changes`. */
export interface Batch {
  readonly putPolicies: readonly (PlacedText & { readonly isDisabled: boolean })[];
  readonly removePolicies: readonly string[];
  readonly putSchemas: readonly PlacedText[];
  readonly removeSchemas: readonly string[];
}

/** The empty batch. */
export const emptyBatch: Batch = { putPolicies: [], removePolicies: [], putSchemas: [], removeSchemas: [] };

/** The changes since the previous reading. */
export interface Changes {
  /** Policies that are new or have changed. */
  readonly changed: readonly Source[];
  /** The paths of policies that were removed. */
  readonly removed: readonly string[];
  /** The same for schemas, with paths relative to `_schemas`. */
  readonly changedSchemas: readonly Source[];
  readonly removedSchemas: readonly string[];
  /** All files that exist and cannot be read at present. */
  readonly unreadable: readonly Unreadable[];
  /** Why the store itself could not be read, and the last good copy was used; absent otherwise. */
  readonly staleBecause?: string;
  /** Remarks for the operator; each is reported once. */
  readonly remarks?: readonly string[];
}

/** A file that exists and cannot be read. */
export interface Unreadable {
  readonly path: string;
  /** The reason: lower case, no full stop. */
  readonly message: string;
}

/** Prints an unreadable file like a compiler diagnostic. */
export const printUnreadable = ({ path, message }: Unreadable): string => `${path}: error unreadable-file: ${message}`;
