/** `authz golden`: records what policies decide on requests, and reports when that changes. */
import { Command } from "commander";
import { basename, extname, join, relative, resolve } from "node:path";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import type { Source } from "../../compiler/source.ts";
import { isJsonObject, isList } from "../../runtime/cel/kind.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { Json } from "../../runtime/wire/json.ts";
import { count } from "../count.ts";
import { readCase, readRequest, type GoldenCase } from "../golden/case.ts";
import { compareOutcomes } from "../golden/compare.ts";
import { filesAt, isThere, sourceAt, writeCase } from "../golden/files.ts";
import { checkOptionsOf, clockMissing, outcomeOf, type Decider } from "../golden/outcome.ts";
import { printCase } from "../golden/print-case.ts";
import { isRefusal, refusal } from "../refusal.ts";
import { readInstant } from "../testing/instant.ts";
import { explainAction } from "../../compiler/reference/explain-action.ts";
import type { ReadResult } from "../testing/read-yaml-file.ts";
import { sameJson } from "../testing/same-json.ts";
import { defaultTestOptions } from "../testing/suite.ts";
import { exitCodes, singleFile, type CommandLine } from "./command.ts";
import { openPolicies, type OpenPolicies } from "./open-policies.ts";

interface Flags {
  readonly ignoreSchemas: boolean;
  readonly config?: string;
  readonly cases: string;
}
interface RecordFlags extends Flags {
  readonly now?: string;
}

/** Describes the command. */
export function goldenCommand(line: CommandLine): Command {
  const shared = (command: Command): Command =>
    command
      .argument("<directory>", "the folder that holds the policies")
      .option("--cases <directory>", "the folder that holds the cases", "golden")
      .option("--ignore-schemas", "do not validate attributes", false)
      .option(
        "--config <file>",
        "configuration file that says where schemas may come from; `record` decides with its `engine` settings, and keeps them in the case",
        singleFile,
      );
  const record = shared(new Command("record"))
    .description("decide requests and record each, with its outcome, as a case; existing cases are left as they are")
    .argument("<requests...>", "files of requests, or folders of them: JSON or YAML, with claims in place of tokens")
    .option("--now <instant>", "the clock of the cases, such as 2026-01-31T12:00:00Z (default: this second)")
    .action(async (directory: string, requests: readonly string[], flags: RecordFlags) =>
      line.finish(await recordCases(line, { directory, requests, flags })),
    );
  const check = shared(new Command("check"))
    .description("decide the requests of all cases and print what has changed; exits with 4 when something has")
    .action(async (directory: string, flags: Flags) => line.finish(await checkCases(line, directory, flags)));
  const accept = shared(new Command("accept"))
    .description("record the outcomes of the named cases anew, and of no others")
    .argument("<case...>", "names of cases, as `golden check` prints them")
    .action(async (directory: string, names: readonly string[], flags: Flags) =>
      line.finish(await acceptCases(line, { directory, names, flags })),
    );
  return new Command("golden")
    .description("record what policies decide, and see when it changes")
    .addCommand(record)
    .addCommand(check)
    .addCommand(accept);
}

interface Recording {
  readonly directory: string;
  readonly requests: readonly string[];
  readonly flags: RecordFlags;
}

async function recordCases(line: CommandLine, { directory, requests, flags }: Recording): Promise<number> {
  const now = flags.now ?? new Date(Math.floor(Date.now() / 1000) * 1000).toISOString().replace(".000Z", "Z");
  const milliseconds = readInstant(now);
  if (milliseconds === undefined) throw refusal(`\`${now}\` is not an instant: write --now 2026-01-31T12:00:00Z`);
  const policies = await openPolicies(line, directory, flags);
  const found = (await Promise.all(requests.map(filesAt))).flat();
  const files = [...new Map(found.map((file) => [resolve(file), file])).values()];
  refuseSharedNames(files);
  refuseUnrecordable(policies.settings.globals, "engine.globals");
  const settings = otherThanDefault(policies);
  let kept = 0;
  for (const { path: file, value } of await readAll(line, files, readRequest)) {
    const { inputs, written } = value;
    const path = join(flags.cases, `${nameOf(file)}.yaml`);
    if (await isThere(path)) {
      kept++;
      line.out(`${path}: is there already, and left as it is\n`);
      continue;
    }
    const outcome = outcomeOf({ inputs, options: { ...policies.settings, now: milliseconds } }, deciderOf(policies)) ?? [];
    await writeCase(
      path,
      printCase({ description: undefined, options: { now, ...settings }, request: json(written), outcome: outcome.map(json) }),
    );
    line.out(`${path}: recorded\n`);
  }
  line.out(`${count(files.length - kept, "case")} recorded\n`);
  return exitCodes.ok;
}

/** What the configuration sets otherwise than its default: a case holds what it was decided by. */
const otherThanDefault = ({ settings }: OpenPolicies): { readonly [name: string]: Json } => {
  const defaults = new Map<string, unknown>(Object.entries(defaultTestOptions));
  const said = Object.entries(settings).map(([name, value]) => [name, json(value)] as const);
  return Object.fromEntries(said.filter(([name, value]) => !sameJson(value, defaults.get(name))));
};

