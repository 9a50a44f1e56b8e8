/**
 * The digest of a list of strings. They are collected in a buffer first, because a call of the hash function for each of thousands
 * would cost more than hashing.
 */
import { createHash } from "node:crypto";

/** A digest in progress. */
export interface ListDigest {
  /** Adds a string, or equivalently its bytes. */
  readonly add: (text: string | Uint8Array) => void;
  /** Returns the SHA-256, in hexadecimal. */
  readonly digest: () => string;
}

/** The size of the buffer in bytes. */
const roomLength = 2 ** 16;

/** Starts a digest. */
export function openListDigest(): ListDigest {
  const hash = createHash("sha256");
  const room = Buffer.allocUnsafeSlow(roomLength);
  let used = 0;
  const flush = (): void => {
    hash.update(room.subarray(0, used));
    used = 0;
  };
  const put = (text: string | Uint8Array, length: number): void => {
    if (used + length > roomLength) flush();
    if (length > roomLength) hash.update(text);
    else if (typeof text === "string") used += room.write(text, used);
    else {
      room.set(text, used);
      used += length;
    }
  };
  return {
    // Each string is preceded by its length in bytes, so that different lists give different input.
    add: (text) => {
      const length = Buffer.byteLength(text);
      const before = `${length} `;
      // One write if possible, because the call costs more than the copying.
      if (typeof text === "string") return put(before + text, before.length + length);
      put(before, before.length);
      put(text, length);
    },
    digest: () => {
      flush();
      return hash.digest("hex");
    },
  };
}
