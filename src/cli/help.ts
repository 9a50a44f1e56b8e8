/** What `--help` shows and how: options and commands, and the examples below them. */
import { Help, type Command, type HelpConfiguration } from "commander";
import { examples } from "./examples.ts";

const usual = new Help();

/** For the configuration of a program: its commands inherit it. */
export const helpLayout: HelpConfiguration = {
  // The usual 40 leaves lines too long beside the names of some commands.
  minWidthToWrap: 20,
  optionDescription: (option) => {
    const description = usual.optionDescription(option).replace(/ \(default: (?:\[\]|false)\)/, ""); // off, or none, unless given
    return option.mandatory ? `${description} (required)` : description;
  },
  subcommandDescription: (command) => usual.subcommandDescription(command).split("; ")[0] ?? "", // what follows is for its own help
  subcommandTerm: (command) => usual.subcommandTerm(command).replace(" [options]", ""), // all but a few have some
};

/** Adds to the help of a command, and of those below it, the examples that there are. */
export function showExamples(command: Command, name: string): void {
  const lines = (examples[name] ?? []).map(([example, does]) => `  # ${does}\n  ${example}\n`);
  if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  for (const inner of command.commands) showExamples(inner, `${name} ${inner.name()}`);
}
