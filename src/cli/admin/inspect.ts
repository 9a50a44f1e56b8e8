/** `authz admin inspect policies`: shows what policies refer to: actions, attributes, constants, variables. */
import { Command } from "commander";
import { toJson } from "@bufbuild/protobuf";
import {
  InspectPoliciesResponse_Attribute_Kind as AttributeKind,
  InspectPoliciesResponse_ResultSchema as ResultSchema,
  type InspectPoliciesResponse_Result as Result,
} from "../../../proto/gen/authz/response/v1/response_pb.js";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { byUnits } from "../../../runtime/order.ts";
import type { CommandLine } from "../command.ts";
import { splitIntoChunks } from "./batches.ts";
import type { AdminClient } from "./client.ts";
import { flagsOf, withClient } from "./connection.ts";
import { addFilterOptions, filterOf, type PolicyFilter } from "./filters.ts";
import { formatOption, printValues, type Format } from "./print-values.ts";
import { printable } from "./printable.ts";
import type { Tty } from "./tty.ts";

interface InspectFlags extends PolicyFilter {
  readonly output?: Format;
  readonly headers: boolean;
}

/** The most ids that a filter accepts. */
const maxIds = 25;

/** Describes the command. */
export const inspectCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("inspect").description("show what policies refer to").addCommand(
    addFilterOptions(
      new Command("policies")
        .aliases(["policy", "p"])
        .description("show the actions, attributes, constants and variables of each policy")
        .argument("[ids...]", "only these policies")
        .addOption(formatOption())
        .option("--no-headers", "without the name before each line"),
    ).action(async (ids: readonly string[], _flags: unknown, command: Command) => {
      const { output, headers = true, ...filter } = flagsOf<InspectFlags>(command);
      const results = await withClient({ line, tty, command }, (client) => inspect(client, ids, filter));
      if (output !== undefined)
        line.out(
          printValues(
            results.map(([, result]) => toJson(ResultSchema, result)),
            output,
          ),
        );
      else line.out(results.map(([key, result]) => printResult(key, result, headers)).join(""));
    }),
  );

async function inspect(client: AdminClient, ids: readonly string[], filter: PolicyFilter): Promise<readonly (readonly [string, Result])[]> {
  const found = new Map<string, Result>();
  for (const policyId of ids.length === 0 ? [[]] : splitIntoChunks(ids, maxIds)) {
    const { results } = await client.call(AuthzAdminService.method.inspectPolicies, { ...filterOf(filter), policyId: [...policyId] });
    for (const [key, result] of Object.entries(results)) found.set(key, result);
  }
  return [...found].toSorted(([left], [right]) => byUnits(left, right));
}

const separator = `${"-".repeat(80)}\n`;

function printResult(key: string, result: Result, withNames: boolean): string {
  const rows = [
    ["POLICY ID", [result.policyId === "" ? key : result.policyId]],
    ["ACTIONS", result.actions],
    ["ATTRIBUTES", result.attributes.map(({ kind, name }) => `${kind === AttributeKind.PRINCIPAL_ATTRIBUTE ? "P" : "R"}.attr.${name}`)],
    ["CONSTANTS", result.constants.map(({ name }) => name)],
    ["VARIABLES", result.variables.map(({ name }) => name)],
  ] as const;
  const lines = rows.flatMap(([name, values]) => {
    if (values.length === 0) return [];
    const text = printable([...values].toSorted(byUnits).join(","));
    return [withNames ? `${name.padEnd(10)}: ${text}\n` : `${text}\n`];
  });
  return lines.join("") + separator;
}
