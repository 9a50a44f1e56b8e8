/**
 * Starts from a directory that contains the inputs of the cached set: its files are read without keeping them; or not read at all, if
 * stamps are trusted.
 */
import { resolve } from "node:path";
import type { CompileThreadData } from "./compile-thread.ts";
import { compareContents } from "./compare-contents.ts";
import { readFolderContents, type FolderContents } from "./folder-contents.ts";
import { cacheName, openSetCache, type CachedSet, type SetCache } from "./set-cache.ts";
import type { SetInForce, StampRecord } from "./stamp-cache.ts";
import type { GoodOutcome } from "./outcome.ts";
import { programIdentity } from "./set-inputs.ts";
import type { SchemaRules } from "../schemas/check.ts";
import { listStamps } from "../store/stamps.ts";

/** The set to put in force. */
export interface FolderStart {
  readonly good: GoodOutcome;
  readonly inForce: SetInForce;
  /**
   * Reads the files afterwards, slowly, and calls back if they differ from the inputs or that cannot be determined any more. Returns a
   * function that stops it. Absent when the files were read already.
   */
  readonly compare?: (onResult: (result: "other" | "changed") => void) => () => void;
}

/**
 * Returns undefined when policies must be compiled, or somebody must report why they cannot be read. `isFollowed`: stamps are needed
 * for following.
 */
export function startFromFolder(
  { storage, schemas, cacheDir, cacheTrust }: CompileThreadData,
  isFollowed: boolean,
): FolderStart | undefined {
  if (cacheDir === undefined) return undefined;
  programIdentity();
  const directory = storage["storage.disk.directory"];
  const sets = openSetCache(cacheDir, cacheName(storage, directory, schemas), () => undefined); // The thread reports errors.
  const root = resolve(directory);
  return cacheTrust === "stamps" ? byStamps(sets, root, schemas) : byContents(sets, root, schemas, isFollowed);
}

function byContents(sets: SetCache, root: string, rules: SchemaRules | undefined, isFollowed: boolean): FolderStart | undefined {
  let found: FolderContents | undefined;
  const cached = sets.findIf((inputs) => {
    found = readFolderContents(root, rules, isFollowed);
    return found?.inputs === inputs;
  });
  if (cached === undefined || found === undefined) return undefined;
  const { inputs, policies, stamps } = found;
  const good = outcomeOf(cached, found, rules);
  return { good, inForce: { inputs, policies, ...(stamps !== undefined && { stamps }), ...schemasOf(good), isRead: true } };
}

function byStamps(sets: SetCache, root: string, rules: SchemaRules | undefined): FolderStart | undefined {
  const listed = listStamps(root, rules !== undefined);
  if (listed === undefined) return undefined;
  const found = sets.findByStamps(listed.stamps);
  if (found === undefined) return undefined;
  const { inputs, stamps, policies } = found.record;
  const good = outcomeOf(found.set, found.record, rules);
  return {
    good,
    inForce: { inputs, stamps, policies, ...schemasOf(good), isRead: false },
    compare: (onResult) =>
      compareContents({
        root,
        listed,
        rules,
        inputs,
        onResult: (result) => {
          // If the stamps did not identify the contents, the next start must read the files.
          if (result === "same") return;
          sets.deleteStamps();
          onResult(result);
        },
      }),
  };
}

const schemasOf = ({ schemas }: GoodOutcome): Pick<SetInForce, "schemas"> => (schemas === undefined ? {} : { schemas });

function outcomeOf(
  cached: CachedSet,
  { policies, schemas }: Pick<StampRecord, "policies" | "schemas">,
  rules: SchemaRules | undefined,
): GoodOutcome {
  return {
    kind: "set",
    text: [cached.wholeText()],
    digest: cached.digest,
    policies,
    created: policies,
    updated: 0,
    deleted: 0,
    warnings: cached.warnings,
    ...(rules !== undefined && { schemas: schemas ?? new Map() }),
  };
}
