/** A store under chaos: its content, its history and the servers that serve it. */
import type { Random } from "../agree/random.ts";
import type { Files } from "./policy-set.ts";

/** How a store is changed, and what can happen to it. */
export interface Scene {
  readonly name: string;
  /** What its servers are told; `which` of the servers. */
  readonly settings: (which: string) => { readonly [key: string]: string | number | boolean };
  /** Can it be changed through the administration API? */
  readonly isAdministered: boolean;
  /** Makes this the content; whatever others may see between is told to `step` before it is there, and what that returns is called afterwards. */
  readonly publish: (now: Files, next: Files, step: (files: Files) => () => void) => Promise<void>;
  /** The path that a new policy gets. */
  readonly pathOf: (resource: string, random: Random) => string;
  /** The path that the administration API gives it. */
  readonly administeredPathOf: (resource: string) => string;
  /** Troubles that come and go: begin one; the returned function ends it. */
  readonly troubles: readonly Trouble[];
  readonly close: () => Promise<void>;
}

/** Something that befalls a store for a while. */
export interface Trouble {
  readonly name: string;
  /** Can the content be changed meanwhile? */
  readonly isWritable: boolean;
  readonly begin: (random: Random) => Promise<() => Promise<void>>;
}
