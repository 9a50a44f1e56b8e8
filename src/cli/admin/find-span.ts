/** Finds the position in a source file for a path that the server reports. */
import type { Span } from "../../../compiler/source.ts";
import { headOf, type MapNode, type YamlNode } from "../../../compiler/yaml/node.ts";

/** Returns the position of `.resourcePolicy.rules[0].roles`; for a missing field, the position of its nearest existing ancestor. */
export function findSpan(document: MapNode, path: string): Span {
  let node: YamlNode = document;
  for (const [, quoted, name, index] of path.matchAll(/\.'((?:[^']|'(?![.[]|$))*)'|\.([^.[\]]+)|\[(\d+)\]/g)) {
    const inner: YamlNode | undefined =
      index === undefined ? memberOf(node, quoted ?? name ?? "") : node.kind === "list" ? node.items[Number(index)] : undefined;
    if (inner === undefined) break;
    node = inner;
  }
  return headOf(node);
}

const memberOf = (node: YamlNode, name: string): YamlNode | undefined =>
  node.kind === "map" ? node.entries.find(({ key }) => key.text === name || camelCase(key.text) === camelCase(name))?.value : undefined;

/** A field may be written `api_version` or `apiVersion`. */
const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
