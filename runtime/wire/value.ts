/** Writes a CEL value as the JSON text that a rule's output has in a reply. */
import { formatDuration } from "../cel/duration.ts";
import { isList, isMap } from "../cel/kind.ts";
import type { MapValue } from "../cel/kind.ts";
import { mapEntries } from "../cel/map.ts";
import { printValue } from "../cel/print-value.ts";
import { formatTimestamp } from "../cel/timestamp.ts";
import { Duration, Timestamp, Uint } from "../cel/value.ts";
import type { Value } from "../cel/value.ts";

/** Writes a value as JSON; a number that JSON cannot say is a string (decision D40). */
export const writeValue = (value: Value): string => {
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(writeValue).join(",")}]`;
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `"${base64(value)}"`;
  if (value instanceof Timestamp) return JSON.stringify(formatTimestamp(value));
  if (value instanceof Duration) return JSON.stringify(formatDuration(value));
  if (isMap(value)) return writeMap(value);
  return JSON.stringify(printValue(value));
};

const writeMap = (map: MapValue): string =>
  `{${Array.from(mapEntries(map), ([key, value]) => `${writeKey(key)}:${writeValue(value)}`).join(",")}}`;

// JSON has no keys but texts: those of other kinds become theirs.
const writeKey = (key: Value): string => (typeof key === "string" ? writeValue(key) : `"${writeValue(key)}"`);

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const base64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const known = Math.min(bytes.length - at, 3) + 1;
    for (let digit = 0; digit < 4; digit++) text += digit < known ? alphabet.charAt((three >> (18 - 6 * digit)) & 63) : "=";
  }
  return text;
};
