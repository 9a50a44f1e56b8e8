/** Direct I/O (`O_DIRECT`) for large blocks of lines, in whole pages: the kernel then caches no copy of data that nobody reads. */
import { constants, type Stats } from "node:fs";
import { closeFile, fileStatus, openFile, writeOnce } from "./descriptor.ts";
import { type Block, blockBytes } from "./line-queue.ts";
import { appendFlags } from "./output-target.ts";

/**
 * The alignment of file offset, memory and length of a direct write: the page size of most machines, a multiple of the sector size of
 * all disks.
 */
const pageBytes = 4096;

/** Writes of fewer bytes are not worth waiting for the disk. */
const minBytes = 2 ** 16;

/** Direct writes to a file. */
export interface DirectWriter {
  /** Pads a block so that a file of this size ends on a page boundary after the write; returns its lines. */
  readonly fill: (block: Block, size: number) => Buffer;
  /**
   * Appends to a file of this size with one write, and resolves to the number of bytes written; undefined when a buffered write must be
   * used.
   */
  readonly append: (bytes: Buffer, size: number) => Promise<number | undefined>;
  readonly close: () => Promise<void>;
}

/**
 * Allocates page-aligned memory for blocks, which only WebAssembly memory guarantees. Where that fails, there is none: other blocks are
 * not aligned, and use buffered writes, as they also should when the disk is slower than entries arrive.
 */
export function openPages(blocks: number): readonly Buffer[] {
  try {
    const pages = (blocks * blockBytes) / wasmPage;
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages });
    return Array.from({ length: blocks }, (_, index) => Buffer.from(buffer, index * blockBytes, blockBytes));
  } catch {
    return []; // not enough address space, or the operator has disabled WebAssembly
  }
}

const wasmPage = 2 ** 16;

// The compiler's types for Node declare it as a namespace without values.
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => { readonly buffer: ArrayBuffer };
};

/**
 * Opens an open file a second time for direct I/O. Where the file system or machine does not support it, every append returns
 * undefined.
 */
export async function openDirectWriter(path: string, { dev, ino }: Stats, pages: readonly Buffer[]): Promise<DirectWriter> {
  let descriptor = pages.length === 0 ? undefined : await openBypassingCache(path);
  const forget = async (): Promise<void> => {
    const opened = descriptor;
    descriptor = undefined;
    if (opened !== undefined) await closeFile(opened);
  };
  if (descriptor !== undefined) {
    const status = await fileStatus(descriptor);
    if (status.dev !== dev || status.ino !== ino) await forget(); // the file was moved away in between
  }
  const isInPages = ({ buffer, byteOffset }: Buffer): boolean => buffer === pages[0]?.buffer && byteOffset % pageBytes === 0;
  return {
    fill: (block, size) => {
      const lines = block.lines();
      const over = (size + lines.length) % pageBytes;
      if (descriptor === undefined || over === 0 || lines.length < minBytes || !isInPages(lines)) return lines;
      return block.pad(pageBytes - over) ? block.lines() : lines;
    },
    append: async (bytes, size) => {
      if (descriptor === undefined || bytes.length < minBytes || !isInPages(bytes)) return undefined;
      if (size % pageBytes !== 0 || bytes.length % pageBytes !== 0) return undefined;
      try {
        return await writeOnce(descriptor, bytes);
      } catch {
        // For example larger sectors, other writers to the file, or a full disk: if there is an error, the buffered write will report
        // it.
        await forget();
        return undefined;
      }
    },
    close: forget,
  };
}

const openBypassingCache = (path: string): Promise<number | undefined> =>
  constants.O_DIRECT === undefined
    ? Promise.resolve(undefined)
    : openFile(path, (appendFlags & ~constants.O_CREAT) | constants.O_DIRECT).catch(() => undefined);
