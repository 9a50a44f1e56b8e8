/**
 * Links units with exactly the parts of the runtime that they need into one ES module: deterministic, without eval, for any ECMAScript
 * host.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundle } from "../../runtime/bundle.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { artefact } from "../artefact.ts";
import { findRuntimeParts, type FunctionSignature, type RuntimeParts } from "./runtime-parts.ts";
import { printProgram } from "./program.ts";
import type { ModuleSchemas } from "./schemas.ts";
import { mapLines, type Places } from "./source-map.ts";
import { replacementsFor } from "./replacements.ts";
import type { BuiltManifest } from "./targets.ts";

/** A linked module. */
export interface BuiltModule {
  readonly text: string;
  readonly parts: RuntimeParts;
  /** Returns the source map of the module in a file of this name; absent when none was asked for. */
  readonly map?: (file: string) => string;
}

/** The piece in which a CEL function is declared. */
interface FunctionPiece extends FunctionSignature {
  readonly file: string;
  readonly part: string;
}

/** What is linked besides the bundle. */
export interface LinkOptions {
  /** Include the interpreter, which explains failed expressions, even where no policy needs it. */
  readonly interpreter: boolean;
  readonly manifest: Omit<BuiltManifest, "interpreter" | "schemas">;
  readonly schemas?: ModuleSchemas;
  /** The source positions of the lines of each shape; if given, a source map is made. */
  readonly places?: ReadonlyMap<string, Places>;
}

/** Links a module. */
export async function link(bundle: Bundle, { interpreter, manifest, schemas, places }: LinkOptions): Promise<BuiltModule> {
  // Imported here, because no other command needs it.
  const { build } = await import("esbuild");
  const pieces = artefact("pieces");
  const parts = findRuntimeParts(bundle, interpreter, schemas?.patterns);
  const replacements = replacementsFor(parts, manifest.target);
  const rows: readonly FunctionPiece[] = JSON.parse(readFileSync(join(pieces, "functions.json"), "utf8"));
  const fullManifest = { ...manifest, interpreter: parts.interpreter, schemas: schemas?.enforcement ?? "none" } as const;
  const program = printProgram(bundle, parts, fullManifest, schemas, places);
  const map = places === undefined ? undefined : mapLines(program.places);
  const functions = printFunctions(rows.filter(parts.calls));
  const piece = (name: string): { readonly path: string; readonly sideEffects: false } => ({
    path: join(pieces, `${replacements.get(name) ?? name}.js`),
    sideEffects: false,
  });
  const built = await build({
    ...(map !== undefined && { sourcemap: "external", sourcesContent: false, outfile: join(pieces, "policies.out.js") }),
    stdin: { contents: program.text + (map?.comment ?? ""), loader: "js", resolveDir: pieces, sourcefile: "policies.js" },
    absWorkingDir: pieces,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    legalComments: "eof",
    charset: "ascii",
    logLevel: "silent",
    plugins: [
      {
        name: "runtime",
        setup(at) {
          at.onResolve({ filter: /^runtime:/ }, ({ path }) => piece(path.slice("runtime:".length)));
          at.onResolve({ filter: /^schema:/ }, ({ path }) => ({
            path: path.slice("schema:".length),
            namespace: "schema",
            sideEffects: false,
          }));
          at.onLoad({ filter: /.*/, namespace: "schema" }, ({ path }) => ({
            contents: `import * as own from "runtime:schemas/validator-functions";\n${schemas?.validators[Number(path)]?.code ?? ""}`,
            loader: "js",
            resolveDir: pieces,
          }));
          at.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) => {
            const whole = join(resolveDir, path).replaceAll("\\", "/");
            const base = `${pieces.replaceAll("\\", "/")}/`;
            if (!whole.startsWith(base)) return undefined;
            const name = whole.slice(base.length).replace(/\.js$/, "");
            return name === "cel/functions/index" ? { path: "functions", namespace: "functions", sideEffects: false } : piece(name);
          });
          at.onLoad({ filter: /.*/, namespace: "functions" }, () => ({ contents: functions, loader: "js", resolveDir: pieces }));
        },
      },
    ],
  });
  const file = built.outputFiles.find(({ path }) => !path.endsWith(".map"));
  const written = built.outputFiles.find(({ path }) => path.endsWith(".map"));
  invariant(file !== undefined, "one entry is one file");
  return { text: file.text, parts, ...(map !== undefined && written !== undefined && { map: (name) => map.finish(written.text, name) }) };
}

/** Prints the list of the functions that may be called; a piece may declare several. */
function printFunctions(rows: readonly FunctionPiece[]): string {
  const pieces = new Map<string, string>();
  for (const { file, part } of rows) pieces.set(part, file);
  const imports = [...pieces].map(([part, file]) => `import { ${part} } from "./${file}";`);
  return `${imports.join("\n")}\nexport const functionRows = [${[...pieces.keys()].join(", ")}].flat();\n`;
}
