/** `authz version`: what this is. */
import { Command } from "commander";
import { version } from "../version.ts";
import type { CommandLine } from "./command.ts";

/** Describes the command. */
export function versionCommand(line: CommandLine): Command {
  return new Command("version")
    .description("print the version")
    .action(() => line.out(`authz ${version}\nnode ${process.versions.node}\n`));
}
