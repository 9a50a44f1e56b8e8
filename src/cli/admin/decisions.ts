/** `authz admin decisions`: browses recent decisions at a terminal, and prints a table elsewhere. */
import { Command } from "commander";
import { messageOf } from "../../refusal.ts";
import type { CommandLine } from "../command.ts";
import { hasColours } from "./audit.ts";
import { addQueryOptions, listEntries, refuseCombination, type QueryFlags } from "./audit-query.ts";
import type { AdminClient } from "./client.ts";
import { flagsOf, withClient } from "./connection.ts";
import { cellOf, decisionColumns, rowsOf, type DecisionRow } from "./decision-rows.ts";
import { runViewer } from "./decision-viewer.ts";
import { printTable } from "./print-table.ts";
import { isTty, type Tty } from "./tty.ts";

/** The refresh interval in milliseconds. */
const refreshMilliseconds = 3000;

/** Describes the command. */
export const decisionsCommand = (line: CommandLine, tty: Tty): Command =>
  addQueryOptions(
    new Command("decisions").description(
      "browse recent decisions; arrow keys or j and k move, Enter opens, / filters, r fetches again, q quits; without a terminal, print a table",
    ),
  ).action(async (_flags: unknown, command: Command) => {
    const query = flagsOf<QueryFlags>(command);
    refuseCombination(query, command);
    await withClient({ line, tty, command }, async (client) => {
      const rows = await fetchRows(client, query);
      const { input } = tty;
      if (!line.terminal || !isTty(input))
        return line.out(
          printTable(
            decisionColumns.map(([name]) => name),
            rows.map(cells),
          ),
        );
      await runViewer(
        {
          rows,
          fetch: () => fetchRows(client, query).catch((error: unknown) => messageOf(error)),
          // A query about the past does not change.
          every: query.lookup === undefined && query.between?.end === undefined ? refreshMilliseconds : undefined,
        },
        { input, out: line.out, size: tty.size, onResize: tty.onResize, hasColours: hasColours(line) },
      );
    });
  });

const cells = (row: DecisionRow): readonly string[] => decisionColumns.map(([, column]) => cellOf(row, column));

/** Fetches the rows, newest first. */
async function fetchRows(client: AdminClient, query: QueryFlags): Promise<readonly DecisionRow[]> {
  const entries = [];
  for await (const entry of listEntries(client, "decision", query, Date.now)) entries.push(entry);
  return entries.toSorted((left, right) => right.at - left.at).flatMap(rowsOf);
}
