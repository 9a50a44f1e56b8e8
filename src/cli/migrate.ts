/** `authz migrate DIR`: rewrites the two words in which the reference's policies differ from ours, and reports what else to change. */
import { join } from "node:path";
import { Command } from "commander";
import { loadConfig } from "../config/load.ts";
import { printProblem } from "../config/problem.ts";
import { count } from "../count.ts";
import { migrateFolder, type Migration } from "../migrate/migrate.ts";
import { exitCodes, type CommandLine } from "./command.ts";

interface MigrateFlags {
  readonly dryRun: boolean;
}

/** The most lines that are printed; the rest is counted. */
const maxLeftovers = 40;

/** Describes the command. */
export function migrateCommand(line: CommandLine): Command {
  return new Command("migrate")
    .description(
      "rewrite `api.cerbos.dev/v1` and `cerbos:///` in a folder of policies, and nothing else; exits with 1 when a file could not be read or written",
    )
    .argument("<directory>", "the folder that holds the policies")
    .option("--dry-run", "only list what would change", false)
    .action(async (directory: string, { dryRun }: MigrateFlags) => {
      const migration = await migrateFolder(directory, dryRun);
      line.out(printChanges(migration, dryRun));
      for (const note of notesOf(migration, directory, line)) line.err(`${note}\n`);
      for (const problem of migration.problems) line.err(`${problem}\n`);
      line.finish(migration.problems.length > 0 ? exitCodes.failed : exitCodes.ok);
    });
}

function printChanges({ changed, files }: Migration, isDryRun: boolean): string {
  const lines = changed.map(({ path, line, before, after }) =>
    isDryRun ? `${path}:${line}\n- ${before}\n+ ${after}\n` : `${path}:${line}: ${after.trim()}\n`,
  );
  const many = new Set(changed.map(({ path }) => path)).size;
  const verb = isDryRun ? "would change" : "changed";
  return `${lines.join("")}${count(changed.length, "line")} of ${count(many, "file")} ${verb}; ${count(files, "file")} looked at\n`;
}

function notesOf({ leftovers, configurations }: Migration, directory: string, line: CommandLine): readonly string[] {
  const left = leftovers
    .slice(0, maxLeftovers)
    .map(
      ({ path, line: at, text, hint }) => `${path}:${at}: note: left as it is: ${text}${hint === undefined ? "" : `\n  = hint: ${hint}`}`,
    );
  const more = leftovers.length - maxLeftovers;
  const settings = configurations.flatMap((path) => [
    `${path}: note: this looks like a server's configuration, which is left as it is; authz reads it so (\`authz config validate\`):`,
    ...readConfiguration(join(directory, path), line).map((problem) => `  ${problem.replaceAll("\n", "\n  ")}`),
  ]);
  return [...left, ...(more > 0 ? [`note: ${count(more, "more line")} left as they are`] : []), ...settings];
}

function readConfiguration(file: string, line: CommandLine): readonly string[] {
  const { problems } = loadConfig(file, [], line.environment);
  return problems.length === 0 ? ["valid as it is"] : problems.map(printProblem);
}
