/** Configuration as written: a tree of mappings, lists and scalars, each with its place. */
import { plainType } from "../../compiler/yaml/scalar-type.ts";
import type { Value } from "../../runtime/cel/value.ts";

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
}

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
    case "float":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "text":
      return text;
  }
}

/** Turns a tree into the value that conditions see: ints stay ints (semantics 5.1), and every key is data, whatever its name. */
export function toValue(node: ConfigNode): Value {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "number" && plainType(node.text) === "integer" && isInt64(BigInt(node.text))
        ? BigInt(node.text)
        : node.value;
    case "list":
      return node.items.map(toValue);
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, toValue(entry.value)]));
  }
}

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
