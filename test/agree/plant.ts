/** Builds a copy of compiler and runtime with one fault in it, to see whether the agreement test notices. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Make } from "./judge.ts";
import type * as variants from "./variants.ts";

/** A change of one text in one file. */
export interface Fault {
  /** What is wrong in the copy. */
  readonly says: string;
  /** Path from the project's root. */
  readonly file: string;
  /** Stands in the file exactly once, however it is laid out there. */
  readonly find: string;
  readonly put: string;
  /** Which stores it is looked for in: any, unless it says `alike`, those of `alike-scopes.ts`. */
  readonly stores?: "alike";
  /** The trial of seed 1 that is known to show it: looked at first. */
  readonly trial?: number;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Makes the faulty copy's compiler and loader; throws when the fault no longer applies. */
export async function plant({ says, file, find, put }: Fault): Promise<Make> {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  const place = layoutFree(find);
  if (text.split(place).length !== 2) throw new Error(`the fault "${says}" does not apply: ${file} must hold its text exactly once`);
  // Within the project, so that the copy finds the packages that both use.
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist", "fault-"));
  try {
    const outfile = join(folder, "faulty.cjs");
    let planted = 0;
    await build({
      stdin: {
        contents: 'export * from "./test/agree/variants.ts";',
        resolveDir: root,
        loader: "ts",
      },
      bundle: true,
      platform: "node",
      format: "cjs",
      packages: "external",
      outfile,
      logLevel: "error",
      plugins: [
        {
          name: "plant",
          setup(bundler) {
            bundler.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
              if (loaded !== path) return undefined;
              planted++;
              // As a function: in a text, `$` would mean something.
              return { contents: text.replace(place, () => put), loader: "ts" };
            });
          },
        },
      ],
    });
    if (planted !== 1) throw new Error(`the fault "${says}" does not apply: nothing loads ${file}`);
    const faulty: typeof variants = createRequire(import.meta.url)(outfile);
    return (sources) => {
      const generated = faulty.generate(sources, [faulty.everything, faulty.nothing]);
      return typeof generated === "string" ? undefined : generated.evaluators;
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Finds a text in whatever layout the formatter gave it: spaces do not count, nor does a comma before what closes. */
function layoutFree(text: string): RegExp {
  const tokens = text.match(/\w+|[^\w\s]/g) ?? [];
  const escaped = tokens.map((token) => token.replace(/\W/, "\\$&"));
  return new RegExp(escaped.map((token, at) => (at > 0 && /[)\]}]$/.test(token) ? `(?:,\\s*)?${token}` : token)).join("\\s*"));
}
