/** `authz build DIR -o FILE`: compiles a folder of policies to one file, for a server or for programs that hold their policies themselves. */
import { basename } from "node:path";
import { Command, Option } from "commander";
import { compile, type Compiled } from "../../compiler/index.ts";
import { writeLegend } from "../../compiler/legend/write-legend.ts";
import { openCompileMemory, type CompileMemory } from "../../compiler/memory.ts";
import type { Module } from "../../compiler/emit/module.ts";
import type { Source } from "../../compiler/source.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { BundleContent } from "../bundle/file.ts";
import { writeBundle } from "../bundle/index.ts";
import { openFrame } from "../bundle/frame.ts";
import { keyIdOf, readPrivateKey } from "../bundle/keys.ts";
import { compileSet } from "../compile/compile-set.ts";
import { demandConfig } from "../config/load.ts";
import { count } from "../count.ts";
import { digest } from "../texts/digest.ts";
import { buildModule } from "../embed/build.ts";
import { partFor, type Part } from "../embed/kinds.ts";
import { printSchemas, referencesIn, type ModuleSchemas } from "../embed/schemas.ts";
import type { Places } from "../embed/source-map.ts";
import { moduleTargets, type ModuleTarget } from "../embed/targets.ts";
import { refusal } from "../refusal.ts";
import { checkOfSchemas, type SchemasCheck } from "../schemas/check.ts";
import { openDiskStore } from "../store/disk.ts";
import { declarationsBeside, moduleDeclarations, vocabularyFor } from "../types/module.ts";
import { exitCodes, type CommandLine } from "./command.ts";
import { shellWord } from "./shell-word.ts";
import { refuseAmongInput, writeOut } from "./write-out.ts";

/** Warnings that are shown where they keep nobody from a bundle. */
const mostWarnings = 20;

interface BuildFlags {
  readonly out: string;
  readonly target: "sandbox" | ModuleTarget;
  readonly kinds?: string;
  readonly interpreter: boolean;
  readonly schemas?: "none" | "warn" | "reject";
  readonly sourceMap: boolean;
  readonly types: boolean;
  readonly sign?: string;
  readonly ignoreSchemas: boolean;
  readonly warningsAsErrors: boolean;
  readonly config?: string;
}

/** Describes the command. */
export function buildCommand(line: CommandLine): Command {
  return new Command("build")
    .description(
      "compile a folder of policies to one file, the same bytes wherever it is built: a bundle for servers with `storage.driver: bundle`, or a module for your own program; exits with 3 on errors",
    )
    .argument("<directory>", "the folder that holds the policies")
    .requiredOption("-o, --out <file>", "the file to write, such as bundle.mjs")
    .addOption(
      new Option("--target <target>", "what it is for: `sandbox` is what servers load, the others are modules with `check` and `isAllowed`")
        .choices(["sandbox", ...moduleTargets])
        .default("sandbox"),
    )
    .option("--kinds <kinds>", "keep only the policies for these kinds of resources, such as album,photo")
    .option(
      "--interpreter",
      "let a module offer strict evaluation, and name the expressions that failed and the policies that decided",
      false,
    )
    .option("--source-map", "also write FILE.map, which maps the code of a module to the policies", false)
    .option("--types", "also write TypeScript declarations beside a module (.d.ts, .d.mts)", false)
    .addOption(
      new Option(
        "--schemas <enforcement>",
        "how a module holds attributes against the schemas of the policies: `reject` denies what does not fit (default: as schema.enforcement of --config; else not at all, with a warning)",
      ).choices(["none", "warn", "reject"]),
    )
    .option("--sign <file>", "sign with the private key in this file (`authz bundle keygen` makes one)")
    .option("--ignore-schemas", "do not check that the schemas which policies refer to exist", false)
    .option("--warnings-as-errors", "exit with 3 on warnings too", false)
    .option("--config <file>", "configuration file that says where schemas may come from (schema.allowRefs, schema.allowedHosts)")
    .action(async (directory: string, flags: BuildFlags) => line.finish(await build(line, directory, flags)));
}

