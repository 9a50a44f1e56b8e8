/** What a shape is: how one kind of value is read from YAML, every mistake reported, the rest read on. */
import type { Diagnostic } from "../diagnostic.ts";
import type { Span } from "../source.ts";
import { headOf, type YamlNode } from "./node.ts";

/** A node where it stands in its document. */
export interface Place {
  readonly node: YamlNode;
  readonly path: string;
  /** Where the reference reports a broken rule about it: the key of a field, the first token of a list's item or a map's value. */
  readonly at: Span;
}

/** A value and the place it was read from. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
  /** Whether the value breaks a rule (already reported), so that what follows from it is not worth a word. */
  readonly broken?: true;
}

/** A diagnostic whose severity is not said yet. */
export type Mistake = Omit<Diagnostic, "severity">;

/** Where mistakes go: those that leave a value unread, and those that break a rule about what was read. */
export interface Reading {
  readonly parseError: (mistake: Mistake) => void;
  readonly violation: (mistake: Mistake) => void;
}

/** How one kind of value is read. */
export interface Shape<T> {
  /** Returns what the node says, or undefined when it says nothing of this shape (already reported). */
  readonly read: (place: Place, reading: Reading) => T | undefined;
  /** Whether a value is its type's zero, which a required field may not be. (A method, so that every shape is a `Shape<unknown>`.) */
  isEmpty(value: T): boolean;
  /** What it accepts, as data. */
  readonly form: Form;
  readonly required?: true;
}

/** What a shape accepts, as data: for those who describe documents instead of reading them, such as schemas for editors. */
export type Form =
  | { readonly kind: "text"; readonly pattern?: { readonly expression: RegExp; readonly says: string } }
  | { readonly kind: "boolean" }
  /** One of these, or its index; the first is the zero. */
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "wholeNumber" }
  | { readonly kind: "json" }
  | { readonly kind: "list"; readonly item: Shape<unknown>; readonly unique: boolean }
  /** The author's own names, and what each stands for. */
  | { readonly kind: "map"; readonly value: Shape<unknown> }
  | { readonly kind: "record"; readonly fields: { readonly [name: string]: Shape<unknown> }; readonly choice?: readonly string[] }
  /** A shape within itself, by its name. */
  | { readonly kind: "within"; readonly name: string; readonly shape: () => Shape<unknown> };

/** What reading a shape yields. */
export type Read<S> = S extends Shape<infer T> ? T : never;

/** Makes a field required: present, and not its type's zero. */
export const required = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, required: true });

/** Reports that a value is of another type than its field. */
export function wrongType(
  wanted: string,
  { node, path, focus = headOf(node) }: Place & { readonly focus?: Span },
  reading: Reading,
  hint?: string,
): undefined {
  reading.parseError({
    code: "wrong-type",
    span: node.token,
    focus,
    path,
    message: `expected ${wanted}, found ${describe(node)}`,
    ...(hint !== undefined && { hint }),
  });
}

function describe(node: YamlNode): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "a mapping";
  switch (node.type) {
    case "null":
      return "nothing";
    case "float":
      return `the number \`${node.text}\``;
    case "integer":
      return `the number \`${node.text}\``;
    case "boolean":
      return `\`${node.text}\``;
    case "text":
      return "a string";
  }
}
