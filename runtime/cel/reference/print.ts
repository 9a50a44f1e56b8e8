/** Prints FUNCTIONS.md: chapters, signatures, sentences and examples as Markdown text. */
import type { Example } from "../declare.ts";
import { printSignature, withOperands } from "../signature.ts";
import { families, type Family } from "./families.ts";
import { macroEntries } from "./macros.ts";

const introduction = `# Functions, operators and macros of conditions

Printed from the rows of \`runtime/cel/functions\`; every example on this page is run by the tests. \`npm run golden -- --accept\` prints it anew.

Each entry shows its forms, what it does, and what examples come to. \`error: …\` is an error of the expression: the condition is not true then. \`dyn\` is a value of any type, such as an attribute; \`A\`, \`B\`, \`T\` stand for a type that is the same wherever the letter stands in a line. In examples, \`dyn(…)\` stands for an attribute, about which nothing is known when the policy is compiled.`;

/** Prints the whole page. */
export function printReference(): string {
  const chapters = [["Macros", printMacros()], ...families.map((family) => [family.title, printFamily(family)])] as const;
  const contents = chapters.map(([title = ""]) => `- [${title}](#${title.toLowerCase().replaceAll(" ", "-")})`).join("\n");
  return `${[introduction, contents, ...chapters.map(([title, text]) => `## ${title}\n\n${text}`)].join("\n\n")}\n`;
}

const printMacros = (): string =>
  [
    "The parser understands these by itself.",
    ...macroEntries.map(({ form, says, examples }) => entry(code(form), says, [], examples)),
  ].join("\n\n");

function printFamily({ about, rows, sentences }: Family): string {
  const names = [...new Set(rows.map(({ name }) => name))];
  const entries = names.map((name) => {
    const own = rows.filter((row) => row.name === name);
    const forms = [...new Set(own.map(printSignature))];
    return entry(
      code(withOperands(name, ["a", "b", "c"]) ?? name),
      sentences[name] ?? "",
      forms,
      own.flatMap(({ examples }) => examples),
    );
  });
  return [about, ...entries].join("\n\n");
}

function entry(title: string, says: string, forms: readonly string[], examples: readonly Example[]): string {
  const listed = forms.length === 0 ? [] : [`\`\`\`\n${forms.join("\n")}\n\`\`\``];
  const rows = [...new Map(examples)].map(([expression, value]) => `| ${code(expression)} | ${code(value)} |`);
  return [`### ${title}`, says, ...listed, ["| expression | comes to |", "|---|---|", ...rows].join("\n")].join("\n\n");
}

/** Bars end a cell, even between backticks. */
function code(text: string): string {
  const escaped = text.replaceAll("|", "\\|");
  return escaped.includes("`") ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}
