/** Base64 encoding and decoding, implemented here because the runtime may not use Buffer or atob. */
import { work } from "./work.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf: ReadonlyMap<string, number> = new Map(Array.from(alphabet, (digit, i) => [digit, i]));

const digitAt = (bits: number): string => alphabet.charAt(bits & 63);

const priceOfByte = 6;

/** Encodes bytes, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  work(bytes.length * priceOfByte);
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const [third, fourth] = [i + 1 < bytes.length ? digitAt(group >> 6) : "=", i + 2 < bytes.length ? digitAt(group) : "="];
    text += digitAt(group >> 18) + digitAt(group >> 12) + third + fourth;
  }
  return text;
}

/** Decodes base64, padded or not; undefined if invalid. Line breaks are ignored, as in Go. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const digits = compact.length % 4 === 0 ? compact.replace(/={1,2}$/, "") : compact;
  if (digits.length % 4 === 1) return undefined;
  work(digits.length * priceOfByte);
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
