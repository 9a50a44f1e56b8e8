/** The JSON Schema of the configuration file, made from the table of settings. */
import { absentKeys } from "../config/absent.ts";
import { rows } from "../config/settings.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Nested sections, with settings as leaves. */
interface Section {
  readonly settings: Map<string, JsonSchema>;
  readonly sections: Map<string, Section>;
}

/** Returns the schema of configuration files. */
export function configSchema(): JsonSchema {
  const root = emptySection();
  for (const [key, { type, default: fallback, says }] of Object.entries(rows))
    put(root, key.split("."), { description: says, default: type.print(fallback), ...type.form });
  for (const { key, severity, why, harmless } of absentKeys) {
    const description = why === "later" ? "Not supported yet." : "Has no meaning here and is ignored.";
    if (severity === "warning") put(root, key.split("."), { description, doNotSuggest: true });
    else if (harmless !== undefined) put(root, key.split("."), { description, enum: [harmless], doNotSuggest: true });
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
