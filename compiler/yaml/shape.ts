/** The type of shapes. A shape reads one kind of value from YAML; it reports every mistake and carries on. */
import type { Diagnostic } from "../diagnostic.ts";
import type { Span } from "../source.ts";
import { headOf, type YamlNode } from "./node.ts";

/** A node and its position in the document. */
export interface Place {
  readonly node: YamlNode;
  readonly path: string;
  /**
   * Where the reference implementation reports a broken rule about it: the key of a field, the first token of a
   * list's item or a map's value.
   */
  readonly at: Span;
}

/** A value and the position it was read from. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
  /** Whether the value breaks a rule (reported already), so that consequences are not reported too. */
  readonly broken?: true;
}

/** A diagnostic without its severity. */
export type Mistake = Omit<Diagnostic, "severity">;

/** Receives mistakes. A parse error leaves a value unread; a violation breaks a rule about a value that was read. */
export interface ShapeReport {
  readonly parseError: (mistake: Mistake) => void;
  readonly violation: (mistake: Mistake) => void;
}

/** Reads one kind of value. */
export interface Shape<T> {
  /** Returns the value of the node, or undefined if it is not of this shape (reported already). */
  readonly read: (place: Place, report: ShapeReport) => T | undefined;
  /**
   * Whether a value is the zero of its type, which a required field may not be. (A method, so that every shape is a
   * `Shape<unknown>`.)
   */
  isEmpty(value: T): boolean;
  /** A description of what it accepts. */
  readonly form: Form;
  readonly required?: true;
}

/** What a shape accepts, as data: for code that describes documents instead of reading them, such as schemas for editors. */
export type Form =
  | { readonly kind: "string"; readonly pattern?: { readonly expression: RegExp; readonly description: string } }
  | { readonly kind: "boolean" }
  /** One of these, or its index; the first is the zero value. */
  | { readonly kind: "oneOf"; readonly words: readonly string[] }
  | { readonly kind: "wholeNumber" }
  | { readonly kind: "json" }
  | { readonly kind: "list"; readonly item: Shape<unknown>; readonly unique: boolean }
  /** Author-chosen keys, and the shape of the values. */
  | { readonly kind: "map"; readonly value: Shape<unknown> }
  | { readonly kind: "record"; readonly fields: { readonly [name: string]: Shape<unknown> }; readonly choice?: readonly string[] }
  /** A recursive shape, by name. */
  | { readonly kind: "within"; readonly name: string; readonly shape: () => Shape<unknown> };

/** The type of the value that a shape reads. */
export type Read<S> = S extends Shape<infer T> ? T : never;

/** Makes a field required: present, and not its type's zero. */
export const required = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, required: true });

/** Reports a value of the wrong type. */
export function wrongType(
  wanted: string,
  { node, path, focus = headOf(node) }: Place & { readonly focus?: Span },
  report: ShapeReport,
  hint?: string,
): undefined {
  report.parseError({
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
    case "string":
      return "a string";
  }
}
