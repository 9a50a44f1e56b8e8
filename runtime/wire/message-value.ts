/** Reads maps of google.protobuf.Value into the same objects that JSON.parse would make. */
import type { JsonObject } from "../cel/value.ts";
import type { Json } from "./json.ts";
import { unusual, type MessageReader } from "./message-reader.ts";

/** Deeper nesting than this is left to the general reader. */
const maxDepth = 32;

/** Tags of google.protobuf.Value, of the only field of ListValue and Struct, and of the two fields of a map entry. */
const [nullTag, numberTag, textTag, flagTag, structTag, listTag] = [0x08, 0x11, 0x1a, 0x20, 0x2a, 0x32] as const;
const [itemTag, keyTag, valueTag] = [0x0a, 0x0a, 0x12] as const;

/** Reads the entries of a map; the tag of the first has just been consumed. Returns an object like JSON.parse would. */
export function readMap(reader: MessageReader, tag: number, outer: number, depth = 0): { readonly [name: string]: Json } & JsonObject {
  const map: { [name: string]: Json } = {};
  do {
    const end = reader.end(outer);
    if (!reader.hasNext(keyTag, end)) throw unusual;
    const name = reader.name(end);
    // The name is given twice, or inherited by every object (`constructor`, `toString`).
    if (name in map) throw unusual;
    if (!reader.hasNext(valueTag, end)) throw unusual;
    const inner = reader.end(end);
    map[name] = readValue(reader, inner, depth);
    reader.close(end);
  } while (reader.hasNext(tag, outer));
  return map;
}

/** Reads a google.protobuf.Value that holds exactly one kind of value. */
function readValue(reader: MessageReader, outer: number, depth: number): Json {
  const value = readKind(reader, outer, depth);
  reader.close(outer);
  return value;
}

function readKind(reader: MessageReader, outer: number, depth: number): Json {
  switch (reader.tag(0, 0)) {
    case textTag:
      return reader.text(outer);
    case numberTag:
      return reader.number();
    case flagTag:
      return reader.flag();
    case nullTag:
      if (reader.flag()) throw unusual;
      return null;
    case structTag: {
      const end = nested(reader, outer, depth);
      return reader.hasNext(itemTag, end) ? readMap(reader, itemTag, end, depth + 1) : {};
    }
    case listTag: {
      const end = nested(reader, outer, depth);
      const items: Json[] = [];
      while (reader.hasNext(itemTag, end)) items.push(readValue(reader, reader.end(end), depth + 1));
      return items;
    }
    default:
      throw unusual;
  }
}

function nested(reader: MessageReader, outer: number, depth: number): number {
  if (depth === maxDepth) throw unusual;
  return reader.end(outer);
}
