/** A path in a policy, as the server says it -> the place in the file that its author wrote. */
import type { Span } from "../../../compiler/source.ts";
import { headOf, type MapNode, type YamlNode } from "../../../compiler/yaml/node.ts";

/** Finds the place of `.resourcePolicy.rules[0].roles`; of what is not there, the place of what it would be part of. */
export function findPlace(document: MapNode, path: string): Span {
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
  node.kind === "map" ? node.entries.find(({ key }) => key.text === name || camel(key.text) === camel(name))?.value : undefined;

/** The same field may be written `api_version` or `apiVersion`. */
const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