/** Throws a refusal for a global that would be of another type when it is read from the case, and so could be decided otherwise. */
function refuseUnrecordable(value: Value, path: string): void {
  if (typeof value === "number" && Number.isSafeInteger(value))
    throw refusal(
      `\`${path}\` is a decimal without a fraction, which a case cannot hold: whole numbers there are ints, so write it as one`,
    );
  if (typeof value === "bigint" && !Number.isSafeInteger(Number(value)))
    throw refusal(`\`${path}\` is larger than the ints that a case can hold: at most ${Number.MAX_SAFE_INTEGER}, with either sign`);
  if (isList(value)) value.forEach((item, index) => refuseUnrecordable(item, `${path}[${index}]`));
  else if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) refuseUnrecordable(member, `${path}.${name}`);
}

/** The name of a case is that of its request, wherever that lies. */
const nameOf = (request: string): string => basename(request, extname(request));

/** Throws a refusal when several requests would be one case, of which only the first would be recorded. */
function refuseSharedNames(files: readonly string[]): void {
  const byName = new Map<string, string[]>();
  for (const file of files) byName.set(nameOf(file), [...(byName.get(nameOf(file)) ?? []), file]);
  const shared = [...byName].filter(([, requests]) => requests.length > 1);
  if (shared.length === 0) return;
  const lines = shared.map(([name, requests]) => `  ${name}: ${requests.join(", ")}`);
  throw refusal(
    `a case has the name of its request, and these have one name: rename them, or record them with \`--cases\` of their own\n${lines.join("\n")}`,
  );
}

async function checkCases(line: CommandLine, directory: string, flags: Flags): Promise<number> {
  const cases = await casesOf(line, flags);
  const policies = await openPolicies(line, directory, flags);
  let different = 0;
  for (const { name, golden } of cases) {
    const lines = differencesOf(golden, policies);
    if (lines.length === 0) continue;
    different++;
    line.out(`${name}\n${lines.map((each) => `  ${each}\n`).join("")}\n`);
  }
  if (different === 0) {
    line.out(`${count(cases.length, "case")}, all as recorded\n`);
    return exitCodes.ok;
  }
  line.err(`authz: error: ${different} of ${count(cases.length, "case")} not as recorded; \`authz golden accept\` takes what is named\n`);
  return exitCodes.tests;
}

interface Accepting {
  readonly directory: string;
  readonly names: readonly string[];
  readonly flags: Flags;
}

async function acceptCases(line: CommandLine, { directory, names, flags }: Accepting): Promise<number> {
  const cases = await casesOf(line, flags);
  const unknown = names.filter((name) => !cases.some((each) => each.name === name));
  if (unknown.length > 0)
    throw refusal(`there is no case named ${unknown.map((name) => `\`${name}\``).join(" or ")} in \`${flags.cases}\``);
  const policies = await openPolicies(line, directory, flags);
  for (const { name, path, golden } of cases.filter((each) => names.includes(each.name))) {
    const outcome = outcomeOf(golden, deciderOf(policies));
    if (outcome === undefined) throw refusal(`${name}: ${clockMissing}`);
    const { description, options, request } = golden.written;
    await writeCase(
      path,
      printCase({
        description,
        options: options === undefined ? undefined : json(options),
        request: json(request),
        outcome: outcome.map(json),
      }),
    );
    line.out(`${name}: accepted\n`);
  }
  return exitCodes.ok;
}

interface NamedCase {
  /** Its path below the directory of cases, without extension. */
  readonly name: string;
  readonly path: string;
  readonly golden: GoldenCase;
}

async function casesOf(line: CommandLine, { cases }: Flags): Promise<readonly NamedCase[]> {
  const files = await filesAt(cases);
  if (files.length === 0) throw refusal(`there are no cases in \`${cases}\`: \`authz golden record\` makes them`);
  const read = await readAll(line, files, readCase);
  return read.map(({ path, value }) => ({ path, name: relative(cases, path).replace(/\.(?:ya?ml|json)$/i, ""), golden: value }));
}

function differencesOf(golden: GoldenCase, policies: OpenPolicies): readonly string[] {
  if (golden.outcome === undefined) return ["it has no outcome yet"];
  const options = checkOptionsOf(golden.options, policies.schemas);
  const outcome = outcomeOf(golden, deciderOf(policies));
  if (outcome === undefined) return [clockMissing];
  return compareOutcomes(golden.outcome, outcome).flatMap(({ index, resource, lines, actions }) => {
    const input = golden.inputs[index];
    const because =
      input === undefined
        ? []
        : actions.flatMap((action) =>
            explainAction(policies.compiled.policySet, input, action, options).map((why) => `    ${action}: ${why}`),
          );
    return [`${resource}:`, ...lines.map((each) => `  ${each}`), ...(because.length === 0 ? [] : ["  because:", ...because])];
  });
}

const deciderOf = ({ evaluator, schemas }: OpenPolicies): Decider => ({ evaluator, ...(schemas !== undefined && { schemas }) });

/** Reads files and prints warnings; rejects with one refusal that lists what is wrong with each file. */
async function readAll<T>(
  line: CommandLine,
  paths: readonly string[],
  read: (source: Source) => ReadResult<T>,
): Promise<readonly { readonly path: string; readonly value: T }[]> {
  const problems: string[] = [];
  const good: { readonly path: string; readonly value: T }[] = [];
  for (const path of paths) {
    try {
      const reading = read(await sourceAt(path));
      if (reading.kind === "good") {
        good.push({ path, value: reading.value });
        for (const warning of reading.warnings) line.err(`${printDiagnostic(warning)}\n\n`);
      } else problems.push(...reading.diagnostics.map(printDiagnostic));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw refusal(problems.join("\n\n"));
  return good;
}

/** YAML, decisions and globals contain only JSON values here, with `-0`, and ints. */
function json(value: unknown): Json {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(json);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, json(member)] as const])),
    );
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : null;
}
