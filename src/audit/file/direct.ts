/** Direct I/O (`O_DIRECT`) for large blocks of lines, in whole pages: the kernel keeps no second copy of what nobody reads, and fetches no page for it. */
import { constants, type Stats } from "node:fs";
import { closeFile, fileStatus, openFile, writeOnce } from "./descriptor.ts";
import { type Block, blockBytes } from "./line-queue.ts";
import { appending } from "./place.ts";

/** The alignment of file offset, memory and length of such a write: the pages of most machines, a multiple of the sectors of all disks. */
const pageBytes = 4096;

/** Fewer bytes are not worth a wait for the disk. */
const leastBytes = 2 ** 16;

/** How blocks go straight to the disk. */
export interface Direct {
  /** Pads a block so that a file of that size ends with a page when it is written, and answers its lines. */
  readonly fill: (block: Block, size: number) => Buffer;
  /** Appends to a file of that size once, and answers how many bytes were taken; undefined when it has to be done in the usual way. */
  readonly append: (bytes: Buffer, size: number) => Promise<number | undefined>;
  readonly close: () => Promise<void>;
}

/**
 * Memory for so many blocks, each of which begins with a page: such memory can be had from WebAssembly alone. Where it cannot be
 * had there is none: blocks that overflow lie anywhere, and go the usual way, as they should when the disk is slower than they come.
 */
export function openPages(blocks: number): readonly Buffer[] {
  try {
    const pages = (blocks * blockBytes) / wasmPage;
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages });
    return Array.from({ length: blocks }, (_, index) => Buffer.from(buffer, index * blockBytes, blockBytes));
  } catch {
    return []; // no address space left for it, or the operator has switched WebAssembly off
  }
}

const wasmPage = 2 ** 16;

// The types of the runtime know it as a namespace without values.
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** Opens a file, which is open already, once more; where its file system or machine has no such way, nothing is ever taken. */
export async function openDirect(path: string, { dev, ino }: Stats, pages: readonly Buffer[]): Promise<Direct> {
  let descriptor = pages.length === 0 ? undefined : await openPast(path);
  const forget = async (): Promise<void> => {
    const opened = descriptor;
    descriptor = undefined;
    if (opened !== undefined) await closeFile(opened);
  };
  if (descriptor !== undefined) {
    const status = await fileStatus(descriptor);
    if (status.dev !== dev || status.ino !== ino) await forget(); // somebody has moved it away meanwhile
  }
  const isInPages = ({ buffer, byteOffset }: Buffer): boolean => buffer === pages[0]?.buffer && byteOffset % pageBytes === 0;
  return {
    fill: (block, size) => {
      const lines = block.lines();
      const over = (size + lines.length) % pageBytes;
      if (descriptor === undefined || over === 0 || lines.length < leastBytes || !isInPages(lines)) return lines;
      return block.pad(pageBytes - over) ? block.lines() : lines;
    },
    append: async (bytes, size) => {
      if (descriptor === undefined || bytes.length < leastBytes || !isInPages(bytes)) return undefined;
      if (size % pageBytes !== 0 || bytes.length % pageBytes !== 0) return undefined;
      try {
        return await writeOnce(descriptor, bytes);
      } catch {
        // Larger sectors, a file that others write to as well, a full disk: what is wrong, if anything, the usual way says.
        await forget();
        return undefined;
      }
    },
    close: forget,
  };
}

const openPast = (path: string): Promise<number | undefined> =>
  constants.O_DIRECT === undefined
    ? Promise.resolve(undefined)
    : openFile(path, (appending & ~constants.O_CREAT) | constants.O_DIRECT).catch(() => undefined);
