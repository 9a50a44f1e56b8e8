/** A queue of lines as bytes, in blocks: an entry is encoded when it arrives, so that no strings are retained. */
import type { RecordedKind } from "../entry.ts";
import type { Batch } from "../destination.ts";
import type { Queue } from "../outbox.ts";
import { endOfLines, lengthOf, lineFeed, type Line, maxBytesOf, textOfLine, writeEntry } from "./lines.ts";

/** Lines that are written together. They are contiguous in memory, which is reused once they are dropped. */
export interface Block extends Batch {
  /** Returns the lines. The memory is not overwritten until the block is dropped. */
  readonly lines: () => Buffer;
  /** Lengthens the last line by adding spaces before its end; returns false when there is no room. */
  readonly pad: (bytes: number) => boolean;
}

/** The size of a block's memory in bytes: what is written at once, the line that exceeds it, and what `pad` may add. */
export const blockBytes = 9 * 2 ** 16;
/** So many bytes are written without waiting for more. */
export const enoughBytes = 2 ** 19;
const maxPadding = 2 ** 12;

/** Opens an empty queue with this memory, one buffer per block; when all are full, more is allocated. Sizes are in bytes. */
export function openLineQueue(memory: readonly Buffer[]): Queue<Line, Block> {
  const free = [...memory];
  const waiting: OpenBlock[] = [];
  /** The block that is being filled; undefined when the last one is full or was taken. */
  let open: OpenBlock | undefined;
  let length = 0;
  /** The size of all other blocks. */
  let closed = 0;
  const close = (block: OpenBlock): void => {
    block.close();
    closed += block.size;
    open = undefined;
  };
  const blockFor = (bytes: number): OpenBlock => {
    if (open?.hasRoomFor(bytes)) return open;
    if (open !== undefined) close(open);
    const usual = bytes + maxPadding <= blockBytes;
    open = new OpenBlock((usual ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes + maxPadding)));
    waiting.push(open);
    return open;
  };
  return {
    push: (line) => {
      blockFor(maxBytesOf(line)).write(line);
      length++;
    },
    sizeOf: lengthOf,
    length: () => length,
    size: () => closed + (open === undefined ? 0 : open.size),
    take: () => {
      const [first] = waiting;
      if (first === undefined) throw new Error("lines are taken where none wait");
      if (first === open) close(first);
      return first;
    },
    drop: (lines) => {
      const [first] = waiting;
      if (first === undefined || lines === 0) return;
      length -= lines;
      closed -= first.size;
      first.drop(lines);
      closed += first.size;
      if (first.kinds.length > 0) return;
      waiting.shift();
      if (memory.includes(first.memory)) free.push(first.memory);
    },
    kinds: () => waiting.flatMap(({ kinds }) => kinds),
  };
}

/** Deferred lines are encoded when they have this many characters. */
const maxDeferred = 2048;

class OpenBlock implements Block {
  declare kinds: RecordedKind[];
  declare readonly memory: Buffer;
  private start = 0;
  private end = 0;
  /** The bytes that `pad` has added, which do not count as sent. */
  private padding = 0;
  /** Complete lines to be encoded together with the next one: each call produces a short access entry, and then a decision entry. */
  private putOff = "";

  constructor(memory: Buffer) {
    this.kinds = [];
    this.memory = memory;
  }

  /** How many bytes wait, without padding. */
  get size(): number {
    return this.end - this.start - this.padding + this.putOff.length;
  }

  lines(): Buffer {
    return this.memory.subarray(this.start, this.end);
  }

  hasRoomFor(bytes: number): boolean {
    return this.end + this.putOff.length * 3 + bytes + maxPadding <= this.memory.length;
  }

  write(line: Line): void {
    this.kinds.push(line.kind);
    if ("bytes" in line) {
      this.close();
      this.end += line.bytes.copy(this.memory, this.end, line.start, line.end);
    } else if (line.rest === "") {
      this.putOff += textOfLine(line);
      if (this.putOff.length > maxDeferred) this.close();
    } else {
      this.end = writeEntry(this.putOff, line, this.memory, this.end);
      this.putOff = "";
    }
  }

  /** Encodes the deferred lines. */
  close(): void {
    if (this.putOff === "") return;
    this.end += this.memory.write(this.putOff, this.end, "utf8");
    this.putOff = "";
  }

  pad(bytes: number): boolean {
    const { memory, end } = this;
    if (end + bytes > memory.length) return false;
    memory.fill(space, end - 1, end + bytes - 1);
    this.end = end + bytes;
    memory[this.end - 1] = lineFeed;
    this.padding += bytes;
    return true;
  }

  drop(lines: number): void {
    const isAll = lines === this.kinds.length;
    this.start = isAll ? this.end : this.start + endOfLines(this.lines(), lines);
    if (isAll) this.padding = 0;
    // A new list, because whoever took the block may still hold the old one.
    this.kinds = this.kinds.slice(lines);
  }
}

const space = 0x20;
