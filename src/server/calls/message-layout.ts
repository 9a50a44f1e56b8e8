/** The layout of a protobuf message (tags, names, kinds of its fields), prepared from its descriptor for the fast encoder and decoder. */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";

/** The fields of a message by number; fields that are missing here are left to protobuf-es. */
export type MessageLayout = readonly (FieldLayout | undefined)[];

/** The content of a field, a list item or a map value. */
export type ContentLayout =
  | { readonly kind: "text" }
  | { readonly kind: "flag" }
  | { readonly kind: "value" }
  | { readonly kind: "message"; readonly message: () => MessageLayout }
  | { readonly kind: "enum"; readonly choices: readonly Choice[] };

/** An enum value: its JSON name in quotes, and its number. */
export interface Choice {
  readonly name: Uint8Array;
  readonly number: number;
}

/** One field. */
export interface FieldLayout {
  /** The field's number and wire type as encoded; always one byte. */
  readonly tag: number;
  /** The field's JSON name, encoded as `"name":`. */
  readonly name: Uint8Array;
  readonly many: "one" | "list" | "map";
  readonly content: ContentLayout;
}

/** The highest field number whose tag fits in one byte. */
const maxNumber = 15;

/** Wire types of protobuf. */
const varint = 0;
const lengthDelimited = 2;

const prepared = new WeakMap<DescMessage, MessageLayout>();

/** Returns the layout of a message; each is prepared once. */
export function layoutOf(description: DescMessage): MessageLayout {
  let layout = prepared.get(description);
  if (layout === undefined) {
    const fields: (FieldLayout | undefined)[] = Array.from({ length: maxNumber + 1 }, () => undefined);
    for (const field of description.fields) if (field.number <= maxNumber) fields[field.number] = fieldLayout(field);
    prepared.set(description, (layout = fields));
  }
  return layout;
}

function fieldLayout(field: DescField): FieldLayout | undefined {
  const many = field.fieldKind === "list" || field.fieldKind === "map" ? field.fieldKind : "one";
  // Not handled here: fields with explicit presence (a oneof, or `optional`), where an empty value differs from an absent one; and maps
  // whose keys are not strings.
  if (field.oneof !== undefined || (field.fieldKind === "map" && field.mapKey !== ScalarType.STRING)) return undefined;
  if (field.proto.proto3Optional && field.fieldKind !== "message") return undefined;
  const content = contentLayout(field);
  // Not handled here: lists of booleans or numbers, which may be packed or not.
  if (content === undefined || (many === "list" && content.kind !== "text" && content.kind !== "message")) return undefined;
  // Not handled here: lists of google.protobuf.Value, which check messages do not have.
  if (content.kind === "value" && many === "list") return undefined;
  const wireType = many === "one" && (content.kind === "flag" || content.kind === "enum") ? varint : lengthDelimited;
  return { tag: (field.number << 3) | wireType, name: Buffer.from(`${JSON.stringify(field.jsonName)}:`), many, content };
}

function contentLayout(field: DescField): ContentLayout | undefined {
  const { message, enum: choices, scalar } = field;
  if (scalar === ScalarType.STRING) return { kind: "text" };
  if (scalar === ScalarType.BOOL) return { kind: "flag" };
  if (choices !== undefined) return choices.typeName.startsWith("google.protobuf.") ? undefined : enumLayout(choices);
  if (message?.typeName === "google.protobuf.Value") return { kind: "value" };
  if (message === undefined || message.typeName.startsWith("google.protobuf.")) return undefined;
  return { kind: "message", message: () => layoutOf(message) };
}

const enumLayout = ({ values }: DescEnum): ContentLayout => ({
  kind: "enum",
  choices: values
    .filter(({ number }) => number >= 0 && number < 0x80)
    .map(({ name, number }) => ({ name: Buffer.from(`"${name}"`), number })),
});
