/** `authz compile DIR`: compiles a directory of policies, and prints the problems or the output. */
import { Command, Option } from "commander";
import { compile, type Compiled } from "../../compiler/index.ts";
import { diagnosticsToJson, printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas } from "../../compiler/policy/paths.ts";
import type { Source } from "../../compiler/source.ts";
import { printTable } from "../../compiler/table/print.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { count } from "../count.ts";
import { digest } from "../texts/digest.ts";
import { optimiseLater } from "../process/optimise-later.ts";
import type { StoredSchemas } from "../schemas/enforce.ts";
import { openStoredSchemas } from "../schemas/stored.ts";
import { archiveAt, openDiskStore } from "../store/disk.ts";
import { printUnreadable, type Unreadable } from "../store/store.ts";
import type { RunResult } from "../testing/result.ts";
import { exitCodes, usageError, singleFile, type CommandLine } from "./command.ts";
import { checkTestFlags, printOutcome, runTests, withTestFlags, type TestFlags } from "./compile-tests.ts";

interface CompileFlags extends TestFlags {
  readonly output: "text" | "tree" | "list" | "json";
  readonly emit?: "js" | "table";
  readonly ignoreSchemas: boolean;
  readonly warningsAsErrors: boolean;
  readonly config?: string;
  readonly watch: boolean;
}

/** Describes the command. */
export function compileCommand(line: CommandLine): Command {
  const command = new Command("compile")
    .description(
      "compile a folder of policies, print every problem, and run the tests beside them; exits with 3 on errors, with 4 when a test fails",
    )
    .argument("<directory>", "the folder that holds the policies, or an archive of one (.zip, .tar, .tar.gz, .tgz)")
    .addOption(
      new Option("-o, --output <format>", "how problems and results are printed; text and tree are the same")
        .choices(["text", "tree", "list", "json"])
        .default("text"),
    )
    .addOption(
      new Option("--emit <what>", "also print the generated functions or the decision table, alone on standard output").choices([
        "js",
        "table",
      ]),
    )
    .option("--ignore-schemas", "do not check that the schemas which policies refer to exist", false)
    .option("--warnings-as-errors", "exit with 3 on warnings of policies too", false)
    .option(
      "--config <file>",
      "configuration file that says where schemas may come from (schema.allowRefs, schema.allowedHosts)",
      singleFile,
    )
    .option("--watch", "run again whenever policies, tests, fixtures or schemas change, until interrupted", false);
  return withTestFlags(command).action(async (directory: string, flags: CompileFlags, self: Command) => {
    optimiseLater();
    if (flags.emit !== undefined && flags.testOutput !== undefined)
      throw usageError(self, "--emit and --test-output both want standard output: with --emit, results of tests go to standard error");
    checkTestFlags(flags);
    const run = async (): Promise<number> => compileFolder(line, directory, flags);
    line.finish(flags.watch ? await watchAll(line, directory, flags, run) : await run());
  });
}

async function watchAll(
  line: CommandLine,
  directory: string,
  { tests, config }: CompileFlags,
  run: () => Promise<number>,
): Promise<number> {
  const { runAndWatch } = await import("./compile-watch.ts");
  return runAndWatch(line, { paths: [directory, ...(tests === undefined ? [] : [tests]), ...(config === undefined ? [] : [config])], run });
}

