/** Parses a configuration file into a tree, with environment variables substituted; reports mistakes and carries on. */
import { Composer } from "yaml";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { positionAt, printPlace, type Source, type Span } from "../../compiler/source.ts";
import { limits } from "../../compiler/yaml/limits.ts";
import { loneCarriageReturn } from "../../compiler/yaml/line-breaks.ts";
import type { MapNode, ScalarNode, YamlNode } from "../../compiler/yaml/node.ts";
import { composerOptions } from "../../compiler/yaml/parse.ts";
import { resolveDocuments } from "../../compiler/yaml/resolve.ts";
import { scanTokens } from "../../compiler/yaml/scan-tokens.ts";
import { describeSyntaxError } from "../../compiler/yaml/syntax-error.ts";
import { tokensOf } from "../../compiler/yaml/tokens.ts";
import type { Environment } from "./environment.ts";
import { expand } from "./expand.ts";
import { resolvePlain, type ConfigEntry, type ConfigMap, type ConfigNode, type ConfigScalar } from "./node.ts";
import type { ReportProblem } from "./problem.ts";

/** Parses YAML. An empty file is an empty mapping. */
export function readYaml(file: string, text: string, environment: Environment, report: ReportProblem): ConfigMap {
  const source: Source = { path: file, text };
  const start = printPlace({ source, start: 0, end: 0 });
  const empty: ConfigMap = { kind: "map", place: start, entries: [] };
  const refuse = (message: string): ConfigMap => {
    report({ severity: "error", place: start, message });
    return empty;
  };
  if (text.length > limits.length) return refuse(`a configuration cannot be longer than ${limits.length} characters`);
  const ambiguous = loneCarriageReturn(source);
  if (ambiguous !== undefined) {
    report(toProblem(ambiguous));
    return empty;
  }
  const tokens = tokensOf(text);
  const seen = tokens && scanTokens(tokens);
  if (seen === undefined || tokens === undefined || seen.depth > limits.depth)
    return refuse(`a configuration cannot be nested deeper than ${limits.depth} levels`);

  const documents = [...new Composer(composerOptions).compose(tokens)];
  const reportDiagnostic = (diagnostic: Diagnostic): void => report(toProblem(diagnostic));
  // Only the first error is reported: those after it are mostly consequences.
  const [error, ...later] = documents.flatMap((document) => document.errors);
  if (error !== undefined) {
    reportDiagnostic(describeSyntaxError(error, later, source, seen));
    return empty;
  }
  const roots = resolveDocuments(
    documents.map((document) => document.contents),
    source,
    reportDiagnostic,
  );
  const [root, second] = roots;
  if (second !== undefined)
    report({
      severity: "error",
      place: printPlace(second.span),
      message: "a configuration must be one document: remove the others",
    });
  return root === undefined ? empty : toTree(root, environment, report);
}

/** Rewords a diagnostic of the policy reader for a configuration. Nothing that may be part of a password is quoted. */
function toProblem(diagnostic: Diagnostic): Parameters<ReportProblem>[0] {
  const { code, span, message, hint } = diagnostic;
  const here = { severity: "error", place: span === undefined ? "" : printPlace(span) } as const;
  switch (code) {
    case "invalid-document":
      return { ...here, message: "a configuration is a mapping from keys to values" };
    case "yaml-unknown-anchor":
      return { ...here, message: "this alias names no anchor before it", hint: "put the value in quotes if it is meant to start with `*`" };
    case "yaml-duplicate-anchor":
      return { ...here, message: "there is another anchor of this name", hint: "put the value in quotes if it is meant to start with `&`" };
    case "yaml-syntax":
    case "yaml-quoted-text":
      return { ...here, message: `not YAML: ${message}`, ...(hint !== undefined && { hint }) };
    default:
      return { ...here, message, ...(hint !== undefined && { hint }) };
  }
}

/** Neither the value nor the name is quoted: it may be a password. */
const bareVariable = {
  message: "this value is used as written: `$` and the name of a variable are not replaced, although that variable is set",
  hint: "write `${NAME}` for the value of a variable, `$$` for a dollar",
};

const shellDefault = {
  message: "everything after the colon is the default of the variable, with the `-`, `+`, `=` or `?` that it begins with",
  hint: "write `${NAME:default}`, not `${NAME:-default}` as in shells",
};

function toTree(root: MapNode, environment: Environment, report: ReportProblem): ConfigMap {
  /** Nodes that aliases refer to are converted once, so that their mistakes are reported once. */
  const known = new Map<YamlNode, ConfigNode>();
  const convertOnce = (node: YamlNode): ConfigNode => {
    const found = known.get(node) ?? (node.kind === "map" ? mapping(node) : node.kind === "list" ? list(node) : scalar(node));
    known.set(node, found);
    return found;
  };
  const mapping = (node: MapNode): ConfigMap => {
    const entries = new Map<string, ConfigEntry>();
    const places = new Map<string, Span>();
    for (const { key, value } of node.entries) {
      const name = scalar(key);
      if (name.isUnresolved) continue;
      const earlier = places.get(name.text);
      if (earlier === undefined) {
        places.set(name.text, key.span);
        const unexpanded = key.text === name.text ? {} : { unexpandedKey: key.text };
        entries.set(name.text, { key: name.text, place: name.place, value: convertOnce(value), ...unexpanded });
        continue;
      }
      // The keys differ as written, but are equal after substitution.
      const { line, column } = positionAt(earlier.source, earlier.start);
      report({ severity: "error", place: name.place, message: `\`${key.text}\` is already given at ${line}:${column}` });
    }
    return { kind: "map", place: printPlace(node.span), entries: [...entries.values()] };
  };
  const list = (node: YamlNode & { readonly kind: "list" }): ConfigNode => ({
    kind: "list",
    place: printPlace(node.span),
    items: node.items.map(convertOnce),
  });
  const scalar = (node: ScalarNode): ConfigScalar => {
    const place = printPlace(node.span);
    const { text, isChanged, hasBareVariable, hasShellDefault, errors } = expand(node.text, environment);
    for (const message of errors) report({ severity: "error", place, message });
    if (hasBareVariable) report({ severity: "warning", place, ...bareVariable });
    if (hasShellDefault) report({ severity: "warning", place, ...shellDefault });
    const isPlain = node.style === "plain" && node.tag !== "tag:yaml.org,2002:str";
    const value = isChanged || isPlain ? resolvePlain(text) : text;
    return {
      kind: "scalar",
      place,
      text,
      value,
      ...(isPlain && { isPlain: true as const }),
      ...(errors.length > 0 && { isUnresolved: true as const }),
    };
  };
  return mapping(root);
}
