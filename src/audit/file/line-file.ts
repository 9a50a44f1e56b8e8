/** A file of lines that grows at its end and is closed off in segments: no half line ever stays in it. */
import { access, open, rename, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import type { Log } from "../../observe/log.ts";
import { codeOf, messageOf } from "../../refusal.ts";
import { StillWritten, type Delivery, type Destination } from "../outbox.ts";
import { closeFile, fileStatus, openFile, syncFile, truncateFile, writeOnce } from "./descriptor.ts";
import { openDirect } from "./direct.ts";
import type { Block } from "./line-queue.ts";
import { countLines, endOfFirstLine, endOfLastLine, lineFeed } from "./lines.ts";
import { appending, type Place } from "./place.ts";
import { readStart, removeSegments, segmentPath, type SegmentRules } from "./segments.ts";

/** How long something that went wrong beside the writing itself is left alone. */
const pause = 60_000;

const removed = new Error("it was removed while lines were written");

/** How often old segments are looked for, at least. */
const removalPause = 3_600_000;

/** Takes over an open file; a line that an earlier run left unfinished is closed off before the first of ours. Blocks may lie in `pages`. */
export async function openLineFile(
  place: Extract<Place, { readonly kind: "file" }>,
  rules: SegmentRules,
  log: Log,
  pages: readonly Buffer[],
): Promise<Destination<Block>> {
  const { path } = place;
  let { descriptor, status } = place;
  let { size } = status;
  let direct = await openDirect(path, status, pages);
  let torn = await endsWithinLine(path, status);
  let begunAt = size === 0 ? undefined : await firstInstant(path, status);
  /** The file was removed, and no other could be had in its place: what is written would be nobody's. */
  let gone = false;
  let nextRotation = Number.NEGATIVE_INFINITY;
  let nextRemoval = Date.now() + Math.min(removalPause, rules.closeAfterMilliseconds);

  const beside = async (what: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      log.error({ "error.message": messageOf(error) }, `${what}: ${messageOf(error)}; it is tried again in a minute`);
      return false;
    }
  };
  const remove = (): Promise<boolean> =>
    beside(`old segments of the audit file ${path} cannot be removed`, () => removeSegments(path, rules, Date.now()));
  const switchTo = async (opened: number): Promise<void> => {
    const before = descriptor;
    descriptor = opened;
    status = await fileStatus(opened);
    ({ size } = status);
    await direct.close();
    direct = await openDirect(path, status, pages);
    torn = await endsWithinLine(path, status);
    begunAt = size === 0 ? undefined : await firstInstant(path, status);
    await syncFile(before);
    await closeFile(before);
  };

  /** Closes the segment and begins another; when that fails the segment goes on. */
  const rotate = async (): Promise<void> => {
    if (performance.now() < nextRotation) return;
    const rotated = await beside(`the audit file ${path} cannot be rotated`, async () => {
      const segment = await freeSegmentPath(path);
      await rename(path, segment);
      const opened = await openFile(path, appending).catch(async (error: unknown) => {
        await rename(segment, path);
        throw error;
      });
      await switchTo(opened);
    });
    if (rotated) await remove();
    else nextRotation = performance.now() + pause;
  };
  /** Says whether another segment has begun. */
  const rotateIfDue = async (incoming: number): Promise<boolean> => {
    if (size === 0 || torn) return false;
    const before = descriptor;
    const aged = begunAt !== undefined && Date.now() - begunAt >= rules.closeAfterMilliseconds;
    if (aged || size + incoming > rules.mostBytes) await rotate();
    return descriptor !== before;
  };

  /** Somebody may have moved the file away, or removed or emptied it. */
  const lookAfter = async (): Promise<void> => {
    try {
      await look();
      gone = false;
    } catch (error) {
      gone = (await fileStatus(descriptor)).nlink === 0;
      throw gone ? error : new StillWritten(messageOf(error), { cause: error });
    }
  };
  const look = async (): Promise<void> => {
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (found !== undefined && found.ino === status.ino && found.dev === status.dev) {
      if (found.size === size) return;
      if (found.size < size) begunAt = undefined;
      torn = await endsWithinLine(path, found);
      ({ size } = found);
    } else {
      await switchTo(await openFile(path, appending));
    }
  };

  /** Appends whole lines, or takes back what is half a line. */
  const append = async (bytes: Buffer): Promise<{ readonly taken: number; readonly trouble?: unknown }> => {
    let taken = 0;
    try {
      if (torn) {
        size += await writeOnce(descriptor, Buffer.of(lineFeed));
        torn = false;
      }
      begunAt ??= Date.now();
      while (taken < bytes.length) {
        const left = bytes.subarray(taken);
        const more = (await direct.append(left, size)) ?? (await writeOnce(descriptor, left));
        taken += more;
        size += more;
      }
      return { taken };
    } catch (trouble) {
      const whole = endOfLastLine(bytes, taken);
      if (taken > whole) torn = !(await cutOff(descriptor, size, taken - whole));
      if (taken > whole && !torn) size -= taken - whole;
      return { taken: whole, trouble };
    }
  };

  await remove();
  return {
    name: path,
    deliver: async (block): Promise<Delivery> => {
      if (gone) await lookAfter();
      const bytes = direct.fill(block, size);
      let done = 0;
      /** How much of it is in closed segments. */
      let closed = 0;
      while (done < bytes.length) {
        const left = bytes.subarray(done);
        if (await rotateIfDue(endOfFirstLine(left))) closed = done;
        const room = Math.max(rules.mostBytes - size, 0);
        const end = left.length <= room ? left.length : endOfLastLine(left, room) || endOfFirstLine(left);
        const { taken, trouble } = await append(left.subarray(0, end));
        done += taken;
        if (trouble !== undefined) return { delivered: countLines(bytes, done), trouble };
      }
      if ((await fileStatus(descriptor)).nlink > 0) return { delivered: block.kinds.length };
      // Lines in a file that has no name any more are nobody's: they come again, into the next one.
      const trouble: unknown = await lookAfter().then(
        () => removed,
        (error: unknown) => error,
      );
      return { delivered: countLines(bytes, closed), trouble };
    },
    tend: async () => {
      await lookAfter();
      await rotateIfDue(0);
      if (Date.now() >= nextRemoval) {
        nextRemoval = Date.now() + Math.min(removalPause, rules.closeAfterMilliseconds);
        await remove();
      }
    },
    close: async () => {
      await direct.close();
      await syncFile(descriptor);
      await closeFile(descriptor);
    },
  };
}

/** Cuts the end of a file off, if nobody has written behind it. */
async function cutOff(descriptor: number, size: number, bytes: number): Promise<boolean> {
  try {
    if ((await fileStatus(descriptor)).size !== size) return false;
    await truncateFile(descriptor, size - bytes);
    return true;
  } catch {
    return false; // the next line begins with a line feed instead
  }
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

/** A file that may be written and not read may end anywhere: an empty line more does no harm. */
async function endsWithinLine(path: string, { size }: Stats): Promise<boolean> {
  if (size === 0) return false;
  const file = await unlessForbidden(() => open(path, "r"));
  if (file === undefined) return true;
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== lineFeed;
  } finally {
    await file.close();
  }
}

/** When the first line was written; a file that does not say so is as old as its last change. */
async function firstInstant(path: string, { mtimeMs }: Stats): Promise<number> {
  const [, written = ""] = /^[^\n]*?"timestamp":"([^"]+)"/.exec((await unlessForbidden(() => readStart(path, 1024))) ?? "") ?? [];
  const instant = Date.parse(written);
  return Number.isNaN(instant) ? mtimeMs : instant;
}

/** Answers undefined where the file may not be read. */
async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    return undefined;
  }
}
