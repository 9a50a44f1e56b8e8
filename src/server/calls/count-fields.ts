/** Counts the fields of an encoded protobuf message before it is decoded, so that one too large is refused: decoding costs a hundred times as much. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** Levels of free JSON that a message may hold: as deep as in a text, and each takes two levels of a message. */
export const deepestMessage = 2_100;

/** One value of JSON is up to four fields here: the entry of a map, its key, its value, and what kind of value that is. */
const fieldsOfValue = 4;

/** The messages that free JSON is made of. */
const freeJson: ReadonlySet<string> = new Set(["google.protobuf.Value", "google.protobuf.ListValue", "google.protobuf.Struct"]);

/**
 * Says whether a message holds more than so many values, as `holdsMoreValuesThan` counts them in its JSON text, or will do so
 * once it is decoded: never yes where that says no, unless fields are given again and again. Of bytes that are no message it
 * counts what comes before the fault.
 */
export function holdsMoreFieldsThan(schema: DescMessage, bytes: Uint8Array, most: number): boolean {
  // Each field takes two bytes.
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
      // No message of ours has groups: what stands in one counts as if it stood beside it.
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
    // Whoever decodes it says what is wrong.
  }
  return left < 0;
}

interface Inner {
  readonly message: DescMessage | undefined;
  /** The map whose entry it is. */
  readonly entry: DescField | undefined;
}

/** What stands inside a field, if anything does. */
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
