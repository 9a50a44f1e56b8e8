/** IP addresses and CIDR ranges, parsed as strictly as Go's net package. */
import { work } from "./work.ts";

/** An IP address as 16 bytes; IPv4 is stored in ::ffff:0:0/96. */
export interface Address {
  readonly bytes: readonly number[];
  /** How it was written: as IPv4 or IPv6. Determines whether a prefix length counts from 32 or 128 bits. */
  readonly family: 4 | 6;
}

/** A CIDR range: the addresses that share a prefix. */
interface AddressRange {
  /** As written: host bits may be set. */
  readonly address: Address;
  /** The prefix length: 0 to 32 or 0 to 128. */
  readonly bits: number;
}

/** The work of parsing or printing an IPv6 address. */
const priceOfGroups = 128;

const group = /^[0-9a-fA-F]{1,4}$/;
const longest = 45;

/** Parses `10.1.2.3`, `2001:db8::1` or `::ffff:10.1.2.3`; undefined if invalid. No zones, no leading zeros in IPv4. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > longest) return undefined;
  if (!text.includes(":")) {
    const bytes = parseDotted(text);
    if (bytes === undefined) return undefined;
    const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
    return { bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, first, second, third, fourth], family: 4 };
  }
  work(priceOfGroups);
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return { bytes: [...head, ...Array.from({ length: missing }, () => 0), ...tail], family: 6 };
}

/** Parses dotted IPv4 into four bytes. One pass over the characters, because policies do this in the hot path. */
function parseDotted(text: string): readonly number[] | undefined {
  const bytes: number[] = [];
  let byte = 0;
  let digits = 0;
  for (let at = 0; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit >= 0 && digit <= 9) {
      // Leading zeros are invalid.
      if (digits > 0 && byte === 0) return undefined;
      byte = byte * 10 + digit;
      digits++;
      if (byte > 255) return undefined;
    } else if (digits > 0 && (at === text.length || digit === dot)) {
      bytes.push(byte);
      byte = 0;
      digits = 0;
    } else {
      return undefined;
    }
  }
  return bytes.length === 4 ? bytes : undefined;
}

const zero = 0x30;
const dot = 0x2e - zero;

/** Parses 16-bit groups into bytes. At the end of an address the last two may be written as IPv4. */
function parseGroups(text: string, atEnd: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (atEnd && i === parts.length - 1 && part.includes(".")) {
      const dotted = parseDotted(part);
      if (dotted === undefined) return undefined;
      bytes.push(...dotted);
    } else if (group.test(part)) {
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes;
}

/** Parses `10.0.0.0/8`; undefined if invalid. */
export function parseRange(text: string): AddressRange | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]{1,3}$/.test(length)) return undefined;
  const bits = Number(length);
  return bits <= (address.family === 4 ? 32 : 128) ? { address, bits } : undefined;
}

/** Returns the first address of a range: host bits cleared. */
export const firstOf = ({ address, bits }: AddressRange): Address => ({
  ...address,
  bytes: leading(address.bytes, address.family === 4 ? bits + 96 : bits),
});

/** Keeps the first `bits` bits and clears the others. */
const leading = (bytes: readonly number[], bits: number): readonly number[] => bytes.map((byte, i) => byte & maskOf(bits - 8 * i));

/** The mask of the first `bits` bits of a byte; clamped to 0..8. */
const maskOf = (bits: number): number => (0xff << (8 - Math.min(8, Math.max(0, bits)))) & 0xff;

/** Whether an address lies in ::ffff:0:0/96, the range of IPv4 addresses. */
export function isMapped({ bytes }: Address): boolean {
  for (let at = 0; at < 10; at++) if (bytes[at] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

/** Whether a range contains an address. IPv4-mapped IPv6 counts as IPv4 on both sides. */
export function contains(range: AddressRange, candidate: Address): boolean {
  const { address, bits } = range;
  const isVersion4 = address.family === 4 || isMapped(firstOf(range));
  if (isVersion4 !== isMapped(candidate)) return false;
  const shared = address.family === 4 ? bits + 96 : bits;
  for (let at = 0; at * 8 < shared; at++) {
    const differing = (address.bytes[at] ?? 0) ^ (candidate.bytes[at] ?? 0);
    if ((differing & maskOf(shared - 8 * at)) !== 0) return false;
  }
  return true;
}

/** Formats an address in its shortest form: the longest run of zero groups becomes `::`. */
export function printAddress({ bytes, family }: Address): string {
  if (family === 4) return bytes.slice(12).join(".");
  work(priceOfGroups);
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const run = longestRun(groups);
  const text = (part: readonly number[]): string => part.map((value) => value.toString(16)).join(":");
  return run.length < 2 ? text(groups) : `${text(groups.slice(0, run.start))}::${text(groups.slice(run.start + run.length))}`;
}

function longestRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [i, value] of groups.entries()) {
    if (value !== 0) start = i + 1;
    else if (i + 1 - start > best.length) best = { start, length: i + 1 - start };
  }
  return best;
}
