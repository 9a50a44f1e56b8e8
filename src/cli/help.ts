/** The layout of `--help`: options and commands, and the examples below them. */
import { Help, type Command, type HelpConfiguration } from "commander";
import { examples } from "./examples.ts";

const defaultHelp = new Help();

/** The help layout of a program; its commands inherit it. */
export const helpLayout: HelpConfiguration = {
  // Commander's default of 40 produces overlong lines beside long command names.
  minWidthToWrap: 20,
  optionDescription: (option) => {
    const description = defaultHelp.optionDescription(option).replace(/ \(default: (?:\[\]|false)\)/, ""); // Off or empty is not mentioned as a default.
    return option.mandatory ? `${description} (required)` : description;
  },
  subcommandDescription: (command) => defaultHelp.subcommandDescription(command).split("; ")[0] ?? "", // The part after a semicolon is shown only in the command's own help.
  subcommandTerm: (command) => defaultHelp.subcommandTerm(command).replace(" [options]", ""), // Nearly every command has options.
};

/** Adds the examples to the help of a command and its subcommands. */
export function showExamples(command: Command, name: string): void {
  const lines = (examples[name] ?? []).map(([example, does]) => `  # ${does}\n  ${example}\n`);
  if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  for (const inner of command.commands) showExamples(inner, `${name} ${inner.name()}`);
}
