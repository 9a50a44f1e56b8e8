/** `authz build DIR -o FILE`: compiles a folder of policies to one file, for a server or for programs that hold their policies themselves. */
import type { KeyObject } from "node:crypto";
import { Command, Option } from "commander";
import { compile, type Compiled } from "../../compiler/index.ts";
import { writeLegend } from "../../compiler/legend/write-legend.ts";
import { openCompileCache, type CompileCache } from "../../compiler/cache.ts";
import type { Source } from "../../compiler/source.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { BundleContent } from "../bundle/file.ts";
import { writeBundle } from "../bundle/index.ts";
import { openFrame } from "../bundle/frame.ts";
import { keyIdOf, readPrivateKey } from "../bundle/keys.ts";
import { compileSet, type CompileResult } from "../compile/compile-set.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { count } from "../count.ts";
import { digest } from "../texts/digest.ts";
import { selectKinds, type PolicySetPart } from "../embed/select-kinds.ts";
import { moduleTargets, type ModuleTarget } from "../embed/targets.ts";
import { refusal } from "../refusal.ts";
import { openSchemasCheck, type SchemasCheck } from "../schemas/check.ts";
import { openDiskStore } from "../store/disk.ts";
import { declarationsPath } from "../types/module-declarations.ts";
import { writeModule, type ModuleFlags } from "./build-module.ts";
import { exitCodes, singleFile, type CommandLine } from "./command.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { openOutputTarget, refuseInputAsOutput, standardOutput, type OutputTarget } from "./output-target.ts";

/** The most warnings that are printed when the build succeeds. */
const maxWarnings = 20;

interface BuildFlags extends Omit<ModuleFlags, "target"> {
  readonly target: "sandbox" | ModuleTarget;
  readonly kinds?: string;
  readonly sign?: string;
  readonly ignoreSchemas: boolean;
  readonly warningsAsErrors: boolean;
}

/** Describes the command. */
export function buildCommand(line: CommandLine): Command {
  return new Command("build")
    .description(
      "compile a folder of policies to one file, the same bytes wherever it is built: a bundle for servers with `storage.driver: bundle`, or a module for your own program; exits with 3 on errors",
    )
    .argument("<directory>", "the folder that holds the policies")
    .requiredOption("-o, --out <file>", "the file to write, such as bundle.mjs; a dash for standard output")
    .addOption(
      new Option("--target <target>", "what it is for: `sandbox` is what servers load, the others are modules with `check` and `isAllowed`")
        .choices(["sandbox", ...moduleTargets])
        .default("sandbox"),
    )
    .option("--kinds <kinds>", "keep only the policies for these kinds of resources, such as album,photo")
    .option("--interpreter", "let a module support strict evaluation, and report failed expressions and the policies that decided", false)
    .option("--source-map", "also write FILE.map, which maps the code of a module to the policies", false)
    .option("--types", "also write TypeScript declarations beside a module (.d.ts, .d.mts)", false)
    .addOption(
      new Option(
        "--schemas <enforcement>",
        "how a module validates attributes against the schemas of the policies: `reject` denies requests that violate them (default: schema.enforcement of --config; without it not at all, with a warning)",
      ).choices(["none", "warn", "reject"]),
    )
    .option("--sign <file>", "sign with the private key in this file (`authz bundle keygen` makes one)")
    .option("--ignore-schemas", "do not check that the schemas which policies refer to exist", false)
    .option("--warnings-as-errors", "exit with 3 on warnings too", false)
    .option(
      "--config <file>",
      "configuration file that says where schemas may come from (schema.allowRefs, schema.allowedHosts)",
      singleFile,
    )
    .action(async (directory: string, flags: BuildFlags) => line.finish(await build(line, directory, flags)));
}

async function build(line: CommandLine, directory: string, flags: BuildFlags): Promise<number> {
  refuseContradictions(flags);
  refuseInputAsOutput(flags.out, directory);
  const out = openOutputTarget(line, flags.out);
  const key = flags.sign === undefined ? undefined : readPrivateKey(flags.sign);
  const { changed, changedSchemas, unreadable, remarks = [] } = await openDiskStore({ directory }).read();
  for (const remark of remarks) line.err(`authz: warning: ${remark}\n`);
  if (changed.length + unreadable.length === 0)
    throw refusal(`there is no policy in \`${directory}\`: a server with such a bundle would deny everything`);
  const schemas = new Map(changedSchemas.map(({ path, text }) => [path, text]));
  const check = flags.ignoreSchemas ? undefined : schemaCheck(line, schemas, flags.config);
  const cache = openCompileCache();
  const found = compileSet(changed, { digest, cache, ...(check !== undefined && { schemas: check }) }, unreadable);
  if (!reportFindings(line, directory, flags, found)) return exitCodes.compile;

  const kinds = flags.kinds?.split(",").flatMap((kind) => kind.trim() || []);
  const compiled = compileFromCache(changed, cache);
  const part = kinds === undefined ? undefined : selectKinds(compiled, kinds);
  const bundle = part?.bundle ?? compiled.bundle;
  const legend = writeLegend(part?.tables ?? compiled.table.units, compiled.documents());
  const content: BundleContent = { bundle, schemas: schemasFor(bundle, schemas), policies: changed.length, legend };
  const policies = bundle.units.reduce((total, { scopes }) => total + scopes.length, 0) - (part?.scopes.length ?? 0);
  const what = `${countPolicies(policies)} of ${count(changed.length, "file")}`;
  if (flags.target === "sandbox") await writeForServers(out, part === undefined ? { ...content, schemas } : content, key, what);
  else await writeModule(line, out, { ...flags, target: flags.target }, { content, compiled, part, kinds, schemas }, what);
  if (part !== undefined) out.report(printLeftOut(part));
  return exitCodes.ok;
}

