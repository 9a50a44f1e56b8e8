/** Prints docs/configuration.md: every setting by section, the environment variables, and the keys that do nothing here. */
import { absentKeys } from "./absent.ts";
import type { Written } from "./node.ts";
import { rows, type Setting } from "./settings.ts";
import { variables } from "./variables.ts";

const introduction = `# Configuration

Printed from the table of settings; \`npm run golden -- --accept\` prints it anew.

\`authz server --config authz.yaml\` reads one YAML file. A setting \`server.httpListenAddr\` is written

\`\`\`yaml
server:
  httpListenAddr: 127.0.0.1:3592
\`\`\`

- Without \`--config\` and \`AUTHZ_CONFIG\` every setting has its default, but \`storage.disk.watchForChanges\` is true.
- \`--set server.httpListenAddr=:8080\` wins over the file. \`--set\` repeats, commas join several, \`\\,\` is a comma; \`key[0]=a\` is an item of a list and \`key={a,b}\` a whole one. Without a value (\`key=\`) the setting has its default, whatever the file says; so it has where the shell puts in a variable that is not set.
- \`\${NAME}\` is an environment variable, \`\${NAME:default}\` one with a default, \`$$\` a dollar. \`$NAME\` stays as it is, with a warning where that variable is set. A variable that is not set and has no default is an error.
- Durations are written \`250ms\`, \`10s\`, \`1h30m\`. Where a list is expected, one item may stand alone.
- \`authz config validate authz.yaml\` lists every mistake of a file with its place and starts nothing. \`authz config print\` prints what is in force, defaults filled in and secrets masked.
- \`authz schema config\` prints a JSON Schema of the file, for editors.`;

/** Prints the whole page. */
export function printPage(): string {
  const sections = [...new Set(Object.keys(rows).map((key) => key.split(".")[0] ?? ""))];
  const chapters = sections.map((section) => {
    const lines = Object.entries(rows).flatMap(([key, row]) => (key.startsWith(`${section}.`) ? [settingLine(key, row)] : []));
    return `## ${section}\n\n${table(["setting", "is", "default", ""], lines)}`;
  });
  const variableLines = variables.map(({ names, default: usually, says }) => [
    names.map(code).join(", "),
    usually === undefined ? "" : code(usually),
    says,
  ]);
  const absentLines = absentKeys.map(({ key, severity, why }) => [
    `\`${key}\``,
    why === "later" ? "is not supported yet" : "has no meaning here",
    severity === "error" ? "an error" : "a warning",
  ]);
  return `${[
    introduction,
    ...chapters,
    `## Environment variables\n\nBesides those that a configuration file names itself. Those that begin with OTEL mean what OpenTelemetry says; a name with METRICS or TRACES wins over the one without.\n\n${table(["variable", "default", ""], variableLines)}`,
    `## Keys that do nothing\n\nThey are known, so that a file that holds them is understood. Any other unknown key is an error.\n\n${table(["key", "", "is"], absentLines)}`,
  ].join("\n\n")}\n`;
}

const settingLine = (key: string, { type, default: usually, says, isSecret }: Setting<unknown>): readonly string[] => [
  `\`${key}\``,
  type.says,
  defaultOf(type.print(usually)),
  `${says}${isSecret ? " (a secret: never shown)" : ""}`,
];

function defaultOf(value: Written): string {
  if (value === "") return "";
  return code(typeof value === "string" ? value : JSON.stringify(value));
}

const code = (text: string): string => `\`${text}\``;

const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