async function build(line: CommandLine, directory: string, flags: BuildFlags): Promise<number> {
  const { target } = flags;
  if (target !== "sandbox" && flags.sign !== undefined)
    throw refusal("only bundles for servers are signed (--target sandbox): nobody would look at the signature of a module");
  if (target === "sandbox" && flags.interpreter) throw refusal("--interpreter is for modules: a server has all of it");
  if (target === "sandbox" && flags.schemas !== undefined)
    throw refusal("--schemas is for modules: a server goes by its setting schema.enforcement");
  if (target === "sandbox" && (flags.sourceMap || flags.types))
    throw refusal(
      "--source-map and --types are for modules: a bundle says itself where its rules stand, and `authz types` writes declarations for those who ask servers",
    );
  const declared = flags.types ? declarationsBeside(flags.out) : undefined;
  if (flags.types && declared === undefined)
    throw refusal(`no declarations can stand beside \`${flags.out}\`: TypeScript looks for them beside .js and .mjs`);
  if (target !== "sandbox" && flags.out.endsWith(".cjs"))
    throw refusal(`\`${flags.out}\` would be read as CommonJS, and a module is ECMAScript: name it .mjs, which \`require\` takes as well`);
  refuseAmongInput(flags.out, directory);
  const key = flags.sign === undefined ? undefined : readPrivateKey(flags.sign);
  const { changed, changedSchemas, unreadable } = await openDiskStore({ directory }).read();
  if (changed.length + unreadable.length === 0)
    throw refusal(`there is no policy in \`${directory}\`: a server with such a bundle would deny everything`);
  const schemas = new Map(changedSchemas.map(({ path, text }) => [path, text]));
  const check = flags.ignoreSchemas ? undefined : schemaCheck(line, schemas, flags.config);
  const memory = openCompileMemory();
  const found = compileSet(changed, { digest, memory, ...(check !== undefined && { schemas: check }) }, unreadable);
  const findings = found.kind === "good" ? found.warnings : found.findings;
  const told = found.kind === "good" && !flags.warningsAsErrors ? findings.slice(0, mostWarnings) : findings;
  for (const { printed } of told) line.err(`${printed}\n\n`);
  if (told.length < findings.length)
    line.err(
      `authz: ${findings.length - told.length} of ${count(findings.length, "warning")} are not shown: authz compile ${shellWord(directory)}\n`,
    );
  const errors = findings.filter(({ severity }) => severity === "error").length;
  if (found.kind === "broken" || (flags.warningsAsErrors && findings.length > 0)) {
    const what = errors > 0 ? count(errors, "error") : `${count(findings.length, "warning")} (--warnings-as-errors)`;
    line.err(`authz: error: ${what}: no bundle is written\n`);
    return exitCodes.compile;
  }

  const kinds = flags.kinds?.split(",").flatMap((kind) => kind.trim() || []);
  const compiled = compiledAgain(changed, memory);
  const part = kinds === undefined ? undefined : partFor(compiled, kinds);
  const bundle = part?.bundle ?? compiled.bundle;
  const legend = writeLegend(part?.tables ?? compiled.table.units, compiled.documents());
  const content: BundleContent = { bundle, schemas: schemasFor(bundle, schemas), policies: changed.length, legend };
  const policies = bundle.units.reduce((total, { scopes }) => total + scopes.length, 0) - (part?.scopes.length ?? 0);
  const what = `${countPolicies(policies)} of ${count(changed.length, "file")}`;
  if (target === "sandbox") {
    const bytes = writeBundle(part === undefined ? { ...content, schemas } : content, key);
    await writeOut(flags.out, bytes);
    const signed = key === undefined ? "not signed" : `signed by ${keyIdOf(key)}`;
    line.out(
      `${flags.out}: ${what}, ${count((part === undefined ? schemas : content.schemas).size, "schema")}, ${count(bytes.length, "byte")}, ${signed}\n`,
    );
    line.out(`sha256 ${openFrame(bytes).digest}\n`);
  } else {
    const enforced = await moduleSchemas(line, content, flags);
    const built = await buildModule(content, {
      target,
      interpreter: flags.interpreter,
      ...(kinds !== undefined && { kinds }),
      ...(enforced !== undefined && { schemas: enforced }),
      ...(flags.sourceMap && { sourceMap: { file: basename(flags.out), places: placesOf(part?.modules ?? compiled.modules) } }),
    });
    await writeOut(flags.out, built.bytes);
    line.out(`${flags.out}: ${what}, for ${target}, ${count(built.bytes.length, "byte")}, gzipped ${built.gzipped}\n`);
    if (built.map !== undefined) {
      await writeOut(`${flags.out}.map`, built.map);
      line.out(`${flags.out}.map: ${count(built.map.length, "byte")}\n`);
    }
    if (declared !== undefined) {
      await writeOut(declared, Buffer.from(await typesOf(compiled, schemas, kinds)));
      line.out(`${declared}: declarations for TypeScript\n`);
    }
    for (const note of built.notes) line.out(`${note}\n`);
    line.out(`sha256 ${built.digest}\n`);
  }
  if (part !== undefined) line.out(leftOut(part));
  return exitCodes.ok;
}

