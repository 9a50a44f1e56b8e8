/** Counts the fields of an encoded protobuf message before it is decoded, so that one too large is refused: decoding costs a hundred times as much. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** How deep free JSON may be nested in a message: as deep as in JSON text, where each level takes two levels of messages. */
export const deepestMessage = 2_100;

/** One JSON value takes up to four fields in protobuf: the map entry, its key, its value, and the kind of that value. */
const fieldsOfValue = 4;

/** The message types that represent free JSON. */
const freeJson: ReadonlySet<string> = new Set(["google.protobuf.Value", "google.protobuf.ListValue", "google.protobuf.Struct"]);

/**
 * Returns whether a message holds more than `most` values, counted as `holdsMoreValuesThan` counts them in JSON text. The count is an
 * estimate that is too low rather than too high: it never says yes where `holdsMoreValuesThan` says no, unless the same fields are sent
 * repeatedly. Of malformed bytes, only those before the fault are counted.
 */
export function holdsMoreFieldsThan(schema: DescMessage, bytes: Uint8Array, most: number): boolean {
  // A field takes at least two bytes.
  if (bytes.length <= 2 * most) return false;
  const reader = new BinaryReader(bytes);
  let left = most * fieldsOfValue;
  const count = (message: DescMessage | undefined, entry: DescField | undefined, end: number, depth: number): void => {
    const fields = message === undefined ? undefined : fieldsOf(message);
    const price = message === undefined || freeJson.has(message.typeName) ? 1 : fieldsOfValue;
    while (reader.pos < end && left >= 0) {
      const [number, wireType] = reader.tag();
      const field = fields?.get(number);
      left -= field?.fieldKind === "map" ? 1 : price;
      const inner = entry === undefined ? innerOf(field) : number === 2 ? innerOf(entry, true) : undefined;
      // Our messages have no groups; the fields within one are counted as if they stood beside it.
      if (wireType === WireType.StartGroup || wireType === WireType.EndGroup) continue;
      if (inner === undefined || wireType !== WireType.LengthDelimited || depth === deepestMessage) {
        reader.skip(wireType, number);
        continue;
      }
      const length = reader.uint32();
      count(inner.message, inner.entry, Math.min(reader.pos + length, bytes.length), depth + 1);
    }
  };
  try {
    count(schema, undefined, bytes.length, 0);
  } catch {
    // The decoder reports what is malformed.
  }
  return left < 0;
}

interface Inner {
  readonly message: DescMessage | undefined;
  /** The map field, when this is an entry of one. */
  readonly entry: DescField | undefined;
}

/** Returns what a field contains, if that is a message or a map entry. */
function innerOf(field: DescField | undefined, value = false): Inner | undefined {
  if (field?.fieldKind === "map") {
    if (!value) return { message: undefined, entry: field };
    return field.mapKind === "message" ? { message: field.message, entry: undefined } : undefined;
  }
  const message = field?.fieldKind === "message" || field?.fieldKind === "list" ? field.message : undefined;
  return message === undefined ? undefined : { message, entry: undefined };
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(message: DescMessage): ReadonlyMap<number, DescField> {
  const found = known.get(message) ?? new Map(message.fields.map((field) => [field.number, field]));
  known.set(message, found);
  return found;
}
