/**
 * Converts the YAML library's tree to ours: follows aliases, applies merges, reports duplicate keys. Anchors are
 * visible in all later documents of a source.
 */
import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import type { Report } from "../diagnostic.ts";
import { positionAt, type Source, type Span } from "../source.ts";
import { didYouMean } from "../nearest.ts";
import { limits } from "./limits.ts";
import type { ListNode, MapEntry, MapNode, ScalarNode, ScalarStyle, YamlNode } from "./node.ts";
import { fieldPath, itemPath, rootPath } from "./path.ts";
import { plainType } from "./scalar-type.ts";

/** An anchor: its node, and the number of nodes that it has when aliases are expanded. */
interface Anchor {
  readonly name: string;
  readonly node: YamlNode;
  readonly size: number;
}

interface Resolver {
  readonly source: Source;
  readonly report: Report;
  readonly anchors: Map<string, Anchor>;
  /** Nodes so far, and how many of them came from aliases. */
  nodes: number;
  aliased: number;
}

/** Resolves each document that has content. A document that is not a mapping is reported, once per run of such documents. */
export function resolveDocuments(contents: readonly (ParsedNode | null)[], source: Source, report: Report): readonly MapNode[] {
  const resolver: Resolver = { source, report, anchors: new Map(), nodes: 0, aliased: 0 };
  const documents: MapNode[] = [];
  let reported = false;
  for (const content of contents) {
    if (content === null || isEmpty(content)) continue;
    const node = resolve(content, rootPath, resolver);
    if (node.kind === "map") {
      documents.push(node);
      reported = false;
    } else if (!reported) {
      reported = true;
      report({
        code: "invalid-document",
        severity: "error",
        span: node.token,
        path: rootPath,
        message: `a policy must be a mapping of fields, not a ${node.kind === "list" ? "list" : "single value"}`,
        hint: "start with `apiVersion: api.authz.dev/v1`",
      });
    }
  }
  return documents;
}

const isEmpty = (node: ParsedNode): boolean => isScalar(node) && node.type === "PLAIN" && node.source === "" && node.anchor === undefined;

function resolve(node: ParsedNode, path: string, resolver: Resolver): YamlNode {
  if (isAlias(node)) return followAlias(node.source, { span: spanOf(node, resolver.source), path }, resolver);
  const before = resolver.nodes++;
  const resolved = isMap(node)
    ? resolveMap(node, path, resolver)
    : isSeq(node)
      ? resolveList(node, path, resolver)
      : resolveScalar(node, path, resolver);
  if (node.anchor !== undefined) {
    defineAnchor({ name: node.anchor, node: resolved, size: resolver.nodes - before }, path, resolver);
  }
  return resolved;
}

function resolveScalar(node: Scalar.Parsed, path: string, { source, report }: Resolver): ScalarNode {
  const span = spanOf(node, source);
  const style = styles[node.type ?? "PLAIN"] ?? "plain";
  const value = typeof node.value === "string" ? node.value : "";
  const text = style === "literal" || style === "folded" ? blockText(value, source, span) : value;
  const type = style === "plain" ? plainType(text) : "string";
  // No request can contain a lone surrogate, and UTF-8 encodes all of them alike.
  if (/\p{Surrogate}/u.test(text))
    report({
      code: "yaml-syntax",
      severity: "error",
      span,
      path,
      message: "half of a surrogate pair is not a character",
      hint: "write both halves, or the character itself",
    });
  return { kind: "scalar", type, text, style, span, token: span, ...(node.tag !== undefined && { tag: node.tag }) };
}

/**
 * Returns the text of a block scalar. The library always adds a line break after the last line; if the file ends
 * without one, it is removed.
 */
const blockText = (text: string, source: Source, span: Span): string =>
  span.end >= source.text.length && !source.text.endsWith("\n") && text.endsWith("\n") ? text.slice(0, -1) : text;

const styles: { readonly [type: string]: ScalarStyle } = {
  PLAIN: "plain",
  QUOTE_SINGLE: "single",
  QUOTE_DOUBLE: "double",
  BLOCK_LITERAL: "literal",
  BLOCK_FOLDED: "folded",
};

function resolveList(node: YAMLSeq.Parsed, path: string, resolver: Resolver): ListNode {
  const whole = spanOf(node, resolver.source);
  const items = node.items.map((item, index) => resolve(item, itemPath(path, index), resolver));
  const span = node.flow ? whole : upTo(whole, node.items.at(-1), items.at(-1));
  return { kind: "list", items, span, token: first(span) };
}

function resolveMap(node: YAMLMap.Parsed, path: string, resolver: Resolver): MapNode {
  const whole = spanOf(node, resolver.source);
  let last: YamlNode | undefined;
  const entries = new Map<string, MapEntry>();
  const written = new Map<string, MapEntry>();
  const merged = new Map<string, MapEntry>();
  for (const pair of node.items) {
    const key = resolveKey(pair, whole, path, resolver);
    if (node.flow && pair.value === null && key.style === "plain" && key.text.includes(":")) reportColonWithoutSpace(key, resolver);
    const valuePath = fieldPath(path, key.text);
    const value = pair.value === null ? emptyNode(pair, key.span) : resolve(pair.value, valuePath, resolver);
    last = value;
    const isMerge = key.text === "<<" && key.style === "plain";
    const earlier = written.get(key.text);
    if (earlier !== undefined) {
      reportDuplicateKey(key, earlier.key, resolver);
      continue;
    }
    written.set(key.text, { key, value });
    if (isMerge) for (const entry of mergedEntries(value, valuePath, resolver)) merged.set(entry.key.text, entry);
    else entries.set(key.text, { key, value });
  }
  // Merging is shallow: the mapping's own keys replace merged ones.
  for (const [name, entry] of merged) if (!entries.has(name)) entries.set(name, entry);
  const span = node.flow ? whole : upTo(whole, node.items.at(-1)?.value, last);
  return { kind: "map", entries: [...entries.values()], span, token: node.flow ? first(span) : firstColon(node.items[0], span) };
}

