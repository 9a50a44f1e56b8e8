/** Reassembles one gRPC message from the chunks in which it arrives: networks and proxies cut where they like. */

import { Pieces } from "../connections/pieces.ts";

/** The gRPC message prefix: one byte for the compression flag, four for the length. */
export const prefixLength = 5;

/** Returns whether a chunk is exactly one uncompressed message. */
export const isWholeMessage = (piece: Buffer, maxBytes: number): boolean =>
  piece.length >= prefixLength && lengthIn(piece, maxBytes) === piece.length;

/** Returns the length of a message including its prefix; `NaN` when it is compressed or larger than allowed. */
function lengthIn(start: Buffer, maxBytes: number): number {
  const length = start.readUInt32BE(1);
  return start[0] === 0 && length <= maxBytes ? prefixLength + length : Number.NaN;
}

/** Collects the chunks of one message. */
export class MessageAssembler {
  readonly #maxBytes: number;
  readonly #pieces = new Pieces();
  /** The length of the whole message with its prefix; undefined until the prefix has arrived. */
  #awaited: number | undefined;

  /** `maxBytes` limits the message without its prefix. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk. Returns whether the bytes so far can still be one uncompressed message. */
  add(piece: Buffer): boolean {
    this.#pieces.add(piece);
    const { length } = this.#pieces;
    if (length < prefixLength) return true;
    this.#awaited ??= lengthIn(this.all(), this.#maxBytes);
    return length <= this.#awaited;
  }

  /** The whole message with its prefix; undefined until it has arrived. */
  get whole(): Buffer | undefined {
    return this.#pieces.length === this.#awaited ? this.all() : undefined;
  }

  /** Returns all bytes so far. */
  all(): Buffer {
    return this.#pieces.all();
  }
}
