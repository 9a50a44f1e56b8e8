/**
 * Compares files that a start recognised by their stamps with the contents that were compiled, afterwards and slowly, so that decisions
 * are not delayed.
 */
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { byKey, openInputsDigest } from "./set-inputs.ts";
import type { SchemaRules } from "../schemas/check.ts";
import { describedSource, textFrom } from "../store/file-source.ts";
import { belowSchemas, isSchemaPath } from "../store/schema-paths.ts";
import type { ListedFolder } from "../store/stamps.ts";
import { fileBelow, isSameStamp, stampFrom, type Stamp } from "../store/tree.ts";

/** What is compared, and the callback. */
export interface ComparisonOptions {
  /** An absolute path. */
  readonly root: string;
  readonly listed: ListedFolder;
  readonly rules: SchemaRules | undefined;
  /** The digest of the inputs that were compiled. */
  readonly inputs: string;
  /**
   * "other": the stamps are the same, but the contents differ. "changed": files have been changed or removed since, or cannot be read,
   * so that their earlier contents cannot be verified.
   */
  readonly onResult: (result: ComparisonResult) => void;
  /** The delay before it begins, in milliseconds: a server that has just started has more urgent work. */
  readonly delayMilliseconds?: number;
}

type ComparisonResult = "same" | "other" | "changed";

/** The remark for "other". */
export const otherContents =
  "policies have changed since they were compiled, although the file system says that the files are the same: all are read again (setting compile.cacheTrust)";

/** The remark for "changed", if the store is not followed. */
export const unclearContents =
  "policies were changed before they could be compared with what they were compiled from: what is in force was taken for them by their times and sizes, and the next start reads all (setting compile.cacheTrust)";

/** How many files are read without a pause. Reading waits in the system's thread pool, never in the main thread. */
const filesPerBatch = 16;
/** A pause lasts this many times as long as the reading before it: nine thousand files are read within a minute. */
const pauseFactor = 25;

/** Starts comparing; returns a function that stops it. */
export function compareContents({ root, listed, rules, inputs, onResult, delayMilliseconds = 5000 }: ComparisonOptions): () => void {
  const stopping = new AbortController();
  const pause = (milliseconds: number): Promise<void> => sleep(milliseconds, undefined, { signal: stopping.signal, ref: false });
  const compare = async (): Promise<ComparisonResult> => {
    await pause(delayMilliseconds);
    const all = [...listed.entries].sort(byKey);
    const policies = all.filter(([path]) => !isSchemaPath(path));
    const schemas = rules === undefined ? [] : all.filter(([path]) => isSchemaPath(path));
    const digest = openInputsDigest(rules, policies.length);
    let began = performance.now();
    let read = 0;
    for (const [path, stamp] of [...policies, ...schemas]) {
      const bytes = await readAsListed(fileBelow(root, path), stamp);
      if (bytes === undefined) return "changed";
      try {
        if (isSchemaPath(path)) digest.addSchema(belowSchemas(path), textFrom(bytes));
        else digest.addSource(describedSource(path), textFrom(bytes));
      } catch {
        return "other"; // it is not UTF-8, but it was
      }
      if (++read % filesPerBatch > 0) continue;
      await pause((performance.now() - began) * pauseFactor);
      began = performance.now();
    }
    return digest.digest() === inputs ? "same" : "other";
  };
  compare().then(
    (result) => void (stopping.signal.aborted || onResult(result)),
    () => undefined, // comparing was stopped
  );
  return () => stopping.abort();
}

/**
 * Reads a file; undefined when it has been changed or replaced since it was listed, or cannot be read. The stamp is taken after
 * reading, so that changes during the reading are noticed.
 */
async function readAsListed(file: string, listed: Stamp): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, "r");
    try {
      const bytes = await handle.readFile();
      return isSameStamp(listed, stampFrom(await handle.stat())) ? bytes : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
