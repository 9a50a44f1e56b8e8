/** Builds a module with `check` and `isAllowed` from the contents of a bundle, and lists what the user should know about it. */
import { gzipSync } from "node:zlib";
import { compilerVersion } from "../../compiler/pack.ts";
import { type BundleContent, writeContent } from "../bundle/file.ts";
import { digest } from "../texts/digest.ts";
import { version } from "../version.ts";
import { link } from "./link.ts";
import type { ModuleSchemas } from "./schemas.ts";
import type { Places } from "./source-map.ts";
import type { ModuleTarget } from "./targets.ts";

/** Options of a module. */
export interface BuildOptions {
  readonly target: ModuleTarget;
  /** Include the interpreter even where no policy needs it. */
  readonly interpreter: boolean;
  /** Validate attributes by the schemas of the policies. */
  readonly schemas?: ModuleSchemas;
  /** Also write a source map. `file` is the name of the module, `places` the source position of each line of each shape. */
  readonly sourceMap?: { readonly file: string; readonly places: ReadonlyMap<string, Places> };
  /** The kinds that the module is limited to, for the manifest. */
  readonly kinds?: readonly string[];
}

/** A built module. */
export interface BuildResult {
  readonly bytes: Uint8Array;
  /** The source map, to be written beside the module as `<file>.map`. */
  readonly map?: Uint8Array;
  /** The size in bytes after gzip. */
  readonly gzipped: number;
  /** The SHA-256 in hexadecimal. */
  readonly digest: string;
  /** One line for each feature that the module lacks. */
  readonly notes: readonly string[];
}

/** Builds a module. The same content gives the same bytes. */
export async function buildModule(
  content: BundleContent,
  { target, interpreter, kinds, schemas, sourceMap }: BuildOptions,
): Promise<BuildResult> {
  // Validate as for a bundle: names, depth, programs that the grammar gate refuses.
  writeContent(content);
  const { bundle } = content;
  const linked = await link(bundle, {
    interpreter,
    ...(schemas !== undefined && { schemas }),
    ...(sourceMap !== undefined && { places: sourceMap.places }),
    manifest: {
      target,
      compilerVersion,
      version,
      policySet: bundle.manifest.digest,
      policies: bundle.units.flatMap(({ scopes }) => scopes.map(({ key }) => key)),
      ...(kinds !== undefined && { kinds: [...new Set(kinds)].toSorted() }),
    },
  });
  const { parts } = linked;
  const map = sourceMap && linked.map?.(sourceMap.file);
  const text = sourceMap === undefined ? linked.text : `${linked.text}//# sourceMappingURL=${encodeURI(sourceMap.file)}.map\n`;
  const bytes = Buffer.from(text);
  return {
    bytes,
    ...(map !== undefined && { map: Buffer.from(map) }),
    gzipped: gzipSync(bytes, { level: 9 }).length,
    digest: digest(text),
    notes: [
      ...(parts.interpreter ? [] : ["without strictEvaluation, evaluationErrors and effectivePolicies: --interpreter adds them"]),
      ...(parts.patterns
        ? ["with the regular expression engine: a pattern, in a condition or a schema, is more than plain text, its beginning or its end"]
        : []),
    ],
  };
}
