/** `authz admin get`: lists policies of a kind, or prints the named ones. */
import { Command, Option } from "commander";
import { toJson } from "@bufbuild/protobuf";
import { PolicySchema, type Policy } from "../../../proto/gen/authz/policy/v1/policy_pb.js";
import { byUnits } from "../../../runtime/order.ts";
import { refusal } from "../../refusal.ts";
import { usageError, type CommandLine } from "../command.ts";
import type { AdminClient } from "./client.ts";
import { flagsOf, withClient } from "./connection.ts";
import { getPolicies, listPolicyIds } from "./fetch-policies.ts";
import { addFilterOptions, type PolicyFilter } from "./filters.ts";
import { getSchemasCommand } from "./get-schemas.ts";
import { policyKinds, rowOf, type Column, type PolicyKind, type PolicyRow } from "./kinds.ts";
import { printTable } from "./print-table.ts";
import { formatOption, printValues, type Format } from "./print-values.ts";
import { printable } from "./printable.ts";
import type { Tty } from "./tty.ts";

interface GetFlags extends PolicyFilter {
  readonly output?: Format;
  readonly headers: boolean;
  readonly sortBy?: "policyId" | Column;
  readonly name?: readonly string[];
  readonly version?: readonly string[];
}

/** Describes the command. */
export function getCommand(line: CommandLine, tty: Tty): Command {
  const command = new Command("get").description("list policies and schemas, or print the ones you name");
  for (const kind of policyKinds) command.addCommand(getKindCommand(line, tty, kind));
  return command.addCommand(getSchemasCommand(line, tty));
}

function getKindCommand(line: CommandLine, tty: Tty, kind: PolicyKind): Command {
  const what = kind.name.replaceAll("_", " ");
  const command = new Command(kind.name)
    .aliases([...kind.aliases])
    .description(`list ${what}, or print the ones you name`)
    .argument("[ids...]", "policies to print: their ids in the store, or their keys")
    .addOption(formatOption())
    .option("--no-headers", "print a list without its heading")
    .addOption(new Option("--sort-by <column>", "the column that a list is sorted by").choices(["policyId", ...kind.columns]))
    .addOption(new Option("--name <names>", "only those with one of these names, separated by commas").argParser(split));
  if (kind.columns.includes("version"))
    command.addOption(new Option("--version <versions>", "only those with one of these versions, separated by commas").argParser(split));
  return addFilterOptions(command).action(async (ids: readonly string[], _flags: unknown, self: Command) => {
    const flags = { headers: true, ...flagsOf<GetFlags>(self) };
    refuseCombination(ids, flags, self);
    await withClient({ line, tty, command: self }, (client) =>
      ids.length === 0 ? list(line, client, kind, flags) : print(line, client, kind, ids, flags.output ?? "json"),
    );
  });
}

const split = (text: string, before: readonly string[] = []): readonly string[] => [...before, ...text.split(",")];

/** Refuses list options together with ids, and print options without ids. */
function refuseCombination(ids: readonly string[], flags: GetFlags, command: Command): void {
  if (ids.length === 0 && flags.output !== undefined) usageError(command, "--output prints policies: name those that you want");
  if (ids.length === 0) return;
  const given = [
    ["--no-headers", !flags.headers],
    ["--sort-by", flags.sortBy !== undefined],
    ["--name", flags.name !== undefined],
    ["--version", flags.version !== undefined],
    ["--name-regexp", flags.nameRegexp !== undefined],
    ["--version-regexp", flags.versionRegexp !== undefined],
    ["--scope-regexp", flags.scopeRegexp !== undefined],
  ] as const;
  const wrong = given.filter(([, isGiven]) => isGiven).map(([option]) => option);
  if (wrong.length > 0) usageError(command, `${wrong.join(", ")}: only lists take that, and here policies are named`);
}

async function list(line: CommandLine, client: AdminClient, kind: PolicyKind, flags: GetFlags): Promise<void> {
  const policies = await getPolicies(client, await listPolicyIds(client, flags));
  const rows = policies
    .flatMap((policy) => rowOf(policy) ?? [])
    .filter(({ field, name, version }) => field === kind.field && isAmong(flags.name, name) && isAmong(flags.version, version))
    .toSorted(orderBy(flags.sortBy ?? "policyId"));
  line.out(
    printTable(
      ["POLICY ID", ...kind.columns.map((column) => column.toUpperCase())],
      rows.map((row) => [row.id, ...kind.columns.map((column) => row[column])]),
      flags.headers,
    ),
  );
}

const isAmong = (wanted: readonly string[] | undefined, value: string): boolean => wanted?.includes(value) ?? true;

const orderBy =
  (column: "policyId" | Column) =>
  (left: PolicyRow, right: PolicyRow): number =>
    (column === "policyId" ? 0 : byUnits(left[column], right[column])) || byUnits(left.id, right.id);

async function print(line: CommandLine, client: AdminClient, kind: PolicyKind, ids: readonly string[], format: Format): Promise<void> {
  const found = (await getPolicies(client, ids)).flatMap((policy) => withRow(policy));
  const wanted = found.filter(({ row }) => row.field === kind.field);
  const isFound = (id: string): boolean => wanted.some(({ row }) => row.id === id || row.key === id);
  const missing = ids.filter((id) => !isFound(id));
  const what = kind.name.replaceAll("_", " ");
  if (wanted.length === 0) throw refusal(`there are no ${what} called ${missing.map(quoted).join(", ")}`);
  line.out(
    printValues(
      wanted.map(({ policy }) => toJson(PolicySchema, policy)),
      format,
    ),
  );
  if (missing.length > 0) line.err(`warning: among the ${what} there is no ${missing.map(quoted).join(", ")}\n`);
}

const withRow = (policy: Policy) => {
  const row = rowOf(policy);
  return row === undefined ? [] : [{ policy, row }];
};

const quoted = (id: string): string => `\`${printable(id)}\``;
