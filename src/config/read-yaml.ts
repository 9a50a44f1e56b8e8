/** A configuration file's text -> the tree as written, with environment variables put in; reports and carries on. */
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Range } from "yaml";
import type { Environment } from "./environment.ts";
import { expand } from "./expand.ts";
import { resolvePlain, type ConfigMap, type ConfigNode, type ReportProblem } from "./node.ts";

/** An alias may repeat what it stands for; a file that grows beyond this is no configuration. */
const mostNodes = 10_000;

/** Reads YAML. An empty file is an empty mapping. */
export function readYaml(file: string, text: string, environment: Environment, report: ReportProblem): ConfigMap {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, merge: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  for (const error of document.errors) report({ severity: "error", place: at(error.pos[0]), message: yamlMessage(error.message) });
  const empty: ConfigMap = { kind: "map", place: at(0), entries: [] };
  if (document.errors.length > 0 || document.contents === null) return empty;

  let nodes = 0;
  const read = (node: unknown, fallback: number): ConfigNode => {
    const offset = rangeOf(node)?.[0] ?? fallback;
    const place = at(offset);
    if (++nodes === mostNodes) report({ severity: "error", place, message: `the configuration has more than ${mostNodes} parts` });
    if (nodes >= mostNodes) return { kind: "scalar", place, text: "", value: null };
    if (isAlias(node)) {
      const target = node.resolve(document);
      const [start, end] = rangeOf(target) ?? [0, 0];
      if (start > offset || offset >= end) return read(target, offset);
      report({ severity: "error", place, message: `\`*${node.source}\` stands inside of what it repeats` });
      return { kind: "scalar", place, text: "", value: null };
    }
    if (isMap(node)) {
      return {
        kind: "map",
        place,
        entries: node.items.map((pair) => {
          const key = read(pair.key, offset);
          if (key.kind !== "scalar") report({ severity: "error", place: key.place, message: "a key must be a text" });
          return { key: key.kind === "scalar" ? key.text : "", place: key.place, value: read(pair.value, offset) };
        }),
      };
    }
    if (isSeq(node)) return { kind: "list", place, items: node.items.map((item) => read(item, offset)) };
    if (!isScalar(node)) return { kind: "scalar", place, text: "", value: null };
    const written = typeof node.value === "string" ? node.value : (node.source ?? "");
    const expansion = expand(written, environment);
    for (const message of expansion.errors) report({ severity: "error", place, message });
    const value = expansion.changed || typeof node.value !== "string" ? resolvePlain(expansion.text) : expansion.text;
    return { kind: "scalar", place, text: expansion.text, value };
  };

  const root = read(document.contents, 0);
  if (root.kind === "map") return root;
  if (root.kind === "scalar" && root.value === null) return empty;
  report({ severity: "error", place: root.place, message: "a configuration is a mapping from keys to values" });
  return empty;
}

/** Turns the parser's first sentence into one of ours: lower case, no full stop. */
function yamlMessage(message: string): string {
  const first = message.split("\n")[0] ?? message;
  return `not YAML: ${first.charAt(0).toLowerCase()}${first.slice(1).replace(/\.$/, "")}`;
}

const rangeOf = (node: unknown): Range | null | undefined => (isNode(node) ? node.range : undefined);
