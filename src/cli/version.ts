/** `authz version` and `authz --version`: prints the version. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { artefact } from "../artefact.ts";
import { version } from "../version.ts";
import type { CommandLine } from "./command.ts";

/** Describes the command. */
export function versionCommand(line: CommandLine): Command {
  return new Command("version").description("print the version, as --version does").action(() => line.out(`${versionText()}\n`));
}

/** Returns the version, the commit when run from a checkout, and Node's version. */
export function versionText(): string {
  const commit = commitText();
  return [`authz ${version}`, ...(commit === undefined ? [] : [`commit ${commit}`]), `node ${process.versions.node}`].join("\n");
}

/** Returns the commit when run from a checkout; undefined otherwise. */
export const commitText = (): string | undefined => commitOf(join(dirname(dirname(artefact("main.js"))), ".git"));

/** Reads the current commit of a checkout; undefined where there is none, as for an installed package, or it cannot be read. */
export function commitOf(folder: string): string | undefined {
  const text = (name: string): string => {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      return ""; // the commit only completes the version: whoever may not read it learns the rest
    }
  };
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
