/** `authz version` and `authz --version`: what this is. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { artefact } from "../artefact.ts";
import { version } from "../version.ts";
import type { CommandLine } from "./command.ts";

/** Describes the command. */
export function versionCommand(line: CommandLine): Command {
  return new Command("version").description("print the version, as --version does").action(() => line.out(`${versionText()}\n`));
}

/** The version, the commit where this runs from a checkout, and Node's version. */
export function versionText(): string {
  const commit = commitText();
  return [`authz ${version}`, ...(commit === undefined ? [] : [`commit ${commit}`]), `node ${process.versions.node}`].join("\n");
}

/** The commit where this runs from a checkout. */
export const commitText = (): string | undefined => commitOf(join(dirname(dirname(artefact("main.js"))), ".git"));

/** Reads what a checkout stands on; a package has no `.git`. */
function commitOf(folder: string): string | undefined {
  const text = (name: string): string => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  const head = text("HEAD").trim();
  const branch = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  const packed = (): string | undefined =>
    text("packed-refs")
      .split("\n")
      .find((row) => row.endsWith(` ${branch}`))
      ?.split(" ")[0];
  const commit = branch === undefined ? head : text(branch).trim() || packed();
  return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
}
