/** `:functions`: the reference of CEL's functions and macros, printed from the rows that define them. */
import { allMacros, macroForms } from "../../compiler/cel/macros.ts";
import { nearest } from "../../compiler/nearest.ts";
import { functionRows } from "../../runtime/cel/functions/index.ts";
import { printSignature } from "../../runtime/cel/signature.ts";
import { refuse, say, type Answer, type Command } from "./answer.ts";
import { printColumns } from "./columns.ts";
import { problemOf, type Part } from "./problem.ts";
import type { State } from "./state.ts";

const isOperator = (name: string): boolean => !/^[A-Za-z]/.test(name);

/** The names of functions and macros that can be used in expressions. */
export const functionNames: readonly string[] = [
  ...new Set([
    ...functionRows.map(({ name }) => name).filter((name) => !isOperator(name)),
    ...allMacros.map(({ name, on }) => (on === "cel" || on === "math" ? `${on}.${name}` : name)),
  ]),
].toSorted();

function describe(name: string): string | undefined {
  const rows = functionRows.filter((row) => row.name === name || (isOperator(row.name) && symbolOf(row.name) === name));
  const form = macroForms.get(name);
  if (rows.length === 0 && form === undefined) return undefined;
  const blocks = rows.map((row) => [printSignature(row), ...row.examples.map(([text, value]) => `  ${text}  ->  ${value}`)].join("\n"));
  const macro = form === undefined ? [] : [`${form.replaceAll("`", "")}  (a macro)`];
  return [...macro, ...blocks].join("\n");
}

const symbolOf = (name: string): string => (name === "@in" ? "in" : name.replaceAll("_", ""));

function showFunctions(part: Part, state: State): Answer {
  const wanted = part.text.replace(/\($/, "").replace(/^\./, "");
  if (wanted === "")
    return say(state, `${inColumns(functionNames)}\n\n:functions NAME shows types and examples; operators too: :functions +`);
  const found = describe(wanted);
  if (found !== undefined) return say(state, found);
  const like = functionNames.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  if (like.length > 0) return say(state, inColumns(like));
  const near = nearest(wanted, functionNames);
  return refuse(state, [
    problemOf(part, `no function \`${wanted}\``, near === undefined ? "`:functions` lists them all" : `did you mean \`${near}\`?`),
  ]);
}

/** Prints names in as many columns as fit, ordered downwards. */
function inColumns(names: readonly string[]): string {
  const columns = Math.max(1, Math.min(4, Math.ceil(names.length / 4)));
  const height = Math.ceil(names.length / columns);
  return printColumns(
    Array.from({ length: height }, (_, row) => Array.from({ length: columns }, (_, column) => names[column * height + row] ?? "")),
    "  ",
  );
}

/** The command. */
export const functionsCommand: Command = {
  name: "functions",
  form: "[NAME]",
  summary: "list the functions and macros; with a name, show types and examples",
  examples: [
    ["startsWith", "one function"],
    ["time", "every name with `time` in it"],
  ],
  completion: () => functionNames,
  run: showFunctions,
};
