/** `authz types DIR -o FILE`: writes TypeScript declarations of policies, for their callers. */
import { Command } from "commander";
import { compile } from "../../compiler/index.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { count } from "../count.ts";
import { digest } from "../texts/digest.ts";
import { openSchemasCheck } from "../schemas/check.ts";
import { openDiskStore } from "../store/disk.ts";
import { printUnreadable } from "../store/store.ts";
import { exitCodes, singleFile, type CommandLine } from "./command.ts";
import { refuseInputAsOutput, standardOutput, writeOutputFile } from "./output-target.ts";

interface TypesFlags {
  readonly out?: string;
  readonly config?: string;
}

/** Describes the command. */
export function typesCommand(line: CommandLine): Command {
  return new Command("types")
    .description(
      "write TypeScript declarations of the kinds, actions, roles and attributes in policies, so that a wrong one fails `tsc`; exits with 3 on errors",
    )
    .argument("<directory>", "the folder that holds the policies")
    .option("-o, --out <file>", "the declaration file to write, such as policies.d.ts (default: standard output, as with a dash)")
    .option(
      "--config <file>",
      "configuration file that says where schemas may come from (schema.allowRefs, schema.allowedHosts)",
      singleFile,
    )
    .action(async (directory: string, flags: TypesFlags) => line.finish(await writeTypes(line, directory, flags)));
}

async function writeTypes(line: CommandLine, directory: string, flags: TypesFlags): Promise<number> {
  if (flags.out !== undefined) refuseInputAsOutput(flags.out, directory);
  const { changed, changedSchemas, unreadable } = await openDiskStore({ directory }).read();
  const { config } = loadConfigOrThrow(flags.config, [], line.environment);
  const files = new Map(changedSchemas.map(({ path, text }) => [path, text] as const));
  const places = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  const { compiled, diagnostics } = compile(changed, { digest, schemas: openSchemasCheck(files, places, "error") });
  const errors = [...unreadable.map(printUnreadable), ...diagnostics.filter(({ severity }) => severity === "error").map(printDiagnostic)];
  if (compiled === undefined || errors.length > 0) {
    for (const error of errors) line.err(`${error}\n\n`);
    line.err(`authz: error: ${count(errors.length, "error")}: no types are written\n`);
    return exitCodes.compile;
  }
  // Imported on demand, because ts-morph takes long to load.
  const [{ declarationsOf }, { vocabularyOf }] = await Promise.all([import("../types/declarations.ts"), import("../types/vocabulary.ts")]);
  const vocabulary = vocabularyOf(compiled.policySet);
  const text = declarationsOf(vocabulary, files);
  if (flags.out === undefined || flags.out === standardOutput) line.out(text);
  else {
    await writeOutputFile(flags.out, new TextEncoder().encode(text));
    line.out(`${flags.out}: ${count(vocabulary.kinds.length, "kind")}, ${count(vocabulary.roles.length, "role")}\n`);
  }
  return exitCodes.ok;
}
