/** All commands of the console, in the order of the help. */
import { nearest } from "../../compiler/nearest.ts";
import { refuse, say, type Answer, type Command } from "./answer.ts";
import { letCommand } from "./define.ts";
import { functionsCommand } from "./functions.ts";
import { inspectCommands } from "./inspect.ts";
import { printColumns } from "./columns.ts";
import { checkCommand } from "./check.ts";
import { policyCommands } from "./policies.ts";
import { problemOf, type Part } from "./problem.ts";
import { sessionCommands } from "./session-commands.ts";
import type { State } from "./state.ts";

const help: Command = {
  name: "help",
  aliases: ["h"],
  form: "[COMMAND]",
  summary: "show this table; with a command, show examples",
  completion: () => commands.map(({ name }) => name),
  run: showHelp,
};

const quit: Command = {
  name: "quit",
  aliases: ["q", "exit"],
  form: "",
  summary: "end the session (so does Ctrl-D)",
  run: (_part, state) => ({ ...say(state, ""), ends: true }),
};

/** The commands. */
export const commands: readonly Command[] = [
  letCommand,
  ...sessionCommands,
  ...inspectCommands,
  ...policyCommands,
  checkCommand,
  functionsCommand,
  help,
  quit,
];

/** Finds a command by its name or alias. */
export const commandNamed = (name: string): Command | undefined =>
  commands.find((command) => command.name === name || command.aliases?.includes(name) === true);

/** Refuses an unknown command. */
export const unknownCommand = (part: Part, name: string, state: State): Answer => {
  const near = nearest(
    name,
    commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]).filter((each) => each.length > 1),
  );
  return refuse(state, [
    problemOf(part, `no command \`:${name}\``, near === undefined ? "`:help` lists the commands" : `did you mean \`:${near}\`?`),
  ]);
};

const usage = ({ name, form, aliases = [] }: Command): string =>
  `:${name}${form === "" ? "" : ` ${form}`}${aliases.length === 0 ? "" : `  (${aliases.map((alias) => `:${alias}`).join(", ")})`}`;

function showHelp(part: Part, state: State): Answer {
  const name = part.text.replace(/^:/, "");
  if (name !== "") {
    const command = commandNamed(name);
    return command === undefined ? unknownCommand(part, name, state) : say(state, helpFor(command));
  }
  return say(
    state,
    [
      "Type a CEL expression and see its value. Conditions read as in a policy: R, P, request, V, C, G, runtime; `_` is the last result.",
      "A bracket that is open goes on to the next line; an empty line ends it. Tab completes, Ctrl-C clears, Ctrl-D ends.",
      "",
      printColumns(
        commands.map((command) => [usage(command), command.summary]),
        "  ",
      ),
      "",
      "Try `R.attr`, `[1, 2, 3].filter(n, n > 1)`, `:why R.attr.amount > 5`, `:help let`.",
    ].join("\n"),
  );
}

const helpFor = (command: Command): string =>
  [
    `${usage(command)}: ${command.summary}`,
    ...(command.examples === undefined
      ? []
      : [
          printColumns(
            command.examples.map(([entry, summary]) => [`:${command.name} ${entry}`, summary]),
            "  ",
          ),
        ]),
  ].join("\n");
