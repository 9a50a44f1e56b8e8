/** Base64, written out because the runtime has no Buffer and no atob. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf: ReadonlyMap<string, number> = new Map(Array.from(alphabet, (digit, i) => [digit, i]));

/** Encodes bytes, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const [first = 0, second, third] = bytes.subarray(i, i + 3);
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    const digits = [18, 12, 6, 0].map((by) => alphabet.charAt((group >> by) & 63));
    pieces.push(
      digits
        .slice(0, third === undefined ? (second === undefined ? 2 : 3) : 4)
        .join("")
        .padEnd(4, "="),
    );
  }
  return pieces.join("");
}

/** Decodes text, padded or not; undefined where it is no base64. Line breaks count for nothing, as in Go. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const digits = compact.length % 4 === 0 ? compact.replace(/={1,2}$/, "") : compact;
  if (digits.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (const digit of digits) {
    const value = digitOf.get(digit);
    if (value === undefined) return undefined;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return bytes;
}
