/** Files that a start took for the same without reading them, read afterwards: a little at a time, beside the checks that are answered. */
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { byKeys, openInputs } from "./set-inputs.ts";
import type { SchemaRules } from "../schemas/check.ts";
import { describedSource, textFrom } from "../store/file-source.ts";
import { belowSchemas, isSchemaPath } from "../store/schema-paths.ts";
import type { ListedFolder } from "../store/stamps.ts";
import { fileBelow, isSameStamp, stampFrom, type Stamp } from "../store/tree.ts";

/** What is compared with what, and who is told. */
export interface Comparison {
  /** Absolute. */
  readonly root: string;
  readonly listed: ListedFolder;
  readonly rules: SchemaRules | undefined;
  /** The digest of what the files are taken for. */
  readonly inputs: string;
  /**
   * "other": the same stamps, and other texts. "changed": some have been changed or removed since, or cannot be read now, so
   * that nothing can be said of what they were.
   */
  readonly told: (result: Found) => void;
  /** When it begins: who has just started has more urgent work. */
  readonly afterMilliseconds?: number;
}

type Found = "same" | "other" | "changed";

/** What is said where that is so. */
export const otherContents =
  "policies have changed since they were compiled, although the file system says that the files are the same: all are read again (setting compile.cacheTrust)";

/** What is said where nobody can say any more whether it is so, and nothing is followed. */
export const unclearContents =
  "policies were changed before they could be compared with what they were compiled from: what is in force was taken for them by their times and sizes, and the next start reads all (setting compile.cacheTrust)";

/** Read without a pause. Reading waits on threads of the system, never on the one that answers. */
const filesOfTurn = 16;
/** A pause is so many times as long as the reading before it: nine thousand files are read within a minute. */
const pauseShare = 25;

/** Begins; returns how to stop. */
export function compareContents({ root, listed, rules, inputs, told, afterMilliseconds = 5000 }: Comparison): () => void {
  const stopping = new AbortController();
  const pause = (milliseconds: number): Promise<void> => sleep(milliseconds, undefined, { signal: stopping.signal, ref: false });
  const compare = async (): Promise<Found> => {
    await pause(afterMilliseconds);
    const all = [...listed.entries].sort(byKeys);
    const policies = all.filter(([path]) => !isSchemaPath(path));
    const schemas = rules === undefined ? [] : all.filter(([path]) => isSchemaPath(path));
    const digest = openInputs(rules, policies.length);
    let began = performance.now();
    let read = 0;
    for (const [path, stamp] of [...policies, ...schemas]) {
      const bytes = await readAsListed(fileBelow(root, path), stamp);
      if (bytes === undefined) return "changed";
      try {
        if (isSchemaPath(path)) digest.addSchema(belowSchemas(path), textFrom(bytes));
        else digest.addSource(describedSource(path), textFrom(bytes));
      } catch {
        return "other"; // it is no text: there was one
      }
      if (++read % filesOfTurn > 0) continue;
      await pause((performance.now() - began) * pauseShare);
      began = performance.now();
    }
    return digest.digest() === inputs ? "same" : "other";
  };
  compare().then(
    (result) => void (stopping.signal.aborted || told(result)),
    () => undefined, // it was stopped
  );
  return () => stopping.abort();
}

/** Undefined where it is another file by now, or cannot be read. It is asked last what it is: what was changed before or meanwhile is seen. */
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
