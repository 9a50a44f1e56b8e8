/** Prints a value as a CEL expression that evaluates to it. */
import { totalNanos } from "./duration.ts";
import { isList, isMap, typeName } from "./kind.ts";
import { mapEntries } from "./map.ts";
import { plainText } from "./number-text.ts";
import { wellFormed } from "./text.ts";
import { formatTimestamp } from "./timestamp-text.ts";
import { Duration, Message, Opaque, Timestamp, TypeValue, Uint, type Value } from "./value.ts";

/** Prints `{"a": [1, 2.0, 3u]}`, `b"\x01"`, `duration("5400.5s")`. */
export function printValue(value: Value): string {
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return printDouble(value);
  if (typeof value === "string") return printText(value);
  if (isList(value)) return `[${value.map(printValue).join(", ")}]`;
  if (isMap(value)) {
    return `{${Array.from(mapEntries(value), ([key, element]) => `${printValue(key)}: ${printValue(element)}`).join(", ")}}`;
  }
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof Duration) return `duration("${printSeconds(totalNanos(value))}s")`;
  if (value instanceof Uint8Array) return `b"${Array.from(value, printByte).join("")}"`;
  if (value instanceof TypeValue) return typeName(value.type);
  if (value instanceof Message) return `${value.typeName}{}`;
  return value instanceof Opaque ? value.print() : "";
}

function printDouble(value: number): string {
  if (!Number.isFinite(value)) return `double("${value}")`;
  const text = plainText(value);
  return text.includes(".") ? text : `${text}.0`;
}

function printSeconds(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${nanos < 0n ? "-" : ""}${size / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ['"', '\\"'],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

const printText = (text: string): string =>
  // Also escape what would be invisible or misleading: control characters, line separators, half surrogate pairs,
  // bidirectional overrides.
  `"${wellFormed(text).replace(
    /[\\"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => escapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}"`;

const printByte = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
