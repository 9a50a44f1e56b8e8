/** Builds modules for `authz build`: policies as code for other programs, with optional source map and types. */
import { basename } from "node:path";
import type { Compiled } from "../../compiler/index.ts";
import type { Module } from "../../compiler/emit/module.ts";
import type { BundleContent } from "../bundle/file.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { count } from "../count.ts";
import { buildModule } from "../embed/build.ts";
import type { PolicySetPart } from "../embed/select-kinds.ts";
import { printSchemas, referencesIn, type ModuleSchemas } from "../embed/schemas.ts";
import type { Places } from "../embed/source-map.ts";
import type { ModuleTarget } from "../embed/targets.ts";
import { declarationsPath, moduleDeclarations, limitToKinds } from "../types/module-declarations.ts";
import type { CommandLine } from "./command.ts";
import { writeOutputFile, type OutputTarget } from "./output-target.ts";

/** The options about modules. */
export interface ModuleFlags {
  readonly out: string;
  readonly target: ModuleTarget;
  readonly interpreter: boolean;
  readonly schemas?: "none" | "warn" | "reject";
  readonly sourceMap: boolean;
  readonly types: boolean;
  readonly config?: string;
}

/** The input of a module. */
export interface ModuleInput {
  readonly content: BundleContent;
  readonly compiled: Compiled;
  /** The part that decides about some kinds, if it is limited to them. */
  readonly part: PolicySetPart | undefined;
  readonly kinds: readonly string[] | undefined;
  readonly schemas: ReadonlyMap<string, string>;
}

/** Builds a module, writes it and its companion files, and reports them; `what` describes its policies. */
export async function writeModule(
  line: CommandLine,
  { name, write, report }: OutputTarget,
  flags: ModuleFlags,
  { content, compiled, part, kinds, schemas }: ModuleInput,
  what: string,
): Promise<void> {
  const { out, target } = flags;
  const enforced = await moduleSchemas(line, content, flags);
  const built = await buildModule(content, {
    target,
    interpreter: flags.interpreter,
    ...(kinds !== undefined && { kinds }),
    ...(enforced !== undefined && { schemas: enforced }),
    ...(flags.sourceMap && { sourceMap: { file: basename(out), places: placesOf(part?.modules ?? compiled.modules) } }),
  });
  await write(built.bytes);
  report(`${name}: ${what}, for ${target}, ${count(built.bytes.length, "byte")}, gzipped ${built.gzipped}\n`);
  if (built.map !== undefined) {
    await writeOutputFile(`${out}.map`, built.map);
    report(`${out}.map: ${count(built.map.length, "byte")}\n`);
  }
  const declared = flags.types ? declarationsPath(out) : undefined;
  if (declared !== undefined) {
    await writeOutputFile(declared, Buffer.from(await typesOf(compiled, schemas, kinds)));
    report(`${declared}: declarations for TypeScript\n`);
  }
  for (const note of built.notes) report(`${note}\n`);
  report(`sha256 ${built.digest}\n`);
}

/** Imported on demand, because ts-morph takes long to load. */
async function typesOf(
  { policySet }: Compiled,
  schemas: ReadonlyMap<string, string>,
  kinds: readonly string[] | undefined,
): Promise<string> {
  const [{ declarationsOf }, { vocabularyOf }] = await Promise.all([import("../types/declarations.ts"), import("../types/vocabulary.ts")]);
  return moduleDeclarations(declarationsOf(limitToKinds(vocabularyOf(policySet), kinds), schemas));
}

/** The positions of each shape are those of the first unit with that shape. */
function placesOf(modules: readonly Module[]): ReadonlyMap<string, Places> {
  const places = new Map<string, Places>();
  for (const { unit, places: find } of modules) if (!places.has(unit.shape)) places.set(unit.shape, find());
  return places;
}

/**
 * Returns the schemas of a module. If the policies refer to schemas, the user must have chosen an enforcement: otherwise the module
 * would accept everything unnoticed.
 */
async function moduleSchemas(line: CommandLine, content: BundleContent, flags: ModuleFlags): Promise<ModuleSchemas | undefined> {
  const many = referencesIn(content.bundle).length;
  if (many === 0) return undefined;
  const { config } = loadConfigOrThrow(flags.config, [], line.environment);
  const enforcement = flags.schemas ?? (flags.config === undefined ? undefined : config["schema.enforcement"]);
  if (enforcement === undefined)
    line.err(
      `authz: warning: the policies refer to ${count(many, "schema")}, and the module does not validate attributes: pass --schemas reject, warn or none\n`,
    );
  if (enforcement === undefined || enforcement === "none") return undefined;
  const places = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  return printSchemas(content.bundle, { files: content.schemas, places }, enforcement);
}
