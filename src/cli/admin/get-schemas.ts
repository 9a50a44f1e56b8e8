/** `authz admin get schemas`: lists schemas, or prints the named ones. */
import { Command } from "commander";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { byUnits } from "../../../runtime/order.ts";
import { refusal } from "../../refusal.ts";
import { usageError, type CommandLine } from "../command.ts";
import { splitIntoChunks, maxPerRequest } from "./batches.ts";
import type { AdminClient } from "./client.ts";
import { flagsOf, withClient } from "./connection.ts";
import { printFailure } from "./failure.ts";
import { printTable } from "./print-table.ts";
import { formatOption, printValues, type Format } from "./print-values.ts";
import { printable, printableLines } from "./printable.ts";
import type { Tty } from "./tty.ts";

/** A schema: its id, and its definition as the store has it. */
export interface FoundSchema {
  readonly id: string;
  readonly text: string;
}

/** Describes the command. */
export function getSchemasCommand(line: CommandLine, tty: Tty): Command {
  return new Command("schemas")
    .aliases(["schema", "s"])
    .description("list schemas, or print the definitions of the ones you name")
    .argument("[ids...]", "schemas to print")
    .addOption(formatOption())
    .option("--no-headers", "print a list without its heading")
    .action(async (ids: readonly string[], _flags: unknown, self: Command) => {
      const { output, headers = true } = flagsOf<{ readonly output: Format; readonly headers: boolean }>(self);
      if (ids.length > 0 && !headers) usageError(self, "--no-headers: only lists take that, and here schemas are named");
      if (ids.length === 0 && output !== undefined) usageError(self, "--output prints definitions: name those that you want");
      await withClient({ line, tty, command: self }, async (client) => {
        if (ids.length === 0)
          return line.out(
            printTable(
              ["SCHEMA ID"],
              (await listSchemaIds(client)).map((id) => [id]),
              headers,
            ),
          );
        const found = await getSchemas(client, ids);
        const missing = ids.filter((id) => found.every((schema) => schema.id !== id)).map((id) => `\`${printable(id)}\``);
        const without = `there is no schema ${missing.join(", ")}`;
        if (found.length === 0) throw refusal(without);
        line.out(found.map(({ text }) => printDefinition(text, output)).join(""));
        if (missing.length > 0) line.err(`warning: ${without}\n`);
      });
    });
}

/** Lists the ids of schemas. */
export const listSchemaIds = async (client: AdminClient): Promise<readonly string[]> =>
  (await client.call(AuthzAdminService.method.listSchemas, {})).schemaIds.toSorted(byUnits);

/** Gets the schemas with these ids, as far as they exist. */
export async function getSchemas(client: AdminClient, ids: readonly string[]): Promise<readonly FoundSchema[]> {
  const found: FoundSchema[] = [];
  for (const some of splitIntoChunks([...new Set(ids)], maxPerRequest)) {
    const outcome = await client.tryCall(AuthzAdminService.method.getSchema, { id: [...some] });
    if ("reply" in outcome)
      found.push(...outcome.reply.schemas.map(({ id, definition }) => ({ id, text: Buffer.from(definition).toString("utf8") })));
    else if (outcome.failure.code !== "NOT_FOUND") throw refusal(printFailure(outcome.failure));
  }
  return found;
}

/** Prints a definition; without a format, as it was written, with control characters escaped. */
function printDefinition(text: string, format: Format | undefined): string {
  if (format !== undefined) {
    try {
      return printValues([JSON.parse(text)], format);
    } catch {
      // A store may contain schemas that are not JSON.
    }
  }
  return `${printableLines(text.replace(/\r?\n$/, "").replaceAll("\r\n", "\n"))}\n`;
}
