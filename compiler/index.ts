/** Compiles policies to a bundle: runs the stages in order. */
import type { Bundle } from "../runtime/bundle.ts";
import { type Diagnostic, inOrder, isError } from "./diagnostic.ts";
import type { FormName } from "./emit/forms/index.ts";
import type { Module } from "./emit/module.ts";
import { checkSchemas, type SchemaCheck } from "./link/check-schemas.ts";
import { link } from "./link/link.ts";
import type { PolicySet } from "./link/policy-set.ts";
import { openCompileCache, readOnce, type CompileCache } from "./cache.ts";
import { repack } from "./pack.ts";
import type { PolicyDocument } from "./policy/document.ts";
import { emitSet, recompile, tableOf } from "./recompile/recompile.ts";
import type { Source } from "./source.ts";
import type { DecisionTable } from "./table/table.ts";
import { validate } from "./validate/index.ts";
import type { CompiledSet } from "./recompile/compiled-set.ts";

/** Dependencies and options of a compilation. */
export interface CompileOptions {
  /** A deterministic digest of a string, such as SHA-256 in hexadecimal. The compiler has no hash function of its own. */
  readonly digest: (text: string) => string;
  /** The fast forms of generated code to use; all by default. None changes a decision. */
  readonly forms?: ReadonlySet<FormName>;
  /** Checks references to schemas. If absent, references are not checked. */
  readonly schemas?: SchemaCheck;
  /**
   * The cache. Passed from one compilation to the next, it makes a small change cheap; an unchanged source must be
   * the same object.
   */
  readonly cache?: CompileCache;
}

/** The result of a compilation: all diagnostics and, if none is an error, the result of each stage. */
export interface Compilation {
  /** Ordered by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  readonly compiled?: Compiled;
}

/** The result of each stage. */
export interface Compiled {
  readonly policySet: PolicySet;
  /** Computed anew on each access. */
  readonly table: DecisionTable;
  readonly modules: readonly Module[];
  readonly bundle: Bundle;
  /** The policies as written. */
  readonly documents: () => readonly PolicyDocument[];
}

/** Compiles the policies of one store. The result does not depend on the order of the sources (D42). */
export function compile(sources: readonly Source[], options: CompileOptions): Compilation {
  const { cache = openCompileCache() } = options;
  const { compiled: before } = cache.last;
  const again = before && recompile(before, sources, options, cache);
  const { set, diagnostics } = again === undefined ? compileAll(sources, options, cache) : { set: again, diagnostics: again.warnings };
  // The last one that compiled is what the next change is one of, whatever was tried meanwhile.
  if (set !== undefined) cache.last.compiled = set;

  const found: Diagnostic[] = [];
  if (options.schemas !== undefined)
    checkSchemas(documentsOf(sources, cache), options.schemas, (diagnostic) => void found.push(diagnostic));
  // Cached diagnostics are sorted already.
  const sorted = found.length === 0 && again !== undefined ? diagnostics : inOrder([...diagnostics, ...found]);
  if (set === undefined || found.some(isError)) return { diagnostics: sorted };
  const { policySet, units, modules } = set;
  const packed = repack(modules, options, cache.last.packed);
  cache.last.packed = packed;
  const documents = (): readonly PolicyDocument[] => documentsOf(sources, cache);
  return {
    diagnostics: sorted,
    compiled: {
      policySet,
      get table() {
        return { units: units.map(tableOf) };
      },
      modules,
      bundle: packed.bundle,
      documents,
    },
  };
}

function compileAll(
  sources: readonly Source[],
  options: CompileOptions,
  cache: CompileCache,
): { readonly set?: CompiledSet; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);

  const documents: PolicyDocument[] = [];
  for (const source of sources) {
    const read = readOnce(source, cache);
    read.diagnostics.forEach(report);
    if (read.document !== undefined) documents.push(read.document);
  }
  const policySet = link(documents, report, cache.link);
  validate(documents, diagnostics, report);
  if (diagnostics.some(isError)) return { diagnostics };
  return { set: emitSet(sources, policySet, inOrder(diagnostics), options, cache), diagnostics };
}

// The order does not matter: linking sorts by path, and diagnostics are sorted at the end.
const documentsOf = (sources: readonly Source[], cache: CompileCache): readonly PolicyDocument[] =>
  sources.flatMap((source) => readOnce(source, cache).document ?? []);
