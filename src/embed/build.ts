/** What a bundle holds -> the bytes of a module with `check` and `isAllowed`, and what people should know of it. */
import { gzipSync } from "node:zlib";
import { compilerVersion } from "../../compiler/pack.ts";
import { type BundleContent, writeContent } from "../bundle/file.ts";
import { digest } from "../digest.ts";
import { version } from "../version.ts";
import { link } from "./link.ts";
import type { ModuleTarget } from "./targets.ts";

/** What is built. */
export interface BuildOptions {
  readonly target: ModuleTarget;
  /** Put the interpreter in, also where nothing needs it. */
  readonly interpreter: boolean;
  /** Said in the manifest. */
  readonly kinds?: readonly string[];
}

/** A module, ready to be written. */
export interface Built {
  readonly bytes: Uint8Array;
  /** How many bytes it is when a server sends it compressed. */
  readonly gzipped: number;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
  /** What is not in it, in a line each. */
  readonly notes: readonly string[];
}

/** Builds a module: the same content gives the same bytes. */
export async function buildModule(content: BundleContent, { target, interpreter, kinds }: BuildOptions): Promise<Built> {
  // What no bundle can hold no module can: names, depth, programs that the grammar gate refuses.
  writeContent(content);
  const { bundle } = content;
  const { text, parts } = await link(bundle, {
    interpreter,
    manifest: {
      target,
      compilerVersion,
      version,
      policySet: bundle.manifest.digest,
      policies: bundle.units.flatMap(({ scopes }) => scopes.map(({ key }) => key)),
      ...(kinds !== undefined && { kinds: [...new Set(kinds)].toSorted() }),
    },
  });
  const bytes = Buffer.from(text);
  const hasSchemas = bundle.units.some(({ scopes }) => scopes.some(({ schemas }) => schemas !== undefined));
  return {
    bytes,
    gzipped: gzipSync(bytes, { level: 9 }).length,
    digest: digest(text),
    notes: [
      ...(hasSchemas ? ["schemas are not in it: attributes are validated only where `check` is given `schemas`"] : []),
      ...(parts.interpreter ? [] : ["without strictEvaluation, evaluationErrors and effectivePolicies: --interpreter puts them in"]),
      ...(parts.patterns ? ["with the machine of regular expressions: a pattern asks for more than a text, its beginning or its end"] : []),
    ],
  };
}
