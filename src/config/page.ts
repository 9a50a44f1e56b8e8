/** Prints docs/configuration.md: every setting by section, the environment variables, and the keys that do nothing here. */
import { absentKeys } from "./absent.ts";
import type { Written } from "./node.ts";
import { rows, type Setting } from "./settings.ts";
import { variables } from "./variables.ts";

const introduction = `# Configuration

Every setting and every environment variable. This page is generated from the table of settings (\`npm run golden -- --accept\`).

\`authz server --config authz.yaml\` reads one YAML file. In the file, the setting \`server.httpListenAddr\` is written like this:

\`\`\`yaml
server:
  httpListenAddr: 127.0.0.1:3592
\`\`\`

- **No file**: without \`--config\` and \`AUTHZ_CONFIG\`, every setting has its default, except that \`storage.disk.watchForChanges\` is true.
- **Overrides**: \`--set server.httpListenAddr=:8080\` overrides the file. Repeat \`--set\`, or separate several settings with commas; write a comma in a value as \`\\,\`. Set one item of a list with \`key[0]=a\`, a whole list with \`key={a,b}\`. An empty value (\`key=\`) resets the setting to its default, whatever the file says: be careful with shell variables that may not be set.
- **Environment variables**: in the file and in \`--set\`, \`\${NAME}\` is replaced by a variable, \`\${NAME:default}\` by a variable or the default, and \`$$\` by a dollar. A variable that is not set and has no default is an error. \`$NAME\` is not replaced (in the file, a warning says so if that variable is set).
- **Values**: write durations as \`250ms\`, \`10s\` or \`1h30m\`. A list of one item may be written as the item alone.
- **To check a file**, run \`authz config validate authz.yaml\`: it lists every mistake with its place, and starts nothing. \`authz config print\` shows the settings in force, with defaults filled in and secrets masked. \`authz schema config\` prints a JSON Schema for your editor.`;

/** Prints the page. */
export function printPage(): string {
  const sections = [...new Set(Object.keys(rows).map((key) => key.split(".")[0] ?? ""))];
  const chapters = sections.map((section) => {
    const lines = Object.entries(rows).flatMap(([key, row]) => (key.startsWith(`${section}.`) ? [settingLine(key, row)] : []));
    return `## ${section}\n\n${table(["setting", "value", "default", "what it sets"], lines)}`;
  });
  const variableLines = variables.map(({ names, default: usually, says }) => [
    names.map(code).join(", "),
    usually === undefined ? "" : code(usually),
    says,
  ]);
  const absentLines = absentKeys.map(({ key, severity, why }) => [
    `\`${key}\``,
    why === "later" ? "not supported yet" : "no meaning in authz",
    severity === "error" ? "an error" : "a warning",
  ]);
  return `${[
    introduction,
    ...chapters,
    `## Environment variables\n\nThese have a meaning of their own; your configuration file may use any others. Variables that begin with \`OTEL\` mean what OpenTelemetry defines; a name with \`METRICS\` or \`TRACES\` overrides the one without.\n\n${table(["variable", "default", "what it sets"], variableLines)}`,
    `## Keys that do nothing\n\nThese keys of Cerbos's configuration are recognised, so that you can bring a file along. Any other unknown key is an error.\n\n${table(["key", "why", "gives"], absentLines)}`,
  ].join("\n\n")}\n`;
}

const settingLine = (key: string, { type, default: usually, says, isSecret }: Setting<unknown>): readonly string[] => [
  `\`${key}\``,
  type.says,
  defaultOf(type.print(usually)),
  `${says}${isSecret ? " (secret: never shown)" : ""}`,
];

function defaultOf(value: Written): string {
  if (value === "") return "";
  return code(typeof value === "string" ? value : JSON.stringify(value));
}

const code = (text: string): string => `\`${text}\``;

const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
