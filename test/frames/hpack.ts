/** Header blocks of HTTP/2 (RFC 7541): written as plainly as can be, so that anything can be written, and read as our server writes them. */

/** One field as it goes over the wire. */
export type Field = readonly [name: string, value: string];

/** A whole number with a prefix of so many bits. */
export function integer(value: number, bits: number, first = 0): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.of(first | value);
  const bytes = [first | most];
  let left = value - most;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length, 7), bytes]);
};

/** How a field is written out: to be remembered, not to be, or never to be. */
export type Form = "remembered" | "plain" | "never";
const firstBytes = { remembered: 0x40, plain: 0x00, never: 0x10 } as const;

/** Writes a field whose name is written out too. */
export const writeField = ([name, value]: Field, form: Form = "plain"): Buffer =>
  Buffer.concat([Buffer.of(firstBytes[form]), text(name), text(value)]);

/** The table that both sides know from the beginning, from number 1 on (appendix A): names, and values where there are any. */
const known: readonly Field[] = (
  ":authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|:status 206|" +
  ":status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|accept-language|accept-ranges|accept|" +
  "access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language|" +
  "content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|" +
  "if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|" +
  "referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate"
)
  .split("|")
  .map((entry) => {
    const [name = "", ...value] = entry.split(" ");
    return [name, value.join(" ")];
  });

/** How many bits the code of each symbol has, of which the codes follow: shorter ones first, and then by number (appendix B). */
const codeLengths =
  "13 23 28x7 24 30 28x2 30 28x8 30 28x9 6 10x2 12 13 6 8 11 10x2 8 11 8 6x3 5x3 6x7 7 8 15 6 12 10 13 6 7x22 8 7 8 13 19 " +
  "13 14 6 15 5 6 5 6 5 6x3 5 7x2 6x3 5 6 7 6 5x2 6 7x5 15 11 14 13 28 20 22 20x2 22x3 23 22 23x5 24 23 24x2 22 23 24 " +
  "23x4 21 22 23 22 23x2 24 22 21 20 22x2 23x2 21 23 22x2 24 21 22 23x2 21x2 22 21 23 22 23x2 20 22x3 23 22x2 23 26x2 20 " +
  "19 22 23 22 25 26x3 27x2 26 24 25 19 21 26 27x2 26 27 24 21x2 26x2 28 27x3 20 24 20 21 22 21x2 23 22x2 25x2 24x2 26 23 " +
  "26 27 26x2 27x5 28 27x5 26 30";

/** Symbols by length and code. */
const symbols = new Map<string, number>();
{
  const lengths = codeLengths.split(" ").flatMap((run) => {
    const [length = 0, times = 1] = run.split("x").map(Number);
    return Array.from({ length: times }, () => length);
  });
  let code = 0;
  for (let length = 1; length <= 30; length++) {
    code *= 2;
    for (const [symbol, its] of lengths.entries()) if (its === length) symbols.set(`${length}:${code++}`, symbol);
  }
}

function readHuffman(bytes: Uint8Array): string {
  let [read, code, length] = ["", 0, 0];
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const symbol = symbols.get(`${length}:${code}`);
      if (symbol === undefined) continue;
      read += String.fromCodePoint(symbol);
      [code, length] = [0, 0];
    }
  if (length > 7 || code !== 2 ** length - 1) throw new Error("a text ends within a symbol");
  return read;
}

/** Reads the blocks of one connection, in their order; throws where a block is not well formed. */
export function openBlocks(): (block: Buffer) => readonly Field[] {
  const remembered: Field[] = [];
  let most = 4096;
  const trim = (): void => {
    const size = (): number => remembered.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
    while (size() > most) remembered.pop();
  };
  return (block) => {
    let at = 0;
    const byte = (): number => {
      const found = block[at++];
      if (found === undefined) throw new Error("a block ends too early");
      return found;
    };
    const number = (bits: number): number => {
      const prefix = 2 ** bits - 1;
      let value = (block[at] ?? 0) & prefix;
      byte();
      if (value < prefix) return value;
      for (let factor = 1, next = 128; next >= 128; factor *= 128) {
        next = byte();
        value += (next & 127) * factor;
      }
      return value;
    };
    const string = (): string => {
      const isHuffman = ((block[at] ?? 0) & 128) !== 0;
      const length = number(7);
      const bytes = block.subarray(at, (at += length));
      if (bytes.length !== length) throw new Error("a text is longer than its block");
      return isHuffman ? readHuffman(bytes) : bytes.toString("latin1");
    };
    const field = (index: number): Field => {
      const found = known[index - 1] ?? remembered[index - 1 - known.length];
      if (index === 0 || found === undefined) throw new Error(`there is no field ${index}`);
      return found;
    };
    const fields: Field[] = [];
    while (at < block.length) {
      const first = block[at] ?? 0;
      if (first >= 128) fields.push(field(number(7)));
      else if (first >= 64 || first < 32) {
        const index = number(first >= 64 ? 6 : 4);
        const read: Field = [index === 0 ? string() : field(index)[0], string()];
        fields.push(read);
        if (first >= 64) remembered.unshift(read);
      } else most = number(5);
      trim();
    }
    return fields;
  };
}
