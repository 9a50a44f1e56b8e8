/** What a bundle holds -> the bytes of a module with `check` and `isAllowed`, and what people should know of it. */
import { gzipSync } from "node:zlib";
import { compilerVersion } from "../../compiler/pack.ts";
import { type BundleContent, writeContent } from "../bundle/file.ts";
import { digest } from "../texts/digest.ts";
import { version } from "../version.ts";
import { link } from "./link.ts";
import type { ModuleSchemas } from "./schemas.ts";
import type { Places } from "./source-map.ts";
import type { ModuleTarget } from "./targets.ts";

/** What is built. */
export interface BuildOptions {
  readonly target: ModuleTarget;
  /** Put the interpreter in, also where nothing needs it. */
  readonly interpreter: boolean;
  /** Hold attributes against the schemas of the policies. */
  readonly schemas?: ModuleSchemas;
  /** Write a source map, too: for a module in the file of that name, with what the lines of each shape were made of. */
  readonly sourceMap?: { readonly file: string; readonly places: ReadonlyMap<string, Places> };
  /** Said in the manifest. */
  readonly kinds?: readonly string[];
}

/** A module, ready to be written. */
export interface Built {
  readonly bytes: Uint8Array;
  /** The source map, to be written beside it as `<file>.map`. */
  readonly map?: Uint8Array;
  /** How many bytes it is when a server sends it compressed. */
  readonly gzipped: number;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
  /** What is not in it, in a line each. */
  readonly notes: readonly string[];
}

/** Builds a module: the same content gives the same bytes. */
export async function buildModule(
  content: BundleContent,
  { target, interpreter, kinds, schemas, sourceMap }: BuildOptions,
): Promise<Built> {
  // What no bundle can hold no module can: names, depth, programs that the grammar gate refuses.
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
