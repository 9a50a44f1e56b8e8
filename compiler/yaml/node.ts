/** Positioned YAML: what a document says, every node with its place. Anchors are followed, merges done, tags dropped. */
import type { Span } from "../source.ts";

/** Any value. */
export type YamlNode = ScalarNode | ListNode | MapNode;

interface Located {
  /** The whole node. */
  readonly span: Span;
  /** Where the reference reports a problem with the node: a scalar's first character, a list's first `-`, the colon after a block mapping's first key, `[` or `{`. */
  readonly token: Span;
}

/** How a scalar is written. */
export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

/** What a frame underlines for a whole node: a block mapping's first key, else the token. */
export const headOf = (node: YamlNode): Span =>
  node.kind === "map" && node.token.start > node.span.start ? { ...node.span, end: node.token.start } : node.token;

/** One value, and what it would be without a field that says what it is: YAML 1.2 core, plain scalars only. */
export interface ScalarNode extends Located {
  readonly kind: "scalar";
  readonly type: "null" | "boolean" | "integer" | "float" | "text";
  /** Escapes and line folding done; for numbers the author's own digits. */
  readonly text: string;
  readonly style: ScalarStyle;
  /** Written before it, in full: `tag:yaml.org,2002:str`. Only free JSON listens to it. */
  readonly tag?: string;
}

/** A sequence. */
export interface ListNode extends Located {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
}

/** A mapping: each key once, in the order of first appearance. */
export interface MapNode extends Located {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** One key of a mapping, and its value. */
export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: YamlNode;
}
