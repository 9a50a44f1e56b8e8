/** `authz config validate FILE`: checks a configuration without starting anything. */
import { Command } from "commander";
import { loadConfig } from "../config/load.ts";
import { printProblem } from "../config/node.ts";
import { collect, exitCodes, type CommandLine } from "./command.ts";

/** Describes the command. */
export function configCommand(line: CommandLine): Command {
  const validate = new Command("validate")
    .description("check a configuration file and list every problem; exits with 1 when there is an error")
    .argument("[file]", "the configuration file (AUTHZ_CONFIG)")
    .option("--config <file>", "the same as the argument")
    .option("--set <key=value>", "override one setting; may be repeated", collect, [])
    .action((argument: string | undefined, flags: { readonly config?: string; readonly set: readonly string[] }) => {
      const file = argument ?? flags.config ?? line.environment["AUTHZ_CONFIG"];
      const { config, problems } = loadConfig(file, flags.set, line.environment);
      for (const problem of problems) line.err(`${printProblem(problem)}\n`);
      if (config === undefined) line.finish(exitCodes.failed);
      else line.out(`${file ?? "the defaults"}: valid\n`);
    });
  return new Command("config").description("look at configuration files").addCommand(validate);
}
