/** Configuration as written: a tree of mappings, lists and scalars, each with its place. */
import { floatIn, integerIn, plainType } from "../../compiler/yaml/scalar-type.ts";

/** Any part of a configuration. */
export type ConfigNode = ConfigMap | ConfigList | ConfigScalar;

/** Keys and values, in the order in which they stand. */
export interface ConfigMap {
  readonly kind: "map";
  readonly place: string;
  readonly entries: readonly ConfigEntry[];
}

/** One key and its value. */
export interface ConfigEntry {
  readonly key: string;
  /** The key as it is written, where it names variables: messages do not show what is in those. */
  readonly shown?: string;
  /** Where the key stands: `authz.yaml:3:5`, or the `--set` that brought it. */
  readonly place: string;
  readonly value: ConfigNode;
}

/** A sequence. */
export interface ConfigList {
  readonly kind: "list";
  readonly place: string;
  readonly items: readonly ConfigNode[];
}

/** A single value. */
export interface ConfigScalar {
  readonly kind: "scalar";
  readonly place: string;
  /** As written, without quotes. */
  readonly text: string;
  readonly value: string | number | boolean | null;
  /** It stands without quotes. */
  readonly isPlain?: true;
  /** It names what is not there, which is reported: nobody needs to complain about it again. */
  readonly unreadable?: true;
}

/** Returns the key for a message. */
export const shownKey = ({ key, shown }: ConfigEntry): string => shown ?? key;

/** What a configuration can hold, as values; ints are bigint where they came from a file. */
export type Written = string | number | bigint | boolean | null | readonly Written[] | { readonly [key: string]: Written };

/** One thing wrong with a configuration. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly place: string;
  /** Lower case, no full stop, the author's words in backticks. */
  readonly message: string;
  readonly hint?: string;
}

/** Collects problems while reading carries on. */
export type ReportProblem = (problem: Problem) => void;

/** Prints a problem as the one or two lines that people read. */
export function printProblem(problem: Problem): string {
  const line = `${problem.place}: ${problem.severity}: ${problem.message}`;
  return problem.hint === undefined ? line : `${line}\n  = hint: ${problem.hint}`;
}

/** Resolves an unquoted scalar as YAML's core schema does. */
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
    case "text":
      return text;
  }
}

/** Says whether a part of the tree names what is not there. */
export function isUnreadable(node: ConfigNode): boolean {
  switch (node.kind) {
    case "scalar":
      return node.unreadable === true;
    case "list":
      return node.items.some(isUnreadable);
    case "map":
      return node.entries.some((entry) => isUnreadable(entry.value));
  }
}

/** The single values of a tree. */
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

/** Turns a tree into the value that conditions see: ints stay ints (semantics 5.1), and every key is data, whatever its name. */
export function toValue(node: ConfigNode): Written {
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

/** Says why readers of YAML do not agree on what a value is; undefined when they do. A condition that asks for it would fail, or decide otherwise. */
export function ambiguityOf({ text, value, isPlain }: Pick<ConfigScalar, "text" | "value" | "isPlain">): string | undefined {
  if (isPlain !== true) return undefined;
  if (typeof value === "number" && !isInt64(integerIn(text) ?? 0n)) return "this number is too large for an integer";
  if (typeof value !== "string") return undefined;
  if (/^(?:y|yes|n|no|on|off)$/i.test(text)) return "this is a string here, and true or false to other readers of YAML";
  return otherNumber.test(text) ? "this is a string here, and a number to other readers of YAML" : undefined;
}

const otherNumber = /^[-+]?(?:(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d+)?|0[box][\da-f_]+|\.inf|\.nan)$/i;

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
