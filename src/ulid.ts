/** Call ids: ULIDs, 48 bits of time and 80 random bits in Crockford's base 32, sortable by time. */
import { randomFillSync } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeLength = 10;
const randomLength = 16;

/** Random bytes are fetched for many ids at once: one call to the generator costs more than an id. */
const pool = new Uint8Array(randomLength * 256);
let used = pool.length;
let latest = -1;
let latestTime = "";

/** Returns a new ULID for an instant in milliseconds since 1970. */
export function ulid(milliseconds: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  // Many ids are made in the same millisecond.
  if (milliseconds !== latest) {
    latest = milliseconds;
    latestTime = ulidTime(milliseconds);
  }
  let random = "";
  for (let digit = 0; digit < randomLength; digit += 2)
    random += pairs[(((pool[used + digit] ?? 0) & 31) << 5) | ((pool[used + digit + 1] ?? 0) & 31)];
  used += randomLength;
  return latestTime + random;
}

/** Two digits at a time. */
const pairs = Array.from({ length: 32 * 32 }, (_, pair) => alphabet.charAt(pair >> 5) + alphabet.charAt(pair & 31));

/** Returns the characters that every ULID of an instant begins with. */
export function ulidTime(milliseconds: number): string {
  let time = "";
  for (let rest = Math.floor(milliseconds), digit = 0; digit < timeLength; digit++) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}
