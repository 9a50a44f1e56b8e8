/** `authz repl`: a console for CEL expressions as in policies. */
import { createInterface } from "node:readline";
import { Command, Option } from "commander";
import { maxWork } from "../../runtime/cel/work.ts";
import type { SessionHost } from "../repl/answer.ts";
import { historyFile, openHistory } from "../repl/history.ts";
import { noStyles, terminalStyles } from "../repl/styles.ts";
import { readGlobals, readJson, readPolicies } from "../repl/read-files.ts";
import { isInvalid, readRequestJson } from "../repl/request.ts";
import { runEntry, runLines, type SessionOptions } from "../repl/run.ts";
import { emptyState, type State } from "../repl/state.ts";
import { runAtTerminal } from "../repl/terminal.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { printProblem } from "../config/problem.ts";
import { refusal } from "../refusal.ts";
import { enforceSchemas } from "../schemas/enforce.ts";
import { collect, exitCodes, singleFile, type CommandLine } from "./command.ts";

interface ReplFlags {
  readonly request?: string;
  readonly policies?: string;
  readonly use?: string;
  readonly config?: string;
  readonly globals?: string;
  readonly history?: string;
  readonly evaluate: readonly string[];
  readonly output: "text" | "json";
}

/** Describes the command. */
export function replCommand(line: CommandLine): Command {
  return new Command("repl")
    .description("try CEL expressions on a request, as policies would; exits with 1 when an input fails")
    .argument("[directory]", "the folder that holds the policies, as with --policies")
    .addOption(
      new Option(
        "--request <file>",
        "the request, as JSON: the body of a check, one principal and resource, or a decision entry of the audit log",
      ),
    )
    .addOption(new Option("--policies <directory>", "the folder that holds the policies; `:use` chooses the one that V and C belong to"))
    .addOption(new Option("--use <policy>", "the policy to use from the start, such as resource.expense.vdefault"))
    .addOption(
      new Option(
        "--config <file>",
        "the configuration of a server: its engine and schema settings, and its folder of policies unless another is given",
      ).argParser(singleFile),
    )
    .addOption(new Option("--globals <file>", "the globals, as YAML or JSON; those of --config do not count then"))
    .addOption(
      new Option(
        "--history <file>",
        "where to keep the input history; `--history=` keeps none (default: authz/repl-history in $XDG_STATE_HOME, or in ~/.local/state)",
      ),
    )
    .addOption(new Option("-e, --evaluate <expression>", "evaluate this and exit; may be repeated").argParser(collect).default([]))
    .addOption(new Option("-o, --output <format>", "how results are printed").choices(["text", "json"]).default("text"))
    .action(async (directory: string | undefined, flags: ReplFlags) => {
      if (directory !== undefined && flags.policies !== undefined)
        throw refusal(`policies are given twice: \`${directory}\` and --policies=${flags.policies} (leave one of them out)`);
      const policies = directory ?? flags.policies;
      line.finish(await repl(line, { ...flags, ...(policies !== undefined && { policies }) }));
    });
}

async function repl(line: CommandLine, flags: ReplFlags): Promise<number> {
  const isTerminal = line.terminal && process.stdin.isTTY && flags.evaluate.length === 0 && flags.output === "text";
  const hasColours = isTerminal && (line.environment["NO_COLOR"] ?? "") === "" && line.environment["TERM"] !== "dumb";
  const configured = flags.config === undefined ? undefined : configuredSession(line, flags.config);
  const host: SessionHost = {
    now: Date.now,
    maxWork,
    readPolicies,
    ...(configured?.openSchemas && { openSchemas: configured.openSchemas }),
    styles: hasColours ? terminalStyles : noStyles,
    width: isTerminal ? process.stdout.columns || 80 : undefined,
  };
  const options: SessionOptions = { host, output: flags.output, out: line.out, err: line.err };
  const { state, isGood } = await begin(line, { ...flags, configured }, options);
  if (isTerminal) {
    const history = openHistory(flags.history ?? historyFile(line.environment), (message) => line.err(`authz: warning: ${message}\n`));
    await runAtTerminal({ input: process.stdin, output: process.stdout }, state, history, { ...options, err: line.out });
    return exitCodes.ok;
  }
  if (!isGood) return exitCodes.failed;
  const allGood =
    flags.evaluate.length > 0
      ? await evaluateEach(flags.evaluate, state, options)
      : await runLines(createInterface({ input: process.stdin, terminal: false }), "<stdin>", state, options);
  return allGood ? exitCodes.ok : exitCodes.failed;
}

