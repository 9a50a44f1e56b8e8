/**
 * `authz compile-store`: compiles the contents of the configured store, as a server does at its start, and optionally disables invalid
 * policies.
 */
import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { diagnosticsToJson, printDiagnostic, visible } from "../../compiler/print-diagnostics.ts";
import { configurationFile, loadConfigOrThrow } from "../config/load.ts";
import { printProblem } from "../config/problem.ts";
import type { Config } from "../config/settings.ts";
import { count } from "../count.ts";
import { refusal } from "../refusal.ts";
import type { BundleStore } from "../store/bundle-store.ts";
import { openStore } from "../store/index.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { storageOf } from "../store/storage.ts";
import { printUnreadable, type Store } from "../store/store.ts";
import { countPolicies } from "./build.ts";
import { collect, exitCodes, usageError, singleFile, type CommandLine } from "./command.ts";
import { disableInvalid, type Disabling } from "./compile-store/disable.ts";
import { errorsOf, readStore, type StoreReading } from "./compile-store/read.ts";

interface CompileStoreFlags {
  readonly config?: string;
  readonly set: readonly string[];
  readonly output: "text" | "tree" | "list" | "json";
  readonly disableInvalid: boolean;
  readonly dryRun: boolean;
}

/** Describes the command. */
export function compileStoreCommand(line: CommandLine): Command {
  return new Command("compile-store")
    .description(
      "compile what the configured store holds, as a server would at its start, and print every problem; exits with 3 on errors, with 1 when the store cannot be read",
    )
    .option("--config <file>", "configuration file (AUTHZ_CONFIG); without one: the policies in ./policies", singleFile)
    .option("--set <key=value>", "override one setting; may be repeated", collect, [])
    .addOption(
      new Option("-o, --output <format>", "how problems are printed; text, tree and list are the same")
        .choices(["text", "tree", "list", "json"])
        .default("text"),
    )
    .option("--disable-invalid", "disable the policies that keep the others from compiling, and those that need one of them", false)
    .option("--dry-run", "with --disable-invalid: only list these policies, change nothing", false)
    .action(async (flags: CompileStoreFlags, command: Command) => {
      if (flags.dryRun && !flags.disableInvalid) usageError(command, "--dry-run belongs to --disable-invalid");
      line.finish(await compileStore(line, flags));
    });
}

async function compileStore(line: CommandLine, flags: CompileStoreFlags): Promise<number> {
  const { config, problems } = loadConfigOrThrow(configurationFile(flags.config, line.environment), flags.set, line.environment);
  for (const problem of problems) line.err(`${printProblem(problem)}\n`);
  requireDatabase(config);
  const opened = await openStore(storageOf(config));
  try {
    return opened.kind === "bundle" ? await reportBundle(line, opened.store, flags) : await reportStore(line, opened.store, config, flags);
  } finally {
    await opened.store.close();
  }
}

/** A server creates a missing database; for this command, a missing one means that its name is misspelt. */
function requireDatabase(config: Config): void {
  if (config["storage.driver"] !== "sqlite" && config["storage.driver"] !== "sqlite3") return;
  const place = sqlitePlace(config);
  if (place.kind === "file" && !existsSync(place.path))
    throw refusal(`the database \`${place.path}\` does not exist (setting ${place.setting})`);
}

async function reportStore(line: CommandLine, store: Store, config: Config, flags: CompileStoreFlags): Promise<number> {
  const places = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  const reader = readStore(store, config["schema.enforcement"] === "none" ? undefined : places);
  const found = await reader.read();
  const isBroken = errorsOf(found) > 0;
  if (flags.output !== "json") printProblems(line, found);
  const disabling = isBroken && flags.disableInvalid ? await disableInvalid(store, reader, flags.dryRun) : undefined;
  const now = disabling?.kind === "disabled" ? disabling.after : found;

  if (flags.output === "json") line.out(`${JSON.stringify(toJson(store, found, now, disabling), undefined, 2)}\n`);
  else if (disabling !== undefined) printDisabling(line, disabling);
  if (errorsOf(now) === 0) {
    if (flags.output !== "json") line.out(`${countsOf(store, now)}\n`);
    return exitCodes.ok;
  }
  line.err(`authz: error: ${count(errorsOf(now), "error")} in ${countPolicies(now.policies)} of ${store.name}\n`);
  return exitCodes.compile;
}

function printProblems(line: CommandLine, { unreadable, diagnostics }: StoreReading): void {
  for (const file of unreadable) line.out(`${printUnreadable(file)}\n\n`);
  for (const diagnostic of diagnostics) line.out(`${printDiagnostic(diagnostic)}\n\n`);
}

const headings: { readonly [kind in Disabling["kind"]]: string } = {
  disabled: "disabled, so that the others compile:",
  "would disable": "would be disabled, so that the others compile:",
  stuck: "nothing is disabled, because that would not help with these; fix or remove them first:",
  "read-only": "nothing is disabled:",
  busy: "nothing is disabled:",
};

function printDisabling(line: CommandLine, disabling: Disabling): void {
  if ("policies" in disabling && disabling.policies.length === 0) return; // Another process has fixed it in the meantime.
  const lines =
    "policies" in disabling
      ? disabling.policies.map(({ id, reason, ...more }) => `${id}${"key" in more && more.key !== id ? ` (${more.key})` : ""}: ${reason}`)
      : [disabling.because];
  line.out(`${headings[disabling.kind]}\n${lines.map((each) => `  ${visible(each)}\n`).join("")}\n`);
}

function toJson(store: Store, found: StoreReading, now: StoreReading, disabling: Disabling | undefined): object {
  const { diagnostics, unreadable } = found;
  const files = unreadable.map(({ path, message }) => ({ file: path, severity: "error", code: "unreadable-file", message }));
  return {
    store: store.name,
    policies: now.policies,
    disabledPolicies: now.disabled,
    errors: errorsOf(now),
    warnings: warningsOf(now),
    diagnostics: [...files, ...diagnosticsToJson(diagnostics)],
    ...(disabling !== undefined && { disabling: { ...disabling, after: undefined } }), // Undefined properties are not printed.
  };
}

const warningsOf = ({ diagnostics }: StoreReading): number => diagnostics.filter(({ severity }) => severity === "warning").length;

const countsOf = (store: Store, reading: StoreReading): string =>
  `${countPolicies(reading.policies)} in ${store.name}${reading.disabled === 0 ? "" : `, ${reading.disabled} of them disabled`}, no errors, ${count(warningsOf(reading), "warning")}`;

/** A bundle was compiled when it was built, so this only reports whether it can be used. */
async function reportBundle(line: CommandLine, store: BundleStore, flags: CompileStoreFlags): Promise<number> {
  const reading = await store.read();
  if (reading.kind === "unchanged") throw refusal(`${store.name} gave nothing`);
  const { policies } = reading.set;
  const remarks = [
    ...(reading.staleBecause === undefined ? [] : [`this is the last good copy: ${reading.staleBecause}`]),
    ...reading.remarks,
  ];
  if (flags.output === "json") {
    line.out(
      `${JSON.stringify({ store: store.name, policies, errors: 0, warnings: 0, diagnostics: [], remarks, digest: reading.digest }, undefined, 2)}\n`,
    );
    return exitCodes.ok;
  }
  for (const remark of remarks) line.out(`${visible(remark)}\n`);
  line.out(`${store.name} can be used: built from ${countPolicies(policies)}, sha256 ${reading.digest}\n`);
  return exitCodes.ok;
}
