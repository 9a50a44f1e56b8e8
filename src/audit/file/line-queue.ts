/** Lines that wait as bytes, in blocks: an entry is written when it comes, while its text is still at hand, and no text waits. */
import type { RecordedKind } from "../entry.ts";
import type { Batch } from "../destination.ts";
import type { Queue } from "../outbox.ts";
import { endOfLines, lengthOf, lineFeed, type Line, mostBytesOf, textOfLine, writeEntry } from "./lines.ts";

/** Lines that are written together. They lie side by side in memory that is used again once they are dropped. */
export interface Block extends Batch {
  /** The lines; as long as the block is not dropped, nobody writes over them. */
  readonly lines: () => Buffer;
  /** Makes the last line so many bytes longer, by spaces before its end; false, where there is no room for them. */
  readonly pad: (bytes: number) => boolean;
}

/** How large the memory of a block is: what is written at once, the line that made it enough, and what `pad` may add. */
export const blockBytes = 9 * 2 ** 16;
/** So many bytes are worth a write of their own. */
export const enoughBytes = 2 ** 19;
const mostPadding = 2 ** 12;

/** Opens an empty queue that uses this memory, each a block's; when all of it is full, more is made. Room is counted in bytes. */
export function openLineQueue(memory: readonly Buffer[]): Queue<Line, Block> {
  const free = [...memory];
  const waiting: OpenBlock[] = [];
  /** The block that takes more lines; undefined when the last one is full, or taken. */
  let open: OpenBlock | undefined;
  let length = 0;
  /** Of all blocks but the open one. */
  let closed = 0;
  const close = (block: OpenBlock): void => {
    block.close();
    closed += block.size;
    open = undefined;
  };
  const blockFor = (bytes: number): OpenBlock => {
    if (open?.hasRoomFor(bytes)) return open;
    if (open !== undefined) close(open);
    const usual = bytes + mostPadding <= blockBytes;
    open = new OpenBlock((usual ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes + mostPadding)));
    waiting.push(open);
    return open;
  };
  return {
    push: (line) => {
      blockFor(mostBytesOf(line)).write(line);
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

/** Texts of entries that were put off are written when they are so long. */
const mostPutOff = 2048;

class OpenBlock implements Block {
  declare kinds: RecordedKind[];
  declare readonly memory: Buffer;
  private start = 0;
  private end = 0;
  /** What `pad` has added: nobody sent it. */
  private padding = 0;
  /** Whole lines that will be written with the next one: each call makes a short access entry, and then a decision entry. */
  private putOff = "";

  constructor(memory: Buffer) {
    this.kinds = [];
    this.memory = memory;
  }

  /** How much was sent and waits. */
  get size(): number {
    return this.end - this.start - this.padding + this.putOff.length;
  }

  lines(): Buffer {
    return this.memory.subarray(this.start, this.end);
  }

  hasRoomFor(bytes: number): boolean {
    return this.end + this.putOff.length * 3 + bytes + mostPadding <= this.memory.length;
  }

  write(line: Line): void {
    this.kinds.push(line.kind);
    if ("bytes" in line) {
      this.close();
      this.end += line.bytes.copy(this.memory, this.end, line.start, line.end);
    } else if (line.rest === "") {
      this.putOff += textOfLine(line);
      if (this.putOff.length > mostPutOff) this.close();
    } else {
      this.end = writeEntry(this.putOff, line, this.memory, this.end);
      this.putOff = "";
    }
  }

  /** Writes what was put off. */
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
    // A new list: who took the block may still hold the one of before.
    this.kinds = this.kinds.slice(lines);
  }
}

const space = 0x20;
