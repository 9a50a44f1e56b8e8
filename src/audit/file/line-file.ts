/** A rotated file of lines: it is appended to, closed in segments, and never left with an incomplete line. */
import { access, rename } from "node:fs/promises";
import type { Log } from "../../observe/log.ts";
import { codeOf, messageOf } from "../../refusal.ts";
import { RotationError, type Delivery, type Destination } from "../destination.ts";
import { openAppender, type Appender } from "./appender.ts";
import { openFile } from "./descriptor.ts";
import type { Block } from "./line-queue.ts";
import { countLines, endOfFirstLine, endOfLastLine } from "./lines.ts";
import { appendFlags, type OutputTarget } from "./output-target.ts";
import { removeSegments, segmentPath, type SegmentRules } from "./segments.ts";

/** How many milliseconds after a failed rotation it is tried again. */
const pause = 60_000;

const removed = new Error("it was removed while lines were written");

/** The interval in milliseconds at which old segments are looked for, at least; also after a failure. */
const removalPause = 3_600_000;

/**
 * Takes over an open file. If an earlier run left its last line unfinished, that line is terminated before the first of ours. Blocks
 * may lie in `pages`.
 */
export async function openLineFile(
  target: Extract<OutputTarget, { readonly kind: "file" }>,
  rules: SegmentRules,
  log: Log,
  pages: readonly Buffer[],
): Promise<Destination<Block>> {
  const { path } = target;
  const file = await openAppender(target, pages);
  const segments = openSegments(file, path, rules, log);
  /** The file was removed and could not be created again, so that what is written would be lost. */
  let gone = false;

  /** Checks whether the file was moved away, removed or truncated. */
  const lookAfter = async (): Promise<void> => {
    try {
      await file.look();
      gone = false;
    } catch (error) {
      gone = await file.isRemoved();
      throw gone ? error : new RotationError(messageOf(error), { cause: error });
    }
  };

  await segments.remove();
  return {
    name: path,
    deliver: async (block): Promise<Delivery> => {
      if (gone) await lookAfter();
      const bytes = file.fill(block);
      let done = 0;
      /** How many of these bytes are in closed segments. */
      let closed = 0;
      while (done < bytes.length) {
        const left = bytes.subarray(done);
        if (await segments.rotateIfDue(endOfFirstLine(left))) closed = done;
        const room = Math.max(rules.maxBytes - file.size(), 0);
        const end = left.length <= room ? left.length : endOfLastLine(left, room) || endOfFirstLine(left);
        const { taken, trouble } = await file.append(left.subarray(0, end));
        done += taken;
        if (trouble !== undefined) return { delivered: countLines(bytes, done), trouble };
      }
      if (!(await file.isRemoved())) return { delivered: block.kinds.length };
      // Lines written to an unlinked file are lost, so they are delivered again, into the next file.
      const trouble: unknown = await lookAfter().then(
        () => removed,
        (error: unknown) => error,
      );
      return { delivered: countLines(bytes, closed), trouble };
    },
    maintain: async () => {
      const wasRemoved = file.size() > 0 && (await file.isRemoved());
      await lookAfter();
      // Whoever moves a file away and compresses it at once removes it, too.
      if (wasRemoved) log.warn(`the audit file ${path} was removed: unless it was copied before, what it held is lost; another is begun`);
      await segments.rotateIfDue(0);
      await segments.removeIfDue();
    },
    close: file.close,
  };
}

/** Rotation of the file, and removal of old segments. */
interface Segments {
  /**
   * Closes the segment and begins another when it is too old or would become too large; resolves to whether it did. If that fails, the
   * segment continues.
   */
  readonly rotateIfDue: (incoming: number) => Promise<boolean>;
  /** Removes the segments that are older than the retention. */
  readonly remove: () => Promise<boolean>;
  readonly removeIfDue: () => Promise<void>;
}

function openSegments(file: Appender, path: string, rules: SegmentRules, log: Log): Segments {
  let nextRotation = Number.NEGATIVE_INFINITY;
  let nextRemoval = Date.now() + Math.min(removalPause, rules.closeAfterMilliseconds);

  const beside = async (what: string, again: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      log.error({ "error.message": messageOf(error) }, `${what}: ${messageOf(error)}; it is retried ${again}`);
      return false;
    }
  };
  const remove = (): Promise<boolean> =>
    beside(`old segments of the audit file ${path} cannot be removed`, "within an hour", () => removeSegments(path, rules, Date.now()));
  const begin = (switched: () => void): Promise<boolean> =>
    beside(`the audit file ${path} cannot be rotated`, "in a minute", async () => {
      const segment = await freeSegmentPath(path);
      await rename(path, segment);
      const opened = await openFile(path, appendFlags).catch(async (error: unknown) => {
        await rename(segment, path);
        throw error;
      });
      switched();
      await file.switchTo(opened);
    });
  return {
    rotateIfDue: async (incoming) => {
      if (file.size() === 0 || file.isTorn()) return false;
      const begunAt = file.begunAt();
      const aged = begunAt !== undefined && Date.now() - begunAt >= rules.closeAfterMilliseconds;
      if (!aged && file.size() + incoming <= rules.maxBytes) return false;
      if (performance.now() < nextRotation) return false;
      let isAnother = false;
      if (await begin(() => (isAnother = true))) await remove();
      else nextRotation = performance.now() + pause;
      return isAnother;
    },
    remove,
    removeIfDue: async () => {
      if (Date.now() < nextRemoval) return;
      nextRemoval = Date.now() + Math.min(removalPause, rules.closeAfterMilliseconds);
      await remove();
    },
  };
}

async function freeSegmentPath(path: string): Promise<string> {
  const now = Date.now();
  for (let attempt = 0; ; attempt++) {
    const segment = segmentPath(path, now, attempt);
    const taken = await access(segment).then(
      () => true,
      (error: unknown) => codeOf(error) !== "ENOENT",
    );
    if (!taken) return segment;
  }
}
