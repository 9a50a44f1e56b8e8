/** `authz schema WHAT`: prints a JSON Schema for editors. */
import { Argument, Command } from "commander";
import { editorSchemas } from "../editor/index.ts";
import type { CommandLine } from "./command.ts";

/** Describes the command. */
export function schemaCommand(line: CommandLine): Command {
  return new Command("schema")
    .description("print a JSON Schema that lets editors check and complete policies, test suites, fixtures and configuration files")
    .addArgument(new Argument("<what>", "what the schema describes").choices(Object.keys(editorSchemas)))
    .action((what: keyof typeof editorSchemas) => line.out(`${JSON.stringify(editorSchemas[what](), undefined, 2)}\n`));
}
