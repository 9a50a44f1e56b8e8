/** Texts that hold something else: base64, and JSON inside of a text. Other encodings and media types are notes to readers. */
import { decodeBase64 } from "../../runtime/cel/base64.ts";
import { decodeUtf8Loosely } from "../../runtime/cel/utf8.ts";

/** What a text holds, or why it does not. */
export type Content = { readonly kind: "json"; readonly value: unknown } | { readonly kind: "bad encoding" | "bad media type" };

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Is this an encoding, or a media type, that is checked? */
export const isKnownEncoding = (encoding: unknown): boolean => encoding === "base64";
/** Is this a media type that is checked? */
export const isKnownMediaType = (mediaType: unknown): boolean => mediaType === "application/json";

/** Says whether a text is base64, with its padding. */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && base64.test(text);

/** Reads the JSON that a text holds, behind its encoding if it has one that we know. */
export function readContent(text: string, encoding: unknown): Content {
  if (isKnownEncoding(encoding) && !isBase64(text)) return { kind: "bad encoding" };
  const decoded = isKnownEncoding(encoding) ? decodeUtf8Loosely(decodeBase64(text) ?? new Uint8Array()) : text;
  try {
    return { kind: "json", value: JSON.parse(decoded) };
  } catch {
    return { kind: "bad media type" };
  }
}
