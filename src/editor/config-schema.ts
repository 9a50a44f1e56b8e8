/** The JSON Schema of the configuration file, made from the table of settings. */
import { unsupportedKeys } from "../config/unsupported-keys.ts";
import { settingsByKey } from "../config/settings.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Nested sections, with settings as leaves. */
interface Section {
  readonly settings: Map<string, JsonSchema>;
  readonly sections: Map<string, Section>;
}

/** Returns the schema of configuration files. */
export function configSchema(): JsonSchema {
  const root = emptySection();
  for (const [key, { type, default: fallback, description }] of Object.entries(settingsByKey))
    put(root, key.split("."), { description, default: type.print(fallback), ...type.jsonSchema });
  for (const { key, severity, reason, harmlessValue } of unsupportedKeys) {
    const description = reason === "not yet" ? "Not supported yet." : "Has no meaning here and is ignored.";
    if (severity === "warning") put(root, key.split("."), { description, doNotSuggest: true });
    else if (harmlessValue !== undefined) put(root, key.split("."), { description, enum: [harmlessValue], doNotSuggest: true });
  }
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "Configuration of authz", ...toSchema(root) };
}

const emptySection = (): Section => ({ settings: new Map(), sections: new Map() });

function put(section: Section, path: readonly string[], schema: JsonSchema): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) {
    section.settings.set(key, schema);
    return;
  }
  const inner = section.sections.get(key) ?? emptySection();
  section.sections.set(key, inner);
  put(inner, rest, schema);
}

function toSchema({ settings, sections }: Section): JsonSchema {
  const inner = [...sections].map(([key, section]): readonly [string, JsonSchema] => [key, toSchema(section)]);
  return { type: ["object", "null"], properties: Object.fromEntries([...settings, ...inner]), additionalProperties: false };
}
