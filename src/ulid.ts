/**
 * Call ids: ULIDs, with 48 bits of time and 80 others in Crockford's base 32. The ids of one process sort in the order in which they
 * were made.
 */
import { randomFillSync } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeLength = 10;
const randomLength = 16;
const placeLength = 4;

/** Random bytes are generated for many ids at once, because a call of the generator costs more than an id. */
const pool = new Uint8Array(randomLength * 256);
let used = pool.length;
let latest = -1;
let latestTime = "";
/**
 * The first 20 bits after the time: random (19 bits) for the first id of a millisecond, and incremented for each further one. The other
 * 60 bits are always random.
 */
let place = 0;

/** Returns a new ULID for an instant in milliseconds since 1970. */
export function ulid(milliseconds: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  // Many ids are made in the same millisecond, so the encoded time is cached.
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

/** Returns ten random bits, for two digits of the next id. */
const randomPair = (digit: number): number => (((pool[used + digit] ?? 0) & 31) << 5) | ((pool[used + digit + 1] ?? 0) & 31);

/** All pairs of digits, so that two are encoded at a time. */
const pairs = Array.from({ length: 32 * 32 }, (_, pair) => alphabet.charAt(pair >> 5) + alphabet.charAt(pair & 31));

/** Returns the time part of a ULID, with which every ULID of an instant begins. */
export function ulidTime(milliseconds: number): string {
  let time = "";
  for (let rest = Math.floor(milliseconds), digit = 0; digit < timeLength; digit++) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}
