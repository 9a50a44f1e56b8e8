/** Configuration as written: a tree of mappings, lists and scalars, each with its place. */

export type ConfigNode = ConfigMap | ConfigList | ConfigScalar;

export interface ConfigMap {
  readonly kind: "map";
  readonly place: string;
  readonly entries: readonly ConfigEntry[];
}

export interface ConfigEntry {
  readonly key: string;
  /** Where the key stands: `authz.yaml:3:5`, or the `--set` that brought it. */
  readonly place: string;
  readonly value: ConfigNode;
}

export interface ConfigList {
  readonly kind: "list";
  readonly place: string;
  readonly items: readonly ConfigNode[];
}

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

export type ReportProblem = (problem: Problem) => void;

/** Prints a problem as the one or two lines that people read. */
export function printProblem(problem: Problem): string {
  const line = `${problem.place}: ${problem.severity}: ${problem.message}`;
  return problem.hint === undefined ? line : `${line}\n  = hint: ${problem.hint}`;
}

/** Resolves an unquoted scalar as YAML's core schema does. */
export function resolvePlain(text: string): ConfigScalar["value"] {
  if (text === "" || text === "~" || /^null$/i.test(text)) return null;
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (/^0o[0-7]+$/.test(text) || /^0x[0-9a-fA-F]+$/.test(text)) return Number(text);
  if (/^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text)) return Number(text);
  return text;
}

/** Turns a tree into plain JSON data; every key is data, whatever its name. */
export function toJson(node: ConfigNode): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, toJson(entry.value)]));
  }
}
