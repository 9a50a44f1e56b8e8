/** Appends whole lines to a file, after its existing contents; switches to another file when this one is moved away or removed. */
import { open, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { codeOf } from "../../refusal.ts";
import { closeFile, fileStatus, openFile, syncFile, truncateFile, writeOnce } from "./descriptor.ts";
import { openDirectWriter } from "./direct-writer.ts";
import type { Block } from "./line-queue.ts";
import { endOfLastLine, lineFeed } from "./lines.ts";
import { appendFlags, type OutputTarget } from "./output-target.ts";
import { readStart } from "./segments.ts";
import { unlinkedTest } from "./unlinked.ts";

/** A file that is appended to. */
export interface Appender {
  readonly size: () => number;
  /** When its first line was written, in milliseconds since 1970; undefined while there is none. */
  readonly begunAt: () => number | undefined;
  /** Returns whether it ends within a line that another process began. */
  readonly isTorn: () => boolean;
  /** Returns whether the file has been unlinked. What is written to it then would be lost. */
  readonly isRemoved: () => boolean | Promise<boolean>;
  /** Returns the lines of a block, as bytes that can be appended with one write. */
  readonly fill: (block: Block) => Buffer;
  /** Appends whole lines; after a partial write, removes the incomplete line. */
  readonly append: (bytes: Buffer) => Promise<{ readonly taken: number; readonly trouble?: unknown }>;
  /** Switches to another open file. */
  readonly switchTo: (opened: number) => Promise<void>;
  /** Checks whether the file was moved away, removed or truncated, and reopens it by its path if so. */
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Takes over an open file. If an earlier run left its last line unfinished, that line is terminated before the first of ours. Blocks
 * may lie in `pages`.
 */
export async function openAppender(target: Extract<OutputTarget, { readonly kind: "file" }>, pages: readonly Buffer[]): Promise<Appender> {
  const { path } = target;
  let { descriptor, status } = target;
  let { size } = status;
  let direct = await openDirectWriter(path, status, pages);
  let isUnlinked = await unlinkedTest(path);
  let torn = await endsWithinLine(path, status);
  let begunAt = size === 0 ? undefined : await firstInstant(path, status);

  const switchTo = async (opened: number): Promise<void> => {
    const before = descriptor;
    descriptor = opened;
    try {
      status = await fileStatus(opened);
      ({ size } = status);
      await direct.close();
      direct = await openDirectWriter(path, status, pages);
      isUnlinked = await unlinkedTest(path);
      torn = await endsWithinLine(path, status);
      begunAt = size === 0 ? undefined : await firstInstant(path, status);
      await syncFile(before);
    } finally {
      await closeFile(before);
    }
  };
  return {
    size: () => size,
    begunAt: () => begunAt,
    isTorn: () => torn,
    isRemoved: () => isUnlinked(descriptor),
    fill: (block) => direct.fill(block, size),
    append: async (bytes) => {
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
    },
    switchTo,
    look: async () => {
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
        await switchTo(await openFile(path, appendFlags));
      }
    },
    close: async () => {
      try {
        await direct.close();
        await syncFile(descriptor);
      } finally {
        await closeFile(descriptor);
      }
    },
  };
}

/** Truncates the end of a file, unless another process has appended to it. */
async function cutOff(descriptor: number, size: number, bytes: number): Promise<boolean> {
  try {
    if ((await fileStatus(descriptor)).size !== size) return false;
    await truncateFile(descriptor, size - bytes);
    return true;
  } catch {
    return false; // the next line then begins with a line feed instead
  }
}

/** Returns whether a file ends within a line. If it cannot be read, the answer is yes, because an additional empty line does no harm. */
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

/** Returns when the first line was written; if it has no timestamp, when the file was last modified. */
async function firstInstant(path: string, { mtimeMs }: Stats): Promise<number> {
  const [, written = ""] = /^[^\n]*?"timestamp":"([^"]+)"/.exec((await unlessForbidden(() => readStart(path, 1024))) ?? "") ?? [];
  const instant = Date.parse(written);
  return Number.isNaN(instant) ? mtimeMs : instant;
}

/** Resolves to undefined when the file may not be read. */
async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    return undefined;
  }
}
