/** What every store of policies can do. */
import type { Source } from "../../compiler/source.ts";
import type { FolderStamps } from "./stamps.ts";

/** A place that holds policies. */
export interface Store {
  /** Where the policies come from, for people: ``the folder `policies` ``. */
  readonly name: string;
  /** Returns what changed since the last call; the first call returns everything. Rejects, with a refusal, when the store cannot be read at all. `thorough`: without trust in whoever watches. */
  readonly read: (thorough?: boolean) => Promise<Changes>;
  /** Returns by which stamps what was read last is known again without reading; undefined, or absent, where its texts must be read. */
  readonly stamps?: (withSchemas: boolean) => FolderStamps | undefined;
  /** Starts to watch; calls back, as often as it likes, when `read` may have something new. */
  readonly watch: (changed: () => void) => void;
  /** Told before the next reading when what was read last compiles: a store that keeps copies comes back to it. Rejects, with a refusal, when that cannot be noted. */
  readonly accepted?: () => Promise<void>;
  /** Why nothing can be changed ("..."); undefined where policies and schemas can be put and removed. */
  readonly readOnly: string | undefined;
  /** Returns a path for a policy that is not there yet, by its key; `attempt` counts up while the path is taken by another. */
  readonly placeOf: (key: string, attempt: number) => string;
  /** Says why a schema cannot have this id here; undefined when it can. That the id is safe is known. */
  readonly schemaIdProblem: (id: string) => string | undefined;
  /** Returns the source that `read` will tell of when this has been written. */
  readonly sourceOf: (policy: PlacedText, at: number) => Source;
  /** Changes the store: all of the batch, or nothing. Rejects, with a refusal, when it cannot. */
  readonly write: (batch: Batch, at: number) => Promise<Written>;
  /** Forgets revisions of policies but for the last `keepLast` of each, and says how many; absent where no revisions are kept. */
  readonly purgeRevisions?: (keepLast: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** "stale": nothing was written, because somebody else has changed what the batch is about since the last reading. */
export type Written = "written" | "stale";

/** A text and where it goes. */
export interface PlacedText {
  readonly path: string;
  readonly text: string;
}

/** What is changed at once. Paths are those of `Changes`. */
export interface Batch {
  readonly putPolicies: readonly (PlacedText & { readonly isDisabled: boolean })[];
  readonly removePolicies: readonly string[];
  readonly putSchemas: readonly PlacedText[];
  readonly removeSchemas: readonly string[];
}

/** A batch that changes nothing. */
export const emptyBatch: Batch = { putPolicies: [], removePolicies: [], putSchemas: [], removeSchemas: [] };

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
  /** Present when the place itself could not be asked, and this is the last good copy: why. */
  readonly staleBecause?: string;
  /** What whoever runs the server should know besides, each told once. */
  readonly remarks?: readonly string[];
}

/** A file that is there and cannot be read. */
export interface Unreadable {
  readonly path: string;
  /** Why: lower case, no full stop. */
  readonly message: string;
}

/** Prints an unreadable file as the compiler prints a problem. */
export const printUnreadable = ({ path, message }: Unreadable): string => `${path}: error unreadable-file: ${message}`;
