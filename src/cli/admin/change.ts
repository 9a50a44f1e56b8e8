/** `authz admin delete`, `disable` and `enable`. */
import { Command } from "commander";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import type { CommandLine } from "../command.ts";
import type { AdminClient } from "./client.ts";
import { withClient } from "./connection.ts";
import type { Tty } from "./tty.ts";

const { deletePolicy, deleteSchema, disablePolicy, enablePolicy } = AuthzAdminService.method;

/** Requests the change, and returns how many items were changed. */
type Change = (client: AdminClient, id: string[]) => Promise<number>;

const policyAliases = ["policies", "p"];

/** Describes `delete`. */
export const deleteCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("delete")
    .description("delete policies or schemas")
    .addCommand(
      changeCommand(line, tty, "policy", "delete", async (client, id) => (await client.call(deletePolicy, { id })).deletedPolicies),
    )
    .addCommand(
      changeCommand(line, tty, "schema", "delete", async (client, id) => (await client.call(deleteSchema, { id })).deletedSchemas),
    );

/** Describes `disable`. */
export const disableCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("disable")
    .description("disable policies; they stay in the store, but decide nothing")
    .addCommand(
      changeCommand(line, tty, "policy", "disable", async (client, id) => (await client.call(disablePolicy, { id })).disabledPolicies),
    );

/** Describes `enable`. */
export const enableCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("enable")
    .description("enable disabled policies again")
    .addCommand(
      changeCommand(line, tty, "policy", "enable", async (client, id) => (await client.call(enablePolicy, { id })).enabledPolicies),
    );

function changeCommand(
  line: CommandLine,
  tty: Tty,
  what: "policy" | "schema",
  verb: "delete" | "disable" | "enable",
  change: Change,
): Command {
  const many = what === "policy" ? "policies" : "schemas";
  return new Command(what)
    .aliases(what === "policy" ? policyAliases : ["schemas", "s"])
    .description(`${verb} ${many} by id`)
    .argument("<ids...>", what === "policy" ? "their ids in the store, or their keys" : "their ids")
    .action(async (ids: readonly string[], _flags: unknown, command: Command) => {
      // One request, so that either all change or none.
      const count = await withClient({ line, tty, command }, (client) => change(client, [...new Set(ids)]));
      line.out(`Number of ${many} ${verb}d is ${count}\n`);
    });
}
