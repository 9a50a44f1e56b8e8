/** The syntax tree of a configuration: mappings, lists and scalars, each with its position. */
import { floatIn, integerIn, plainType } from "../../compiler/yaml/scalar-type.ts";

/** A node of the tree. */
export type ConfigNode = ConfigMap | ConfigList | ConfigScalar;

/** A mapping; entries are in the order of the file. */
export interface ConfigMap {
  readonly kind: "map";
  readonly place: string;
  readonly entries: readonly ConfigEntry[];
}

/** A key with its value. */
export interface ConfigEntry {
  readonly key: string;
  /** The key before variables were substituted, if there were any: messages do not show the values of variables. */
  readonly unexpandedKey?: string;
  /** The position of the key: `authz.yaml:3:5`, or the `--set` that it comes from. */
  readonly place: string;
  readonly value: ConfigNode;
}

/** A sequence. */
export interface ConfigList {
  readonly kind: "list";
  readonly place: string;
  readonly items: readonly ConfigNode[];
}

/** A scalar. */
export interface ConfigScalar {
  readonly kind: "scalar";
  readonly place: string;
  /** As written, without quotes. */
  readonly text: string;
  readonly value: string | number | boolean | null;
  /** The value is not quoted in the file. */
  readonly isPlain?: true;
  /** The value refers to a variable that is not set. This has been reported, so it must not be reported again. */
  readonly isUnresolved?: true;
}

/** Returns the key as messages show it. */
export const displayKey = ({ key, unexpandedKey }: ConfigEntry): string => unexpandedKey ?? key;

/** A value of a configuration; integers from a file are bigint. */
export type ConfigValue = string | number | bigint | boolean | null | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** Resolves an unquoted scalar by YAML's core schema. */
export function resolvePlain(text: string): ConfigScalar["value"] {
  switch (plainType(text)) {
    case "null":
      return null;
    case "boolean":
      return text.toLowerCase() === "true";
    case "integer":
      return Number(integerIn(text) ?? text);
    case "float":
      return floatIn(text) ?? text;
    case "string":
      return text;
  }
}

/** Returns whether a node contains a value that refers to an unset variable. */
export function hasUnresolvedVariable(node: ConfigNode): boolean {
  switch (node.kind) {
    case "scalar":
      return node.isUnresolved === true;
    case "list":
      return node.items.some(hasUnresolvedVariable);
    case "map":
      return node.entries.some((entry) => hasUnresolvedVariable(entry.value));
  }
}

/** Returns all scalars of a tree. */
export function scalarsIn(node: ConfigNode): readonly ConfigScalar[] {
  switch (node.kind) {
    case "scalar":
      return [node];
    case "list":
      return node.items.flatMap(scalarsIn);
    case "map":
      return node.entries.flatMap((entry) => scalarsIn(entry.value));
  }
}

/** Converts a tree to the value that conditions see: integers stay integers (semantics 5.1), and every key is data, even `__proto__`. */
export function toValue(node: ConfigNode): ConfigValue {
  switch (node.kind) {
    case "scalar": {
      const integer = typeof node.value === "number" ? integerIn(node.text) : undefined;
      return integer !== undefined && isInt64(integer) ? integer : node.value;
    }
    case "list":
      return node.items.map(toValue);
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, toValue(entry.value)]));
  }
}

/**
 * Returns why YAML parsers disagree on the type of a value; undefined when they agree. A condition that uses such a value could fail,
 * or decide differently than intended.
 */
export function ambiguityOf({ text, value, isPlain }: Pick<ConfigScalar, "text" | "value" | "isPlain">): string | undefined {
  if (isPlain !== true) return undefined;
  if (typeof value === "number" && !isInt64(integerIn(text) ?? 0n)) return "this number is too large for an integer";
  if (typeof value !== "string") return undefined;
  if (/^(?:y|yes|n|no|on|off)$/i.test(text)) return "this is a string here, and true or false to other readers of YAML";
  return otherNumberFormat.test(text) ? "this is a string here, and a number to other readers of YAML" : undefined;
}

const otherNumberFormat = /^[-+]?(?:(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d+)?|0[box][\da-f_]+|\.inf|\.nan)$/i;

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
