/** UTF-8 encoding and decoding, implemented here because the runtime may not use TextEncoder. */
import { wellFormed } from "./text.ts";
import { work } from "./work.ts";

const priceOfByte = 4;

/** Encodes a string; half a surrogate pair becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  work(text.length * priceOfByte);
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const character of wellFormed(text)) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    const trailing = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes[length++] = ((0xff00 >> (trailing + 1)) & 0xff) | (code >> (6 * trailing));
    for (let rest = trailing - 1; rest >= 0; rest--) bytes[length++] = 0x80 | ((code >> (6 * rest)) & 0x3f);
  }
  return bytes.slice(0, length);
}

/** Decodes bytes; undefined if they are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => decode(bytes, undefined);

/** Decodes bytes; each byte outside valid UTF-8 becomes U+FFFD. */
export const decodeUtf8Loosely = (bytes: Uint8Array): string => decode(bytes, 0xfffd) ?? "";

function decode(bytes: Uint8Array, replacement: number | undefined): string | undefined {
  work(bytes.length * priceOfByte);
  const pieces: string[] = [];
  let piece: number[] = [];
  for (let i = 0; i < bytes.length;) {
    const character = readCharacter(bytes, i);
    const code = character?.code ?? replacement;
    if (code === undefined) return undefined;
    piece.push(code);
    i += character?.length ?? 1;
    if (piece.length === 8192) {
      pieces.push(String.fromCodePoint(...piece));
      piece = [];
    }
  }
  return pieces.join("") + String.fromCodePoint(...piece);
}

/** Reads the character that starts at an index; undefined if the bytes there are invalid. */
export function readCharacter(bytes: Uint8Array, index: number): { readonly code: number; readonly length: number } | undefined {
  const lead = bytes[index] ?? 0;
  const trailing = lead < 0x80 ? 0 : lead < 0xc2 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : -1;
  if (trailing < 0 || index + trailing >= bytes.length) return undefined;
  let code = trailing === 0 ? lead : lead & (0x3f >> trailing);
  for (let k = 1; k <= trailing; k++) {
    const byte = bytes[index + k] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (byte & 0x3f);
  }
  return isScalar(code, trailing) ? { code, length: trailing + 1 } : undefined;
}

// Refuses surrogates, code points above U+10FFFF, and overlong encodings.
const isScalar = (code: number, trailing: number): boolean =>
  trailing < 2 || (trailing === 2 ? code >= 0x800 && (code < 0xd800 || code > 0xdfff) : code >= 0x10000 && code <= 0x10ffff);
