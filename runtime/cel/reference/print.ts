/** Prints FUNCTIONS.md: chapters, signatures, descriptions and examples as Markdown. */
import type { Example } from "../declare.ts";
import { printSignature, withOperands } from "../signature.ts";
import { families, type Family } from "./families.ts";
import { macroEntries } from "./macros.ts";

const introduction = `# Functions, operators and macros of conditions

Everything that you can use in a condition. Each entry shows the forms of a function, what it does, and examples with their results.

- \`error: …\` is an error of the expression: the condition is then not true.
- \`dyn\` is a value of any type, such as an attribute. \`A\`, \`B\` and \`T\` stand for a type, the same one everywhere in a line.
- In examples, \`dyn(…)\` stands for an attribute, whose type is not known when the policy is compiled.

This page is generated from \`runtime/cel/functions\` (\`npm run golden -- --accept\`); the tests run every example on it.`;

export function printReference(): string {
  const chapters = [["Macros", printMacros()], ...families.map((family) => [family.title, printFamily(family)])] as const;
  const contents = chapters.map(([title = ""]) => `- [${title}](#${title.toLowerCase().replaceAll(" ", "-")})`).join("\n");
  return `${[introduction, contents, ...chapters.map(([title, text]) => `## ${title}\n\n${text}`)].join("\n\n")}\n`;
}

const printMacros = (): string =>
  ["The parser itself expands these.", ...macroEntries.map(({ form, says, examples }) => entry(code(form), says, [], examples))].join(
    "\n\n",
  );

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
  return [`### ${title}`, says, ...listed, ["| expression | result |", "|---|---|", ...rows].join("\n")].join("\n\n");
}

/** A bar ends a table cell even between backticks, so escape it. */
function code(text: string): string {
  const escaped = text.replaceAll("|", "\\|");
  return escaped.includes("`") ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}
