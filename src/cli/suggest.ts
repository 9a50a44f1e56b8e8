/** Adds to the message about an unknown option or command what was probably meant. */
import type { Command } from "commander";
import { nearest } from "../../runtime/nearest.ts";
import { argumentHints, commandHints, optionHints } from "./usage-hints.ts";

/** Returns the message with a suggestion, if there is one. `name`: the command with all its parents, such as `authz admin get`. */
export function withSuggestion(message: string, command: Command, name: string): string {
  const [first = "", ...rest] = message.trimEnd().split("\n");
  const path = name.replace(/^authzctl/, "authz admin").replace(/^authz ?/, "");
  const hint = suggestion(first, command, path, rest.length > 0);
  if (hint === undefined) return message;
  return `${first}\n(${name.startsWith("authzctl") ? hint.replaceAll("authz admin ", "authzctl ") : hint})\n`;
}

function suggestion(line: string, command: Command, path: string, isSuggested: boolean): string | undefined {
  const [, what, word = ""] = /^error: unknown (option|command) '([^'=]*)/.exec(line) ?? [];
  if (what === undefined) return line.startsWith("error: too many arguments") ? ownMember(argumentHints, path) : undefined;
  const table = what === "option" ? optionHints : commandHints;
  // An option of `authz admin` is one of all its commands.
  const known =
    ownMember(ownMember(table, path) ?? {}, word) ??
    (what === "option" ? ownMember(ownMember(table, path.split(" ")[0] ?? "") ?? {}, word) : undefined);
  if (known !== undefined) return known;
  if (isSuggested) return undefined;
  return what === "option" ? similarOption(word, command) : similarCommand(word, command, path);
}

const ownMember = <T>(table: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Suggests the options that share a word with the unknown one: `--host-port` for `--host`. */
function similarOption(option: string, command: Command): string | undefined {
  const long = command.options.flatMap((each) => (each.hidden || each.long === undefined ? [] : [each.long]));
  return didYouMean(long.filter((each) => shareWord(each, option)));
}

/** Suggests the commands that share a word with the unknown one, or lists them all; those of the program are too many for that. */
function similarCommand(word: string, command: Command, path: string): string | undefined {
  const names = command.commands.map((each) => each.name());
  return (
    didYouMean(names.filter((each) => shareWord(each, word))) ??
    (path === "" || path === "admin" ? undefined : `it has ${list(names, "and")}`)
  );
}

const didYouMean = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `Did you mean ${names.length === 1 ? names[0] : `one of ${list(names, "or")}`}?`;

const list = (names: readonly string[], word: "and" | "or"): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;

/** Returns whether two names have a word in common, misspelt or not. */
function shareWord(known: string, written: string): boolean {
  const words = wordsOf(known);
  return wordsOf(written).some((word) => words.includes(word) || nearest(word, words) !== undefined);
}

const wordsOf = (name: string): readonly string[] => name.split(/[-_]+/).filter((word) => word.length > 2);
