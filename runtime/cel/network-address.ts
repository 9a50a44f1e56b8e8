/** Internet addresses and ranges, read as strictly as Go's net package does. */

/** The 16 bytes of an address; IPv4 lies in the range ::ffff:0:0/96. */
export interface Address {
  readonly bytes: readonly number[];
  /** How it was written: 4 or 6 groups tell whether a range counts from the start of 32 or 128 bits. */
  readonly family: 4 | 6;
}

/** The addresses that share their leading bits. */
interface AddressRange {
  /** As written: bits behind the leading ones may be set. */
  readonly address: Address;
  /** How many of the 32 or 128 bits they share. */
  readonly bits: number;
}

const decimalByte = /^(?:0|[1-9][0-9]{0,2})$/;
const group = /^[0-9a-fA-F]{1,4}$/;
const longest = 45;

/** Reads `10.1.2.3`, `2001:db8::1` or `::ffff:10.1.2.3`; no zones, no leading zeros. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > longest) return undefined;
  if (!text.includes(":")) {
    const bytes = parseDotted(text);
    return bytes === undefined ? undefined : { bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes], family: 4 };
  }
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return { bytes: [...head, ...Array.from({ length: missing }, () => 0), ...tail], family: 6 };
}

function parseDotted(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  const bytes = parts.map(Number);
  return parts.length === 4 && parts.every((part) => decimalByte.test(part)) && bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** Groups of 16 bits; the last two may be written as IPv4 where the address ends. */
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

/** Reads `10.0.0.0/8`. */
export function parseRange(text: string): AddressRange | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]{1,3}$/.test(length)) return undefined;
  const bits = Number(length);
  return bits <= (address.family === 4 ? 32 : 128) ? { address, bits } : undefined;
}

/** Returns the first address of a range. */
export const firstOf = ({ address, bits }: AddressRange): Address => ({
  ...address,
  bytes: leading(address.bytes, address.family === 4 ? bits + 96 : bits),
});

/** Keeps the leading bits, the others become zero. */
const leading = (bytes: readonly number[], bits: number): readonly number[] =>
  bytes.map((byte, i) => byte & (0xff << (8 - Math.min(8, Math.max(0, bits - 8 * i)))) & 0xff);

/** Says whether an address lies in ::ffff:0:0/96, where IPv4 has its place. */
export const isMapped = ({ bytes }: Address): boolean =>
  bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

/** Says whether a range holds an address. IPv4 inside IPv6 counts as IPv4, on both sides. */
export function contains(range: AddressRange, candidate: Address): boolean {
  const first = firstOf(range);
  if (isMapped(first) !== isMapped(candidate)) return false;
  const network = leading(candidate.bytes, first.family === 4 ? range.bits + 96 : range.bits);
  return first.bytes.every((byte, i) => byte === network[i]);
}

/** Writes an address in its shortest form: the longest run of zero groups becomes `::`. */
export function printAddress({ bytes, family }: Address): string {
  if (family === 4) return bytes.slice(12).join(".");
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
