/** The layout of a protobuf message (tags, names, kinds of its fields), prepared from its descriptor for the fast encoder and decoder. */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";

/** The fields of a message by their numbers; what is not there is left to protobuf-es. */
export type MessageForm = readonly (FieldForm | undefined)[];

/** What a field, an item of a list or a value of a map holds. */
export type ContentForm =
  | { readonly kind: "text" }
  | { readonly kind: "flag" }
  | { readonly kind: "value" }
  | { readonly kind: "message"; readonly message: () => MessageForm }
  | { readonly kind: "enum"; readonly choices: readonly Choice[] };

/** A value of an enum: its name as JSON has it, quoted, and its number. */
export interface Choice {
  readonly name: Uint8Array;
  readonly number: number;
}

/** One field. */
export interface FieldForm {
  /** Its number and wire type, as they stand before it; always one byte. */
  readonly tag: number;
  /** `"name":` of its JSON. */
  readonly name: Uint8Array;
  readonly many: "one" | "list" | "map";
  readonly content: ContentForm;
}

/** Above this number a tag has more than one byte. */
const mostNumber = 15;

/** Wire types. */
const varint = 0;
const lengthDelimited = 2;

const prepared = new WeakMap<DescMessage, MessageForm>();

/** Returns the form of a message. */
export function formOf(description: DescMessage): MessageForm {
  let form = prepared.get(description);
  if (form === undefined) {
    const fields: (FieldForm | undefined)[] = Array.from({ length: mostNumber + 1 }, () => undefined);
    for (const field of description.fields) if (field.number <= mostNumber) fields[field.number] = fieldForm(field);
    prepared.set(description, (form = fields));
  }
  return form;
}

function fieldForm(field: DescField): FieldForm | undefined {
  const many = field.fieldKind === "list" || field.fieldKind === "map" ? field.fieldKind : "one";
  // A field that is there although it is empty says something of its own, unless it is a message.
  if (field.oneof !== undefined || (field.fieldKind === "map" && field.mapKey !== ScalarType.STRING)) return undefined;
  if (field.proto.proto3Optional && field.fieldKind !== "message") return undefined;
  const content = contentForm(field);
  // Lists of flags and numbers have two ways to be written.
  if (content === undefined || (many === "list" && content.kind !== "text" && content.kind !== "message")) return undefined;
  // A message of its own for one value: nothing that a check has.
  if (content.kind === "value" && many === "list") return undefined;
  const wireType = many === "one" && (content.kind === "flag" || content.kind === "enum") ? varint : lengthDelimited;
  return { tag: (field.number << 3) | wireType, name: Buffer.from(`${JSON.stringify(field.jsonName)}:`), many, content };
}

function contentForm(field: DescField): ContentForm | undefined {
  const { message, enum: choices, scalar } = field;
  if (scalar === ScalarType.STRING) return { kind: "text" };
  if (scalar === ScalarType.BOOL) return { kind: "flag" };
  if (choices !== undefined) return choices.typeName.startsWith("google.protobuf.") ? undefined : enumForm(choices);
  if (message?.typeName === "google.protobuf.Value") return { kind: "value" };
  if (message === undefined || message.typeName.startsWith("google.protobuf.")) return undefined;
  return { kind: "message", message: () => formOf(message) };
}

const enumForm = ({ values }: DescEnum): ContentForm => ({
  kind: "enum",
  choices: values
    .filter(({ number }) => number >= 0 && number < 0x80)
    .map(({ name, number }) => ({ name: Buffer.from(`"${name}"`), number })),
});
