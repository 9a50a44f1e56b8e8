/** Gathers the pieces of a body or message as they arrive, in about as much memory as they have bytes. */

/** Pieces of at least this many bytes are kept as they are. */
const large = 4096;
/**
 * The sizes of the blocks into which smaller ones are copied. A client may send a byte at a time, and each piece kept by itself would
 * cost hundreds of bytes.
 */
const [smallestBlock, largestBlock] = [512, 4 * large] as const;

const noBlock = Buffer.alloc(0);

/** The pieces so far. */
export class Pieces {
  readonly #parts: Buffer[] = [];
  #length = 0;
  /** The block that is being filled: `#from` to `#to` is filled, and not among the parts yet. */
  #block = noBlock;
  #from = 0;
  #to = 0;

  /** The number of bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a piece. */
  add(piece: Buffer): void {
    const isFirst = this.#length === 0;
    this.#length += piece.length;
    // Most bodies have one piece, which is not copied.
    if (isFirst || piece.length >= large) {
      this.#cut();
      this.#parts.push(piece);
      return;
    }
    if (this.#block.length - this.#to < piece.length) {
      this.#cut();
      this.#block = Buffer.allocUnsafeSlow(Math.min(largestBlock, Math.max(smallestBlock, 2 * this.#length)));
      this.#from = this.#to = 0;
    }
    this.#to += piece.copy(this.#block, this.#to);
  }

  /** Returns all bytes. */
  all(): Buffer {
    this.#cut();
    const [only] = this.#parts;
    return only !== undefined && this.#parts.length === 1 ? only : Buffer.concat(this.#parts, this.#length);
  }

  /** Adds what was filled to the parts; the rest of the block is filled later. */
  #cut(): void {
    if (this.#to > this.#from) this.#parts.push(this.#block.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }
}
