/** `authz init [DIR]`: writes a directory to start from; overwrites nothing. */
import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Command } from "commander";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import type { CommandLine } from "./command.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { starter } from "./starter.ts";

/** Describes the command. */
export function initCommand(line: CommandLine): Command {
  return new Command("init")
    .description("write a policy, its test, a configuration file and a CI workflow to start from; overwrites nothing")
    .argument("[directory]", "the folder to write to; created if it does not exist", ".")
    .action((directory: string) => begin(line, directory));
}

function begin(line: CommandLine, directory: string): void {
  if (existsSync(directory) && !statSync(directory).isDirectory()) throw refusal(`\`${directory}\` is not a directory`);
  const files = Object.entries(starter).map(([path, text]) => ({ path: join(directory, path), text }));
  const there = files.filter(({ path }) => statOf(path) !== undefined).map(({ path }) => path);
  if (there.length > 0) throw refusal(`nothing is written, because these files are there:\n${there.map((path) => `  ${path}`).join("\n")}`);
  const links = [...new Set(files.flatMap(({ path }) => foldersBelow(directory, path)))].filter((path) => statOf(path)?.isSymbolicLink());
  if (links.length > 0)
    throw refusal(`nothing is written, because these folders are links to others:\n${links.map((path) => `  ${path}`).join("\n")}`);
  for (const { path, text } of files) {
    write(path, text);
    line.out(`wrote ${path}\n`);
  }
  const here = directory === "." ? "" : `cd ${quoteForShell(directory)} && `;
  line.out(`\nCompile the policies:   ${here}authz compile policies\nServe them:             ${here}authz server --config .authz.yaml\n`);
}

/**
 * Returns what is at a path, without following links, so that a dangling link counts. If it cannot be examined, writing will report
 * why.
 */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the directories between a directory and a file below it. */
function foldersBelow(directory: string, path: string): readonly string[] {
  const folder = dirname(path);
  return relative(directory, folder) === "" ? [] : [...foldersBelow(directory, folder), folder];
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    throw refusal(`\`${path}\` cannot be written: ${codeOf(error) === "EACCES" ? "permission denied" : messageOf(error)}`);
  }
}
