/**
 * The YAML tree of a document, every node with its source span. Aliases are followed, merges applied, tags dropped
 * except on scalars.
 */
import type { Span } from "../source.ts";

/** Any YAML value. */
export type YamlNode = ScalarNode | ListNode | MapNode;

interface Located {
  /** The whole node. */
  readonly span: Span;
  /**
   * Where the reference implementation reports a problem with the node: a scalar's first character, a list's first
   * `-`, the colon after a block mapping's first key, `[` or `{`.
   */
  readonly token: Span;
}

/** How a scalar is written. */
export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

/** Returns what the printed source frame underlines for a whole node: a block mapping's first key, otherwise the token. */
export const headOf = (node: YamlNode): Span =>
  node.kind === "map" && node.token.start > node.span.start ? { ...node.span, end: node.token.start } : node.token;

/**
 * A scalar. `type` is the type it has by the YAML 1.2 core schema if no field determines it; only plain scalars have
 * another type than `string`.
 */
export interface ScalarNode extends Located {
  readonly kind: "scalar";
  readonly type: "null" | "boolean" | "integer" | "float" | "string";
  /** The value, with escapes and line folding resolved. For numbers, the digits as written. */
  readonly text: string;
  readonly style: ScalarStyle;
  /** The full tag before the scalar: `tag:yaml.org,2002:str`. Used only in free JSON. */
  readonly tag?: string;
}

/** A sequence. */
export interface ListNode extends Located {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
}

/** A mapping without duplicate keys, in source order of the first occurrence. */
export interface MapNode extends Located {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** One key of a mapping, and its value. */
export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: YamlNode;
}
