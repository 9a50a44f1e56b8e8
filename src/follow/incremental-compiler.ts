/**
 * Compiles the states of a store incrementally: the result of the last compilation is kept, so that the next costs only what has
 * changed.
 */
import { openCompileCache, type CompileCache } from "../../compiler/cache.ts";
import type { Source } from "../../compiler/source.ts";
import type { Compiled } from "./change-store.ts";
import { compileSet, incrementalFindings, type CompileResult } from "../compile/compile-set.ts";
import type { CacheStart } from "../compile/start-from-cache.ts";
import { emptyState, incrementalList, type StoreState } from "../compile/store-state.ts";
import { openSchemasCheck, type SchemaRules, type SchemasCheck } from "../schemas/check.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { digest } from "../texts/digest.ts";
import type { SetEncoder } from "./set-encoder.ts";

/** What is known before the first compilation. */
export interface IncrementalCompilerOptions {
  /** Where schemas may come from; absent when attributes are not validated. */
  readonly schemas: SchemaRules | undefined;
  /** A set that was posted from the cache, without compiling it. */
  readonly start: CacheStart | undefined;
  /** Called with that set once it has been compiled. */
  readonly assumePosted: SetEncoder["assumePosted"];
}

/** The result of compiling a state, and the check of its schemas; without `check`, it is yet to be made. */
export type CompiledState = Compiled & { readonly check?: SchemasCheck | undefined };

/** The compiler with its cache. */
export interface IncrementalCompiler {
  readonly cache: CompileCache;
  readonly compile: (next: StoreState) => CompiledState;
  /** Compiles the set that was posted from the cache, so that the next change can be compiled and posted incrementally. */
  readonly compileStart: () => void;
  /** Records a state as the last compiled one, with its result. */
  readonly record: (state: StoreState, made: CompiledState) => void;
  /** The state that was compiled last, whatever the result. */
  readonly lastState: () => StoreState | undefined;
  /** The result of the last compilation. */
  readonly lastResult: () => CompileResult | undefined;
}

/** Opens the compiler. */
export function openIncrementalCompiler({ schemas, start, assumePosted }: IncrementalCompilerOptions): IncrementalCompiler {
  const cache = openCompileCache();
  const findingsOf = incrementalFindings();
  const listOf = incrementalList<Source>();
  let check = schemas && openSchemasCheck((start?.state ?? emptyState).schemas, schemas, "warning");
  let lastState: StoreState | undefined = start?.state;
  let lastResult: CompileResult | undefined;
  /** The set that was posted from the cache and not compiled yet. */
  let uncompiled = start;

  const checkOf = (files: SchemaFiles): SchemasCheck | undefined =>
    lastState === undefined || lastState.schemas !== files ? check?.withFiles(files) : check;
  const compileStart = (): void => {
    if (uncompiled === undefined) return;
    const { state: then, good: first } = uncompiled;
    uncompiled = undefined;
    const { compiled } = compile(then);
    lastResult = compiled;
    if (compiled.kind === "broken" || compiled.bundle.manifest.digest !== first.digest) {
      // This happens only if another version of the program wrote the cache: its set must not stay in force.
      lastState = undefined;
      return;
    }
    assumePosted({ bundle: compiled.bundle, good: first, sources: then.sources }, compiled.warnings);
  };
  const compile = (next: StoreState): CompiledState => {
    compileStart();
    const began = performance.now();
    const nextCheck = checkOf(next.schemas);
    const compiled = compileSet(
      listOf(next.sources),
      { digest, cache, ...(nextCheck !== undefined && { schemas: nextCheck }) },
      next.unreadable,
      findingsOf,
    );
    return { compiled, milliseconds: performance.now() - began, check: nextCheck };
  };
  return {
    cache,
    compile,
    compileStart,
    record: (state, { compiled, check: nextCheck = checkOf(state.schemas) }) => {
      lastState = state;
      lastResult = compiled;
      check = nextCheck;
    },
    lastState: () => lastState,
    lastResult: () => lastResult,
  };
}
