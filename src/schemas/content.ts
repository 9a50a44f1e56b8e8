/** Strings with encoded contents: base64, and JSON. Other encodings and media types are not checked. */
import { decodeBase64 } from "../../runtime/cel/base64.ts";
import { decodeUtf8Loosely } from "../../runtime/cel/utf8.ts";

/** The contents of a string, or why it is invalid. */
export type Content = { readonly kind: "json"; readonly value: unknown } | { readonly kind: "bad encoding" | "bad media type" };

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns whether an encoding is checked. */
export const isKnownEncoding = (encoding: unknown): boolean => encoding === "base64";
/** Returns whether a media type is checked. */
export const isKnownMediaType = (mediaType: unknown): boolean => mediaType === "application/json";

/** Returns whether a string is base64 with padding, which may be broken into lines (RFC 2045, 6.8). */
export function isBase64(text: string): boolean {
  const joined = text.replaceAll(/[\r\n]/g, "");
  return joined.length % 4 === 0 && base64.test(joined);
}

/** Parses the JSON in a string, after decoding it if its encoding is known. */
export function readContent(text: string, encoding: unknown): Content {
  if (isKnownEncoding(encoding) && !isBase64(text)) return { kind: "bad encoding" };
  const decoded = isKnownEncoding(encoding) ? decodeUtf8Loosely(decodeBase64(text) ?? new Uint8Array()) : text;
  try {
    return { kind: "json", value: JSON.parse(decoded) };
  } catch {
    return { kind: "bad media type" };
  }
}