async function compileFolder(line: CommandLine, directory: string, flags: CompileFlags): Promise<number> {
  const { changed, changedSchemas, unreadable, remarks = [] } = await openDiskStore({ directory }).read();
  for (const remark of remarks) line.err(`authz: warning: ${remark}\n`);
  const places = flags.ignoreSchemas ? undefined : schemaPlaces(line, flags.config);
  const files = textsOf(changedSchemas);
  const schemas = places && openStoredSchemas({ files, places }, "error");
  const { diagnostics: found, compiled } = compile(changed, { digest, ...(schemas && { schemas: schemas.check }) });
  const misplaced = unreadable.filter(({ path }) => isMisplacedSchemas(path));
  const diagnostics = [...misplaced.map(({ path }) => misplacedSchemas(path)), ...found];
  const others = unreadable.filter((file) => !misplaced.includes(file));

  const errors = others.length + diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const warnings = diagnostics.length + others.length - errors;
  const all = changed.length + others.length;
  const fails = errors > 0 || (flags.warningsAsErrors && warnings > 0);
  const emitted = compiled !== undefined && errors === 0 ? emitText(compiled, flags.emit) : "";
  const isPacked = archiveAt(directory) !== undefined && flags.tests === undefined;
  const runs = compiled !== undefined && !fails && !flags.skipTests && !isPacked;
  const tested = runs ? await runTests(line, directory, flags, { compiled, schemas: schemas?.enforce }) : undefined;
  const { result, warnings: testWarnings = [] } = tested ?? {};
  const what = errors > 0 ? count(errors, "error") : `${count(warnings, "warning")} (--warnings-as-errors)`;
  const wrong = `${what} in ${count(all, "policy file")}`;
  const results = printOutcome(line, result ?? (fails ? { directory, error: wrong } : undefined), flags);

  const listed = [...others.map(unreadableToJson), ...diagnosticsToJson(diagnostics)];
  const told = {
    diagnostics: listed,
    errors,
    warnings,
    files: all,
    ...(emitted !== "" && { emitted }),
    ...(testWarnings.length > 0 && { testWarnings: diagnosticsToJson(testWarnings) }),
  };
  // Machine-readable output has standard output for itself.
  const isAlone = flags.emit !== undefined || flags.testOutput !== undefined;
  if (flags.output === "json") {
    const isOne = flags.testOutput === undefined || (flags.testOutput === "json" && result === undefined);
    if (isOne) line.out(`${JSON.stringify({ ...told, ...result }, undefined, 2)}\n`);
    else {
      if (listed.length + testWarnings.length > 0) line.err(`${JSON.stringify(told, undefined, 2)}\n`);
      line.out(results);
    }
  } else {
    const print = isAlone ? line.err : line.out;
    for (const file of others) print(`${printUnreadable(file)}\n\n`);
    for (const diagnostic of diagnostics) print(`${printDiagnostic(diagnostic)}\n\n`);
    if (!fails && flags.emit === undefined) print(`${count(changed.length, "policy file")}, no errors, ${count(warnings, "warning")}\n`);
    for (const warning of testWarnings) print(`\n${printDiagnostic(warning)}\n`);
    if (testWarnings.length > 0) print("\n");
    if (flags.emit !== undefined) line.err(results);
    line.out(flags.emit === undefined ? results : emitted);
  }
  if (isPacked && !flags.skipTests)
    line.err("authz: tests are not looked for in an archive: name their folder with --tests, or pass --skip-tests\n");
  if (fails) {
    line.err(`authz: error: ${wrong}\n`);
    return exitCodes.compile;
  }
  return result === undefined ? exitCodes.ok : reportTestResults(line, result);
}

function reportTestResults(line: CommandLine, { summary, suites }: RunResult): number {
  if (summary.overallResult !== "RESULT_FAILED" && summary.overallResult !== "RESULT_ERRORED") return exitCodes.ok;
  const wrong = (summary.resultCounts ?? []).filter(({ result }) => result === "RESULT_FAILED" || result === "RESULT_ERRORED");
  const tests = wrong.reduce((total, each) => total + each.count, 0);
  const unread = suites.filter(({ error }) => error !== undefined).length;
  const what = [...(tests > 0 ? [count(tests, "test")] : []), ...(unread > 0 ? [count(unread, "test suite")] : [])];
  line.err(`authz: error: ${what.join(" and ")} went wrong\n`);
  return exitCodes.tests;
}

const textsOf = (schemas: readonly Source[]): ReadonlyMap<string, string> => new Map(schemas.map(({ path, text }) => [path, text]));

/** Returns where schemas may come from: the store only, unless a configuration allows more (D22). */
function schemaPlaces(line: CommandLine, file: string | undefined): StoredSchemas["places"] {
  const { config } = loadConfigOrThrow(file, [], line.environment);
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