/** Parsers disagree: YAML 1.2 reads `{a:1}` as a field `a:1` without a value, the reference as `a: 1`. */
function reportColonWithoutSpace({ text, span }: ScalarNode, { report }: Resolver): void {
  report({
    code: "yaml-syntax",
    severity: "error",
    span,
    message: `\`${text}\` is a field without a value: in brackets, a \`:\` ends a name only before a space`,
    hint: "put a space behind the `:`; or put the whole name in quotes, and `: null` behind it",
  });
}

/**
 * Ends the span of a block collection at its last value, without what follows on the line. An alias ends at its own
 * position.
 */
const upTo = (whole: Span, node: ParsedNode | null | undefined, resolved: YamlNode | undefined): Span => ({
  ...whole,
  end: isAlias(node) ? node.range[1] : (resolved?.span.end ?? whole.end),
});

function resolveKey(pair: Pair<ParsedNode, ParsedNode | null>, map: Span, path: string, resolver: Resolver): ScalarNode {
  const { key } = pair;
  const resolved = key === null ? undefined : resolve(key, path, resolver);
  if (resolved?.kind === "scalar") return resolved;
  const focus = resolved?.span ?? first(map);
  const colon = colonOf(pair);
  const span = colon === undefined ? focus : { ...map, start: colon, end: colon + 1 };
  resolver.report({
    code: "yaml-syntax",
    severity: "error",
    span,
    focus,
    message: "a key must be a string",
    hint: "put the key in quotes",
  });
  return { kind: "scalar", type: "string", text: "", style: "plain", span: focus, token: focus };
}

function mergedEntries(value: YamlNode, path: string, resolver: Resolver): readonly MapEntry[] {
  if (value.kind === "map") return value.entries;
  // An undefined alias was reported already; no plain scalar starts with `*`.
  if (resolver.source.text[value.span.start] === "*") return [];
  resolver.report({
    code: "yaml-merge",
    severity: "error",
    span: value.token,
    path,
    message: "`<<` can merge only one mapping",
    hint: "write an alias of a mapping: `<<: *name`",
  });
  return [];
}

function defineAnchor({ name, node, size }: Anchor, path: string, resolver: Resolver): void {
  if (!resolver.anchors.has(name)) {
    resolver.anchors.set(name, { name, node, size });
    return;
  }
  const start = resolver.source.text.lastIndexOf(`&${name}`, node.span.start);
  resolver.report({
    code: "yaml-duplicate-anchor",
    severity: "error",
    span: { source: resolver.source, start, end: start + name.length + 1 },
    path,
    message: `the anchor \`&${name}\` is already defined`,
    hint: "give it another name",
  });
}

function followAlias(name: string, { span, path }: { readonly span: Span; readonly path: string }, resolver: Resolver): YamlNode {
  const nothing: YamlNode = { kind: "scalar", type: "null", text: "", style: "plain", span, token: span };
  const anchor = resolver.anchors.get(name);
  if (anchor === undefined) {
    resolver.report({
      code: "yaml-unknown-anchor",
      severity: "error",
      span,
      path,
      message: `no anchor \`&${name}\` before this alias`,
      hint: didYouMean(name, resolver.anchors.keys()).hint ?? "put the value in quotes if it is meant to start with `*`",
    });
    return nothing;
  }
  const before = resolver.aliased;
  resolver.nodes += anchor.size;
  resolver.aliased += anchor.size;
  if (resolver.aliased <= limits.aliasedNodes) return anchor.node;
  if (before <= limits.aliasedNodes)
    resolver.report({
      code: "yaml-too-large",
      severity: "error",
      span,
      path,
      message: `aliases cannot repeat more than ${limits.aliasedNodes} values`,
      hint: "write the values out, or fewer of them",
    });
  return nothing;
}

function reportDuplicateKey(key: ScalarNode, earlier: ScalarNode, { source, report }: Resolver): void {
  const { line, column } = positionAt(source, earlier.span.start);
  report({
    code: "yaml-duplicate-key",
    severity: "error",
    span: key.span,
    message: `\`${key.text}\` is already given at ${line}:${column}`,
    hint: "keep one of the two",
    notes: [{ span: earlier.span, message: "first given here" }],
  });
}

const spanOf = (node: ParsedNode, source: Source): Span => ({ source, start: node.range[0], end: node.range[1] });

const first = (span: Span): Span => ({ ...span, end: Math.min(span.end, span.start + 1) });

function firstColon(pair: Pair | undefined, map: Span): Span {
  const colon = colonOf(pair);
  return colon === undefined ? first(map) : { ...map, start: colon, end: colon + 1 };
}

function emptyNode(pair: Pair, key: Span): ScalarNode {
  const start = (colonOf(pair) ?? key.end - 1) + 1;
  const span = { ...key, start, end: start };
  return { kind: "scalar", type: "null", text: "", style: "plain", span, token: span };
}

const colonOf = (pair: Pair | undefined): number | undefined =>
  pair?.srcToken?.sep?.find((token) => token.type === "map-value-ind")?.offset;