/** Evaluates entries one after the other; later ones see the names that earlier ones defined. */
async function evaluateEach(texts: readonly string[], first: State, options: SessionOptions): Promise<boolean> {
  let state = first;
  let isGood = true;
  for (const [at, text] of texts.entries()) {
    const entry = { source: { path: texts.length === 1 ? "-e" : `-e ${at + 1}`, text }, firstLine: 1 };
    const answered = await runEntry(entry, state, options);
    state = answered.state;
    isGood &&= answered.problems.length === 0;
    if (answered.ends === true) break;
  }
  return isGood;
}

/** Builds the state from the options. If the policies have errors, they are printed, and the console starts without policies. */
async function begin(
  line: CommandLine,
  { configured, ...flags }: ReplFlags & { readonly configured: ConfiguredSession | undefined },
  options: SessionOptions,
): Promise<{ readonly state: State; readonly isGood: boolean }> {
  const globals = flags.globals === undefined ? undefined : await readGlobals(flags.globals, line.environment);
  let state: State = { ...emptyState, ...configured?.state, ...(globals !== undefined && { globals }) };
  if (flags.request !== undefined) {
    const found = readRequestJson(await readJson(flags.request));
    if (isInvalid(found)) throw refusal(`${flags.request}: ${found.message}${found.hint === undefined ? "" : ` (${found.hint})`}`);
    for (const note of found.notes) line.err(`authz: warning: ${flags.request}: ${note}\n`);
    const { request, now } = found;
    state = { ...state, request, ...(now !== undefined && { now }) };
  }
  let isGood = true;
  for (const [option, command, given] of [
    ["--policies", ":load", flags.policies ?? configured?.policies],
    ["--use", ":use", flags.use],
  ] as const) {
    if (given === undefined) continue;
    const entry = { source: { path: option, text: `${command} ${given}` }, firstLine: 1 };
    const silent: SessionOptions = { ...options, output: "text", ...(options.host.width === undefined && { out: () => undefined }) };
    const answered = await runEntry(entry, state, silent);
    state = answered.state;
    isGood &&= answered.problems.length === 0;
  }
  return { state: { ...state, initial: state }, isGood };
}

/** What a session takes from the configuration of a server. */
interface ConfiguredSession {
  readonly state: Pick<State, "engine" | "globals">;
  /** The folder of policies, if the server has one. */
  readonly policies?: string;
  /** Absent: the server does not validate attributes. */
  readonly openSchemas?: NonNullable<SessionHost["openSchemas"]>;
}

/** Reads the settings of a server that its decisions depend on. */
function configuredSession(line: CommandLine, file: string): ConfiguredSession {
  const { config, problems } = loadConfigOrThrow(file, [], line.environment);
  for (const problem of problems) line.err(`${printProblem(problem)}\n`);
  const { "storage.driver": driver, "storage.disk.directory": directory, "schema.enforcement": enforcement } = config;
  const places = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  return {
    state: {
      engine: {
        defaultPolicyVersion: config["engine.defaultPolicyVersion"],
        defaultScope: config["engine.defaultScope"],
        lenientScopeSearch: config["engine.lenientScopeSearch"],
        strictEvaluation: config["engine.strictEvaluation"],
      },
      globals: new Map(Object.entries(config["engine.globals"])),
    },
    ...(driver === "disk" && { policies: directory }),
    ...(enforcement !== "none" && {
      openSchemas: async (references, files) => ({ ...(await enforceSchemas(references, { files, places })), enforcement }),
    }),
  };
}
