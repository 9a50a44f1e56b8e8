/** Finds the values in a JSON Schema that are URLs of schemas, but not those within data. */
import type { MapEntry, MapNode, YamlNode } from "../../compiler/yaml/node.ts";

/** Keywords whose value is the URL of a schema; `id` is the name of `$id` before draft 06. */
const urls: ReadonlySet<string> = new Set(["$ref", "$id", "id", "$dynamicRef"]);
/** Keywords whose value is data. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example"]);
/** Keywords whose value maps the author's names to schemas. */
const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "definitions", "$defs", "dependencies", "dependentSchemas"]);

/** Returns the entries of a schema whose values are URLs. */
export function schemaUrls(schema: MapNode): readonly MapEntry[] {
  const found: MapEntry[] = [];
  const pending: YamlNode[] = [schema];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "list") pending.push(...node.items);
    if (node.kind !== "map") continue;
    for (const entry of node.entries) {
      const { key, value } = entry;
      if (data.has(key.text)) continue;
      if (value.kind === "scalar") {
        if (urls.has(key.text)) found.push(entry);
      } else if (named.has(key.text) && value.kind === "map") pending.push(...value.entries.map((each) => each.value));
      else pending.push(value);
    }
  }
  return found;
}
