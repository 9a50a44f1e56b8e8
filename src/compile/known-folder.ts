/**
 * Starts from a directory that contains the inputs of the kept set: its files are read without keeping them; or not read at all, if
 * stamps are trusted.
 */
import { resolve } from "node:path";
import type { CompileWork } from "./compile-thread.ts";
import { compareContents } from "./compare-contents.ts";
import { readContents, type FolderContents } from "./folder-contents.ts";
import { keptName, openKeptSets, type KeptSet, type KeptSets } from "./kept-set.ts";
import type { InForce, Stamped } from "./kept-stamps.ts";
import type { GoodOutcome } from "./outcome.ts";
import { noteProgram } from "./set-inputs.ts";
import type { SchemaRules } from "../schemas/check.ts";
import { listStamps } from "../store/stamps.ts";

/** The set to put in force. */
export interface KnownFolder {
  readonly good: GoodOutcome;
  readonly inForce: InForce;
  /**
   * Reads the files afterwards, slowly, and calls back if they differ from the inputs or that cannot be determined any more. Returns a
   * function that stops it. Absent when the files were read already.
   */
  readonly compare?: (told: (result: "other" | "changed") => void) => () => void;
}

/**
 * Returns undefined when policies must be compiled, or somebody must report why they cannot be read. `isFollowed`: stamps are needed
 * for following.
 */
export function knownFolder({ storage, schemas, cacheDir, cacheTrust }: CompileWork, isFollowed: boolean): KnownFolder | undefined {
  if (cacheDir === undefined) return undefined;
  noteProgram();
  const directory = storage["storage.disk.directory"];
  const sets = openKeptSets(cacheDir, keptName(storage, directory, schemas), () => undefined); // The thread reports errors.
  const root = resolve(directory);
  return cacheTrust === "stamps" ? byStamps(sets, root, schemas) : byContents(sets, root, schemas, isFollowed);
}

function byContents(sets: KeptSets, root: string, rules: SchemaRules | undefined, isFollowed: boolean): KnownFolder | undefined {
  let found: FolderContents | undefined;
  const kept = sets.findIf((inputs) => {
    found = readContents(root, rules, isFollowed);
    return found?.inputs === inputs;
  });
  if (kept === undefined || found === undefined) return undefined;
  const { inputs, policies, stamps } = found;
  return { good: goodOf(kept, found, rules), inForce: { inputs, policies, ...(stamps !== undefined && { stamps }), isRead: true } };
}

function byStamps(sets: KeptSets, root: string, rules: SchemaRules | undefined): KnownFolder | undefined {
  const listed = listStamps(root, rules !== undefined);
  if (listed === undefined) return undefined;
  const found = sets.findStamped(listed.stamps);
  if (found === undefined) return undefined;
  const { inputs, stamps, policies } = found.stamped;
  return {
    good: goodOf(found.kept, found.stamped, rules),
    inForce: { inputs, stamps, policies, isRead: false },
    compare: (told) =>
      compareContents({
        root,
        listed,
        rules,
        inputs,
        told: (result) => {
          // If the stamps did not identify the contents, the next start must read the files.
          if (result === "same") return;
          sets.forgetStamps();
          told(result);
        },
      }),
  };
}

function goodOf(kept: KeptSet, { policies, schemas }: Pick<Stamped, "policies" | "schemas">, rules: SchemaRules | undefined): GoodOutcome {
  return {
    kind: "set",
    text: [kept.whole()],
    digest: kept.digest,
    policies,
    created: policies,
    updated: 0,
    deleted: 0,
    warnings: kept.warnings,
    ...(rules !== undefined && { schemas: schemas ?? new Map() }),
  };
}