function refuseContradictions({ target, out, sign, interpreter, schemas, sourceMap, types }: BuildFlags): void {
  if (target !== "sandbox" && sign !== undefined)
    throw refusal("only bundles for servers are signed (--target sandbox): nothing checks the signature of a module");
  if (target === "sandbox" && interpreter) throw refusal("--interpreter is for modules: a server always has it");
  if (target === "sandbox" && schemas !== undefined)
    throw refusal("--schemas is for modules: a server uses its setting schema.enforcement");
  if (target === "sandbox" && (sourceMap || types))
    throw refusal(
      "--source-map and --types are for modules: a bundle already says where its rules are, and `authz types` writes declarations for clients of servers",
    );
  if ((sourceMap || types) && out === standardOutput)
    throw refusal("--source-map and --types write files beside the module, and standard output has none: name a file");
  if (types && declarationsPath(out) === undefined)
    throw refusal(`declarations cannot be written beside \`${out}\`: TypeScript finds them only beside .js and .mjs`);
  if (target !== "sandbox" && out.endsWith(".cjs"))
    throw refusal(`\`${out}\` would be loaded as CommonJS, and it is an ES module: name it .mjs, which \`require\` can load too`);
}

/** Prints the findings, and returns whether the build may go on. */
function reportFindings(line: CommandLine, directory: string, { warningsAsErrors }: BuildFlags, found: CompileResult): boolean {
  const findings = found.kind === "good" ? found.warnings : found.findings;
  const shown = found.kind === "good" && !warningsAsErrors ? findings.slice(0, maxWarnings) : findings;
  for (const { printed } of shown) line.err(`${printed}\n\n`);
  if (shown.length < findings.length)
    line.err(
      `authz: ${findings.length - shown.length} of ${count(findings.length, "warning")} are not shown: authz compile ${quoteForShell(directory)}\n`,
    );
  if (found.kind === "good" && (!warningsAsErrors || findings.length === 0)) return true;
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const what = errors > 0 ? count(errors, "error") : `${count(findings.length, "warning")} (--warnings-as-errors)`;
  line.err(`authz: error: ${what}: no bundle is written\n`);
  return false;
}

async function writeForServers(
  { name, write, report }: OutputTarget,
  content: BundleContent,
  key: KeyObject | undefined,
  what: string,
): Promise<void> {
  const bytes = writeBundle(content, key);
  await write(bytes);
  const signed = key === undefined ? "not signed" : `signed by ${keyIdOf(key)}`;
  report(`${name}: ${what}, ${count(content.schemas.size, "schema")}, ${count(bytes.length, "byte")}, ${signed}\n`);
  report(`sha256 ${openFrame(bytes).digest}\n`);
}

/** Compiles again, from the compiler's memory, to get what the bundle does not contain. */
function compileFromCache(sources: readonly Source[], cache: CompileCache): Compiled {
  const { compiled } = compile(sources, { digest, cache });
  if (compiled === undefined) throw refusal("the policies do not compile");
  return compiled;
}

/** Returns all schemas if a policy refers to any, because schemas can refer to each other. */
const schemasFor = ({ units }: Bundle, schemas: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  units.some(({ scopes }) => scopes.some((says) => says.schemas !== undefined)) ? schemas : new Map();

function printLeftOut({ leftOut, scopes }: PolicySetPart): string {
  const kept =
    scopes.length === 0 ? "" : `of them only the scopes stay: ${scopes.map((scope) => (scope === "" ? "the root" : scope)).join(", ")}\n`;
  return leftOut.length === 0
    ? "left out: nothing\n"
    : `left out: ${countPolicies(leftOut.length)}\n${leftOut.map((key) => `  ${key}\n`).join("")}${kept}`;
}

/** `1 policy`, `2 policies`. */
export const countPolicies = (many: number): string => (many === 1 ? "1 policy" : `${many} policies`);

function schemaCheck(line: CommandLine, files: ReadonlyMap<string, string>, configuration: string | undefined): SchemasCheck {
  const { config } = loadConfigOrThrow(configuration, [], line.environment);
  return openSchemasCheck(files, { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] }, "error");
}
