/** Call ids: ULIDs, 48 bits of time and 80 others in Crockford's base 32; those of one process sort in the order in which they were made. */
import { randomFillSync } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeLength = 10;
const randomLength = 16;
const placeLength = 4;

/** Random bytes are fetched for many ids at once: one call to the generator costs more than an id. */
const pool = new Uint8Array(randomLength * 256);
let used = pool.length;
let latest = -1;
let latestTime = "";
/** The first 20 bits after the time: random with 19 for the first id of a millisecond, one more for each after it. The other 60 are random always. */
let place = 0;

/** Returns a new ULID for an instant in milliseconds since 1970. */
export function ulid(milliseconds: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  // Many ids are made in the same millisecond.
  if (milliseconds === latest) place++;
  else {
    latest = milliseconds;
    latestTime = ulidTime(milliseconds);
    place = (randomPair(0) << 9) | (randomPair(2) >> 1);
  }
  let text = latestTime + (pairs[(place >> 10) & 1023] ?? "") + (pairs[place & 1023] ?? "");
  for (let digit = placeLength; digit < randomLength; digit += 2) text += pairs[randomPair(digit)];
  used += randomLength;
  return text;
}

/** Ten random bits: those of two digits of the next id. */
const randomPair = (digit: number): number => (((pool[used + digit] ?? 0) & 31) << 5) | ((pool[used + digit + 1] ?? 0) & 31);

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
