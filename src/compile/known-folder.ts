/** A start from a folder whose files are, by their stamps, those that the kept set was made from: none of them is read. */
import { resolve } from "node:path";
import type { CompileWork } from "./compile-thread.ts";
import { compareContents } from "./compare-contents.ts";
import { keptName, openKeptSets } from "./kept-set.ts";
import type { InForce } from "./kept-stamps.ts";
import type { Good } from "./outcome.ts";
import { noteProgram } from "./set-inputs.ts";
import { listStamps } from "../store/stamps.ts";

/** What is put in force. */
export interface KnownFolder {
  readonly good: Good;
  readonly inForce: InForce;
  /** Reads the files after all, a little at a time, and tells if they are not what they were taken for, or nobody can say any more. Returns how to stop. */
  readonly compare: (told: (result: "other" | "changed") => void) => () => void;
}

/** Undefined where files have to be read, or somebody has to say why they cannot be. */
export function knownFolder({ storage, schemas, cacheDir, cacheTrust }: CompileWork): KnownFolder | undefined {
  if (cacheDir === undefined || cacheTrust !== "stamps") return undefined;
  noteProgram();
  const directory = storage["storage.disk.directory"];
  const sets = openKeptSets(cacheDir, keptName(storage, directory, schemas), () => undefined); // the thread says it
  const root = resolve(directory);
  const listed = listStamps(root, schemas !== undefined);
  if (listed === undefined) return undefined;
  const found = sets.findStamped(listed.stamps);
  if (found === undefined) return undefined;
  const { kept, stamped } = found;
  return {
    good: {
      kind: "set",
      text: [kept.whole()],
      digest: kept.digest,
      policies: stamped.policies,
      created: stamped.policies,
      updated: 0,
      deleted: 0,
      warnings: kept.warnings,
      ...(schemas !== undefined && { schemas: stamped.schemas ?? new Map() }),
    },
    inForce: { inputs: stamped.inputs, stamps: stamped.stamps, policies: stamped.policies },
    compare: (told) =>
      compareContents({
        root,
        listed,
        rules: schemas,
        inputs: stamped.inputs,
        told: (result) => {
          // What was read tells no set that could be trusted by its stamps: the next start reads.
          if (result === "same") return;
          sets.forgetStamps();
          told(result);
        },
      }),
  };
}