/** Only whoever asks for types waits for what writes TypeScript. */
async function typesOf(
  { policySet }: Compiled,
  schemas: ReadonlyMap<string, string>,
  kinds: readonly string[] | undefined,
): Promise<string> {
  const [{ declarationsOf }, { vocabularyOf }] = await Promise.all([import("../types/declarations.ts"), import("../types/vocabulary.ts")]);
  return moduleDeclarations(declarationsOf(vocabularyFor(vocabularyOf(policySet), kinds), schemas));
}

/** Of units of one shape the first one's. */
function placesOf(modules: readonly Module[]): ReadonlyMap<string, Places> {
  const places = new Map<string, Places>();
  for (const { unit, places: find } of modules) if (!places.has(unit.shape)) places.set(unit.shape, find());
  return places;
}

/** A module that lets everything pass although its policies have schemas is made only for somebody who was told. */
async function moduleSchemas(line: CommandLine, content: BundleContent, flags: BuildFlags): Promise<ModuleSchemas | undefined> {
  const many = referencesIn(content.bundle).length;
  if (many === 0) return undefined;
  const { config } = demandConfig(flags.config, [], line.environment);
  const enforcement = flags.schemas ?? (flags.config === undefined ? undefined : config["schema.enforcement"]);
  if (enforcement === undefined)
    line.err(
      `authz: warning: the policies refer to ${count(many, "schema")}, and the module does not validate attributes: say --schemas reject, warn or none\n`,
    );
  if (enforcement === undefined || enforcement === "none") return undefined;
  const places = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  return printSchemas(content.bundle, { files: content.schemas, places }, enforcement);
}

/** The compiler is asked again, and remembers: for what stands before the bundle. */
function compiledAgain(sources: readonly Source[], memory: CompileMemory): Compiled {
  const { compiled } = compile(sources, { digest, memory });
  if (compiled === undefined) throw refusal("the policies do not compile");
  return compiled;
}

/** Those that its policies refer to may refer to others, so that all go with it or none. */
const schemasFor = ({ units }: Bundle, schemas: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  units.some(({ scopes }) => scopes.some((says) => says.schemas !== undefined)) ? schemas : new Map();

function leftOut({ left, scopes }: Part): string {
  const kept =
    scopes.length === 0 ? "" : `of them only the scopes stay: ${scopes.map((scope) => (scope === "" ? "the root" : scope)).join(", ")}\n`;
  return left.length === 0
    ? "left out: nothing\n"
    : `left out: ${countPolicies(left.length)}\n${left.map((key) => `  ${key}\n`).join("")}${kept}`;
}

/** `1 policy`, `2 policies`. */
export const countPolicies = (many: number): string => (many === 1 ? "1 policy" : `${many} policies`);

function schemaCheck(line: CommandLine, files: ReadonlyMap<string, string>, configuration: string | undefined): SchemasCheck {
  const { config } = demandConfig(configuration, [], line.environment);
  return checkOfSchemas(files, { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] }, "error");
}
