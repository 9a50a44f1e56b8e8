/** Prints docs/configuration.md: every setting by section, the environment variables, and the keys that do nothing here. */
import { unsupportedKeys } from "./unsupported-keys.ts";
import type { ConfigValue } from "./node.ts";
import { settingsByKey, type Setting } from "./settings.ts";
import { environmentVariables } from "./environment-variables.ts";

const introduction = `# Configuration

Every setting and every environment variable. This page is generated from the table of settings (\`npm run golden -- --accept\`).

\`authz server --config authz.yaml\` reads one YAML file. In the file, the setting \`server.httpListenAddr\` is written like this:

\`\`\`yaml
server:
  httpListenAddr: 127.0.0.1:3592
\`\`\`

- **No file**: without \`--config\` and \`AUTHZ_CONFIG\`, every setting has its default, except that \`storage.disk.watchForChanges\` is true.
- **Overrides**: \`--set server.httpListenAddr=:8080\` overrides the file. Repeat \`--set\`, or separate several settings with commas; write a comma in a value as \`\\,\`. Set one item of a list with \`key[0]=a\`, a whole list with \`key={a,b}\`. An empty value (\`key=\`) resets the setting to its default, whatever the file says: be careful with shell variables that may not be set.
- **Environment variables**: in the file and in \`--set\`, \`\${NAME}\` is replaced by a variable, \`\${NAME:default}\` by a variable or the default (all that follows the colon; no other variable), and \`$$\` by a dollar. A variable that is not set and has no default is an error. \`$NAME\` is not replaced (in the file, a warning says so if that variable is set).
- **Values**: write durations as \`250ms\`, \`10s\` or \`1h30m\`. A list of one item may be written as the item alone.
- **To check a file**, run \`authz config validate authz.yaml\`: it lists every mistake with its place, and starts nothing. \`authz config print\` shows the settings in force, with defaults filled in and secrets masked. \`authz schema config\` prints a JSON Schema for your editor.`;

/** Prints the page. */
export function printConfigurationPage(): string {
  const sections = [...new Set(Object.keys(settingsByKey).map((key) => key.split(".")[0] ?? ""))];
  const chapters = sections.map((section) => {
    const lines = Object.entries(settingsByKey).flatMap(([key, row]) => (key.startsWith(`${section}.`) ? [settingLine(key, row)] : []));
    return `## ${section}\n\n${markdownTable(["setting", "value", "default", "what it sets"], lines)}`;
  });
  const variableLines = environmentVariables.map(({ names, default: fallback, description }) => [
    names.map(inlineCode).join(", "),
    fallback === undefined ? "" : inlineCode(fallback),
    description,
  ]);
  const unsupportedLines = unsupportedKeys.map(({ key, severity, reason, harmlessValue }) => [
    `\`${key}\``,
    reason === "not yet" ? "not supported yet" : "no meaning in authz",
    `${severity === "error" ? "an error" : "a warning"}${harmlessValue === undefined ? "" : `, unless it is ${inlineCode(String(harmlessValue))}`}`,
  ]);
  return `${[
    introduction,
    ...chapters,
    `## Environment variables\n\nThese have a meaning of their own; your configuration file may use any others. Variables that begin with \`OTEL\` mean what OpenTelemetry defines; a name with \`METRICS\` or \`TRACES\` overrides the one without.\n\n${markdownTable(["variable", "default", "what it sets"], variableLines)}`,
    `## Keys that do nothing\n\nThese keys of Cerbos's configuration are recognised, so that you can bring a file along. Any other unknown key is an error.\n\n${markdownTable(["key", "why", "gives"], unsupportedLines)}`,
  ].join("\n\n")}\n`;
}

const settingLine = (key: string, { type, default: fallback, description, isSecret }: Setting<unknown>): readonly string[] => [
  `\`${key}\``,
  type.description,
  defaultOf(type.print(fallback)),
  `${description}${isSecret ? " (secret: never shown)" : ""}`,
];

function defaultOf(value: ConfigValue): string {
  if (value === "") return "";
  return inlineCode(typeof value === "string" ? value : JSON.stringify(value));
}

const inlineCode = (text: string): string => `\`${text}\``;

const markdownTable = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
