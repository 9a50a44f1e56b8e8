/** Call ids: ULIDs, 48 bits of time and 80 random bits in Crockford's base 32, sortable by time. */
import { randomFillSync } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeLength = 10;
const randomLength = 16;

/** Random bytes are fetched for many ids at once: one call to the generator costs more than an id. */
const pool = new Uint8Array(randomLength * 256);
let used = pool.length;

/** Returns a new ULID for an instant in milliseconds since 1970. */
export function ulid(milliseconds: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const time = ulidTime(milliseconds);
  let random = "";
  for (let digit = 0; digit < randomLength; digit++) random += alphabet.charAt((pool[used + digit] ?? 0) & 31);
  used += randomLength;
  return time + random;
}

/** Returns the characters that every ULID of an instant begins with. */
export function ulidTime(milliseconds: number): string {
  let time = "";
  for (let rest = Math.floor(milliseconds), digit = 0; digit < timeLength; digit++) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}
