/** Reassembles one gRPC message from the chunks in which it arrives: networks and proxies cut where they like. */

/** Whether the message is compressed, and its length. */
export const prefixLength = 5;

/** Says whether a piece of a stream is one message that is not compressed, from beginning to end. */
export const isWholeMessage = (piece: Buffer, mostBytes: number): boolean =>
  piece.length >= prefixLength && lengthIn(piece, mostBytes) === piece.length;

/** How long it is with its prefix; `NaN` when it is compressed, or longer than it may be. */
function lengthIn(start: Buffer, mostBytes: number): number {
  const length = start.readUInt32BE(1);
  return start[0] === 0 && length <= mostBytes ? prefixLength + length : Number.NaN;
}

/** The pieces until now. */
export class Gathering {
  readonly #mostBytes: number;
  readonly #pieces: Buffer[] = [];
  #gathered = 0;
  /** How many bytes it takes; unknown until the prefix is there. */
  #awaited: number | undefined;

  /** A message may have so many bytes without its prefix. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Takes another piece, and says whether what came can still be one message that is not compressed. */
  take(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#gathered += piece.length;
    if (this.#gathered < prefixLength) return true;
    this.#awaited ??= lengthIn(this.all(), this.#mostBytes);
    return this.#gathered <= this.#awaited;
  }

  /** The whole message with its prefix, once it is there. */
  get whole(): Buffer | undefined {
    return this.#gathered === this.#awaited ? this.all() : undefined;
  }

  /** All that came. */
  all(): Buffer {
    const [only] = this.#pieces;
    return only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces, this.#gathered);
  }
}
