/** `authz compile DIR`: compiles a folder of policies and prints what is wrong, or what came out. */
import { Command, Option } from "commander";
import { compile, type Compiled } from "../../compiler/index.ts";
import { diagnosticsToJson, printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { printTable } from "../../compiler/table/print.ts";
import { count } from "../count.ts";
import { digest } from "../digest.ts";
import { openDiskStore } from "../store/disk.ts";
import { printUnreadable, type Unreadable } from "../store/store.ts";
import { exitCodes, type CommandLine } from "./command.ts";

interface CompileFlags {
  readonly output: "text" | "json";
  readonly emit?: "js" | "table";
}

/** Describes the command. */
export function compileCommand(line: CommandLine): Command {
  return new Command("compile")
    .description("compile a folder of policies and print every problem; exits with 3 when there is an error")
    .argument("<directory>", "the folder that holds the policies")
    .addOption(new Option("-o, --output <format>", "how problems are printed").choices(["text", "json"]).default("text"))
    .addOption(new Option("--emit <what>", "also print the generated functions, or the decision table").choices(["js", "table"]))
    .action(async (directory: string, flags: CompileFlags) => line.finish(await compileFolder(line, directory, flags)));
}

async function compileFolder(line: CommandLine, directory: string, flags: CompileFlags): Promise<number> {
  const { changed, unreadable } = await openDiskStore({ directory }).read();
  const { diagnostics, compiled } = compile(changed, { digest });
  const errors = unreadable.length + diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const warnings = diagnostics.length + unreadable.length - errors;
  const emitted = compiled !== undefined && errors === 0 ? emitText(compiled, flags.emit) : "";

  if (flags.output === "json") {
    const listed = [...unreadable.map(unreadableToJson), ...diagnosticsToJson(diagnostics)];
    line.out(
      `${JSON.stringify({ diagnostics: listed, errors, warnings, ...(flags.emit !== undefined && errors === 0 && { emitted }) }, undefined, 2)}\n`,
    );
  } else {
    const print = errors === 0 && flags.emit !== undefined ? line.err : line.out; // what is emitted stands alone on standard output
    for (const file of unreadable) print(`${printUnreadable(file)}\n\n`);
    for (const diagnostic of diagnostics) print(`${printDiagnostic(diagnostic)}\n\n`);
    line.out(emitted);
    if (errors === 0 && flags.emit === undefined)
      line.out(`${count(changed.length, "policy file")}, no errors, ${count(warnings, "warning")}\n`);
  }
  if (errors > 0) line.err(`authz: error: ${count(errors, "error")} in ${count(changed.length + unreadable.length, "policy file")}\n`);
  return errors > 0 ? exitCodes.compile : exitCodes.ok;
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
