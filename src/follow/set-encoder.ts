/**
 * Converts compiled sets to messages for the sandbox: each as a change from the one before, if there is one. Sets are also kept for the
 * next start.
 */
import type { Bundle } from "../../runtime/bundle.ts";
import { bundleChange, countUnitChanges } from "../compile/bundle-change.ts";
import { maxFindings } from "../compile/commands.ts";
import { newFindings, type Finding } from "../compile/compile-set.ts";
import type { SetCache } from "../compile/set-cache.ts";
import { recordStamps, type CacheStart } from "../compile/start-from-cache.ts";
import type { GoodOutcome, PostedSet } from "../compile/outcome.ts";
import { digestInputs } from "../compile/set-inputs.ts";
import { countChanges, emptyState, type ChangeCounts, type StoreState } from "../compile/store-state.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { Store } from "../store/store.ts";
import { bundleInPieces, changeInPieces, wholeText } from "../texts/in-pieces.ts";

/** The result of compiling a state. */
export interface CompiledBundle {
  readonly state: StoreState;
  readonly bundle: Bundle;
  readonly warnings: readonly Finding[];
  readonly compileMilliseconds: number;
}

/** The store, and what was posted before. */
export interface SetEncoderOptions {
  readonly store: Store;
  /** Where sets are kept; absent: nowhere. A change is kept once nothing has changed for `keepMilliseconds`. */
  readonly sets: SetCache | undefined;
  readonly keepMilliseconds: number;
  /** Where schemas may come from; absent when messages do not include schemas. */
  readonly schemas: SchemaRules | undefined;
  readonly start: CacheStart | undefined;
  readonly base: PostedSet | undefined;
  /** Serialises work with reads and changes of the store. */
  readonly inTurn: (work: () => Promise<unknown>) => Promise<unknown>;
  /** Returns whether a state is the current one of the store, as far as is known. */
  readonly isCurrent: (state: StoreState) => boolean;
}

/** What has been posted, and how the next set is encoded. */
export interface SetEncoder {
  /** Returns the message for a set, which becomes the last one posted. */
  readonly next: (made: CompiledBundle) => GoodOutcome;
  /** Returns the message for the last set as a whole; undefined before the first. */
  readonly wholeSet: () => GoodOutcome | undefined;
  /** Records a set as posted that was posted from the cache at the start, before it was compiled here. */
  readonly assumePosted: (posted: PostedSet, warnings: readonly Finding[]) => void;
  readonly hasPosted: () => boolean;
  /** Cancels pending work. */
  readonly close: () => void;
}

/** Starts from what was posted before. */
export function openSetEncoder({
  store,
  sets,
  keepMilliseconds,
  schemas: rules,
  start,
  base,
  inTurn,
  isCurrent,
}: SetEncoderOptions): SetEncoder {
  let posted = base;
  let postedWarnings: readonly Finding[] = [];
  let postedSchemas: SchemaFiles | undefined = rules && (start?.state.schemas ?? base?.good.schemas);
  let cacheTimer: NodeJS.Timeout | undefined;

  /** The JSON of a set; it is kept once it has been read to its end. */
  const textOf = ({ state, bundle, warnings }: CompiledBundle, digest: string): Iterable<string> => {
    if (sets === undefined) return bundleInPieces(bundle);
    // All current warnings, not only new ones: the next start reports them for the first time.
    const facts = { digest, warnings: warnings.slice(0, maxFindings) };
    const inputs = digestInputs(state, rules);
    // If the store was read again since, the stamps are those of other contents.
    const recordWritten = (): void => void (isCurrent(state) && recordStamps(sets, store, state, rules, inputs));
    return sets.writeThrough(inputs, facts, bundleInPieces(bundle), recordWritten);
  };
  const keepLater = (text: () => Iterable<string>): void => {
    clearTimeout(cacheTimer);
    if (sets !== undefined) cacheTimer = setTimeout(() => void inTurn(async () => wholeText(text())), keepMilliseconds).unref();
  };
  const difference = (sources: StoreState["sources"], change: ReturnType<typeof bundleChange> | undefined): ChangeCounts =>
    change === undefined || posted?.sources !== undefined
      ? countChanges(posted?.sources ?? emptyState.sources, sources)
      : countUnitChanges(change);
  return {
    next: (made) => {
      const { bundle, warnings, compileMilliseconds } = made;
      const { sources, schemas } = made.state;
      const before = posted?.bundle;
      const change = before && bundleChange(before, bundle);
      const { digest } = bundle.manifest;
      const whole: GoodOutcome = {
        kind: "set",
        text: [],
        digest,
        policies: sources.size,
        ...difference(sources, change),
        warnings: newFindings(postedWarnings, warnings).slice(0, maxFindings), // limited, because nobody reads thousands
        compileMilliseconds,
        ...(rules !== undefined && postedSchemas !== schemas && { schemas: new Map(schemas) }),
      };
      postedWarnings = warnings;
      posted = { bundle, good: whole, sources };
      postedSchemas = schemas;
      const text = (): Iterable<string> => textOf(made, digest);
      if (change === undefined) return { ...whole, text: text() };
      keepLater(text);
      return { ...whole, kind: "change", text: changeInPieces(change) };
    },
    wholeSet: () => {
      if (posted === undefined) return undefined;
      const { bundle, good } = posted;
      const text = bundleInPieces(bundle);
      return { ...good, warnings: [], kind: "set", text, ...(rules !== undefined && { schemas: new Map(postedSchemas) }) };
    },
    assumePosted: (assumed, warnings) => {
      posted = assumed;
      postedWarnings = warnings;
    },
    hasPosted: () => posted !== undefined,
    close: () => clearTimeout(cacheTimer),
  };
}
