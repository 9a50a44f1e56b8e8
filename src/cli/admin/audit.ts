/** `authz admin audit`: prints entries of the audit log. */
import { Command, Option } from "commander";
import { noStyles, terminalStyles, type Styles } from "../../repl/styles.ts";
import type { CommandLine } from "../command.ts";
import { addQueryOptions, listEntries, refuseCombination, type Entry, type EntryKind, type QueryFlags } from "./audit-query.ts";
import { flagsOf, withClient } from "./connection.ts";
import { jsonLine } from "./print-values.ts";
import { printable, printableLines } from "./printable.ts";
import type { Tty } from "./tty.ts";

interface AuditFlags extends QueryFlags {
  readonly kind?: EntryKind;
  readonly raw?: boolean;
}

/** Describes the command. */
export const auditCommand = (line: CommandLine, tty: Tty): Command =>
  addQueryOptions(
    new Command("audit")
      .description("print entries of the audit log; the server must keep one that can be queried (audit.backend: local)")
      .addOption(new Option("--kind <kind>", "which entries: of calls, or of decisions (default access)").choices(["access", "decision"])),
  )
    .option("--raw", "print JSON, one entry per line")
    .action(async (_flags: unknown, command: Command) => {
      const { kind = "access", raw = false, ...query } = flagsOf<AuditFlags>(command);
      refuseCombination(query, command);
      const styles = hasColours(line) ? terminalStyles : noStyles;
      await withClient({ line, tty, command }, async (client) => {
        for await (const entry of listEntries(client, kind, query, Date.now))
          line.out(raw ? `${jsonLine(entry.json)}\n` : printEntry(entry, styles));
      });
    });

/** Returns whether the output may be coloured. */
export const hasColours = ({ terminal, environment }: CommandLine): boolean =>
  terminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";

/** Prints an entry over several lines, below its call id. */
function printEntry({ callId, json }: Entry, styles: Styles): string {
  const heading = `${printable(callId)} ${"\u2508".repeat(54)}`;
  const body = printableLines(JSON.stringify(json, undefined, 2)).replaceAll(
    /^(\s*)("(?:[^"\\]|\\.)*")(:)/gm,
    (_, indent: string, name: string, colon: string) => indent + styles.dim(name) + colon,
  );
  return `${styles.bold(heading)}\n${body}\n\n`;
}
