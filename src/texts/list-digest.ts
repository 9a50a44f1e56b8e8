/** The digest of a list of texts, told one after the other: they are put together first, because telling each of thousands would cost more than the digest. */
import { createHash } from "node:crypto";

/** A digest that is being made. */
export interface ListDigest {
  /** A text, or its bytes: they come to the same. */
  readonly add: (text: string | Uint8Array) => void;
  /** SHA-256, in hexadecimal. */
  readonly digest: () => string;
}

/** Bytes. */
const roomLength = 2 ** 16;

/** Begins. */
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
    // Each text with its length in bytes, so that no two lists come to the same.
    add: (text) => {
      const length = Buffer.byteLength(text);
      const before = `${length} `;
      // In one writing, where it can be: each of thousands costs more than what is written.
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
