/** `authz config`: validates a configuration file, and prints the settings in force, without starting anything. */
import { Command } from "commander";
import { configurationFile, loadConfigOrThrow, loadConfig } from "../config/load.ts";
import { printProblem } from "../config/problem.ts";
import { printConfig } from "../config/print.ts";
import { count } from "../count.ts";
import { refusal } from "../refusal.ts";
import { collect, exitCodes, singleFile, type CommandLine } from "./command.ts";

interface FileFlags {
  readonly config?: string;
  readonly set: readonly string[];
}

/** Describes the command. */
export function configCommand(line: CommandLine): Command {
  const about = (name: string, description: string): Command =>
    new Command(name)
      .description(description)
      .argument("[file]", "the configuration file (AUTHZ_CONFIG); without one: the defaults")
      .option("--config <file>", "the same as the argument", singleFile)
      .option("--set <key=value>", "override one setting; may be repeated", collect, []);
  const fileOf = (argument: string | undefined, flags: FileFlags): string | undefined => {
    if (argument !== undefined && flags.config !== undefined)
      throw refusal(`the configuration is given twice: \`${argument}\` and --config=${flags.config} (leave one of them out)`);
    return configurationFile(argument ?? flags.config, line.environment);
  };

  const validate = about("validate", "check a configuration file and list every problem; exits with 1 when there is an error").action(
    (argument: string | undefined, flags: FileFlags) => {
      const file = fileOf(argument, flags);
      const { config, problems } = loadConfig(file, flags.set, line.environment);
      for (const problem of problems) line.err(`${printProblem(problem)}\n`);
      if (config !== undefined) return line.out(`${file ?? "the defaults"}: valid\n`);
      const errors = problems.filter((problem) => problem.severity === "error");
      line.err(`authz: error: ${count(errors.length, "mistake")} in the configuration\n`);
      line.finish(exitCodes.failed);
    },
  );
  const print = about("print", "print the configuration in force as YAML: defaults filled in, secrets masked")
    .option("--changed", "only the settings that differ from their defaults", false)
    .action((argument: string | undefined, flags: FileFlags & { readonly changed: boolean }) => {
      const { config, problems } = loadConfigOrThrow(fileOf(argument, flags), flags.set, line.environment);
      for (const problem of problems) line.err(`${printProblem(problem)}\n`);
      line.out(printConfig(config, flags.changed ? "changed" : "all"));
    });
  return new Command("config")
    .description("check a configuration file, or print the configuration in force")
    .addCommand(validate)
    .addCommand(print);
}
