/** `authz compile DIR`: compiles a folder of policies and prints what is wrong, or what came out. */
import { Command, Option } from "commander";
import { compile, type Compiled } from "../../compiler/index.ts";
import { diagnosticsToJson, printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas } from "../../compiler/policy/paths.ts";
import type { Source } from "../../compiler/source.ts";
import { printTable } from "../../compiler/table/print.ts";
import { demandConfig } from "../config/load.ts";
import { count } from "../count.ts";
import { digest } from "../digest.ts";
import { checkOfSchemas } from "../schemas/check.ts";
import { openDiskStore } from "../store/disk.ts";
import { printUnreadable, type Unreadable } from "../store/store.ts";
import { exitCodes, type CommandLine } from "./command.ts";

interface CompileFlags {
  readonly output: "text" | "json";
  readonly emit?: "js" | "table";
  readonly ignoreSchemas: boolean;
  readonly warningsAsErrors: boolean;
  readonly config?: string;
}

/** Describes the command. */
export function compileCommand(line: CommandLine): Command {
  return new Command("compile")
    .description("compile a folder of policies and print every problem; exits with 3 when there is an error")
    .argument("<directory>", "the folder that holds the policies")
    .addOption(new Option("-o, --output <format>", "how problems are printed").choices(["text", "json"]).default("text"))
    .addOption(new Option("--emit <what>", "also print the generated functions, or the decision table").choices(["js", "table"]))
    .option("--ignore-schemas", "do not look whether the schemas that policies refer to are there", false)
    .option("--warnings-as-errors", "exit with 3 when there is a warning, too", false)
    .option("--config <file>", "configuration file, for where schemas may come from (schema.allowRefs, schema.allowedHosts)")
    .action(async (directory: string, flags: CompileFlags) => line.finish(await compileFolder(line, directory, flags)));
}

async function compileFolder(line: CommandLine, directory: string, flags: CompileFlags): Promise<number> {
  const { changed, changedSchemas, unreadable } = await openDiskStore({ directory }).read();
  const schemas = flags.ignoreSchemas ? undefined : checkOfSchemas(textsOf(changedSchemas), schemaPlaces(line, flags.config), "error");
  const { diagnostics: found, compiled } = compile(changed, { digest, ...(schemas && { schemas }) });
  const misplaced = unreadable.filter(({ path }) => isMisplacedSchemas(path));
  const diagnostics = [...misplaced.map(({ path }) => misplacedSchemas(path)), ...found];
  const others = unreadable.filter((file) => !misplaced.includes(file));

  const errors = others.length + diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const warnings = diagnostics.length + others.length - errors;
  const emitted = compiled !== undefined && errors === 0 ? emitText(compiled, flags.emit) : "";
  const fails = errors > 0 || (flags.warningsAsErrors && warnings > 0);

  if (flags.output === "json") {
    const listed = [...others.map(unreadableToJson), ...diagnosticsToJson(diagnostics)];
    const files = changed.length + others.length;
    line.out(
      `${JSON.stringify({ diagnostics: listed, errors, warnings, files, ...(flags.emit !== undefined && errors === 0 && { emitted }) }, undefined, 2)}\n`,
    );
  } else {
    const print = errors === 0 && flags.emit !== undefined ? line.err : line.out; // what is emitted stands alone on standard output
    for (const file of others) print(`${printUnreadable(file)}\n\n`);
    for (const diagnostic of diagnostics) print(`${printDiagnostic(diagnostic)}\n\n`);
    line.out(emitted);
    if (!fails && flags.emit === undefined) line.out(`${count(changed.length, "policy file")}, no errors, ${count(warnings, "warning")}\n`);
  }
  if (fails) {
    const what = errors > 0 ? count(errors, "error") : `${count(warnings, "warning")} (--warnings-as-errors)`;
    line.err(`authz: error: ${what} in ${count(changed.length + others.length, "policy file")}\n`);
  }
  return fails ? exitCodes.compile : exitCodes.ok;
}

const textsOf = (schemas: readonly Source[]): ReadonlyMap<string, string> => new Map(schemas.map(({ path, text }) => [path, text]));

/** Where schemas may come from: the store alone, unless a configuration allows more (D22). */
function schemaPlaces(line: CommandLine, file: string | undefined): Parameters<typeof checkOfSchemas>[1] {
  const { config } = demandConfig(file, [], line.environment);
  return { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
}

function emitText({ modules, table }: Compiled, what: CompileFlags["emit"]): string {
  switch (what) {
    case "js":
      return modules.map((module) => `${module.readable().trimEnd()}\n`).join("\n");
    case "table":
      return `${printTable(table).trimEnd()}\n`;
    case undefined:
      return "";
  }
}

function unreadableToJson({ path, message }: Unreadable): object {
  return { file: path, severity: "error", code: "unreadable-file", message };
}
