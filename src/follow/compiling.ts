/** States of a store -> compiled sets: what was compiled last is remembered, so that the next one costs what is new in it. */
import { openCompileMemory, type CompileMemory } from "../../compiler/memory.ts";
import type { Source } from "../../compiler/source.ts";
import type { Compiled } from "./change-store.ts";
import { compileSet, rememberFindings, type CompiledSet } from "../compile/compile-set.ts";
import type { KeptStart } from "../compile/kept-start.ts";
import { emptyState, rememberList, type StoreState } from "../compile/store-state.ts";
import { checkOfSchemas, type SchemaRules, type SchemasCheck } from "../schemas/check.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { digest } from "../texts/digest.ts";
import type { Telling } from "./telling.ts";

/** What is known before anything is compiled. */
export interface CompilingOptions {
  /** Where schemas may come from; absent: nobody looks at schemas. */
  readonly schemas: SchemaRules | undefined;
  /** What has been told without compiling it. */
  readonly start: KeptStart | undefined;
  /** Told of that once it has been compiled. */
  readonly suppose: Telling["suppose"];
}

/** A state that is compiled, and what its schemas were checked by; absent: it is to be made. */
export type CompiledState = Compiled & { readonly check?: SchemasCheck | undefined };

/** The compiler, and what it has compiled. */
export interface Compiling {
  readonly memory: CompileMemory;
  readonly compile: (next: StoreState) => CompiledState;
  /** Compiles what was told without, so that a change can be told as one, and is compiled as one. */
  readonly compileStart: () => void;
  /** Takes a state for judged, with what came of it. */
  readonly judge: (state: StoreState, made: CompiledState) => void;
  /** The state that was judged last, whatever came of it. */
  readonly judged: () => StoreState | undefined;
  /** What came of it. */
  readonly standing: () => CompiledSet | undefined;
}

/** Opens it. */
export function openCompiling({ schemas, start, suppose }: CompilingOptions): Compiling {
  const memory = openCompileMemory();
  const findingsOf = rememberFindings();
  const listOf = rememberList<Source>();
  let check = schemas && checkOfSchemas((start?.state ?? emptyState).schemas, schemas, "warning");
  let judged: StoreState | undefined = start?.state;
  let cameOut: CompiledSet | undefined;
  /** What was told and never compiled here: until something else has to be. */
  let untried = start;

  const checkOf = (files: SchemaFiles): SchemasCheck | undefined =>
    judged === undefined || judged.schemas !== files ? check?.withFiles(files) : check;
  const compileStart = (): void => {
    if (untried === undefined) return;
    const { state: then, good: first } = untried;
    untried = undefined;
    const { compiled } = compile(then);
    cameOut = compiled;
    if (compiled.kind === "broken" || compiled.bundle.manifest.digest !== first.digest) {
      // Only if the program that kept it was another one after all: what it made is not to stay in force.
      judged = undefined;
      return;
    }
    suppose({ bundle: compiled.bundle, good: first, sources: then.sources }, compiled.warnings);
  };
  const compile = (next: StoreState): CompiledState => {
    compileStart();
    const began = performance.now();
    const nextCheck = checkOf(next.schemas);
    const compiled = compileSet(
      listOf(next.sources),
      { digest, memory, ...(nextCheck !== undefined && { schemas: nextCheck }) },
      next.unreadable,
      findingsOf,
    );
    return { compiled, milliseconds: performance.now() - began, check: nextCheck };
  };
  return {
    memory,
    compile,
    compileStart,
    judge: (state, { compiled, check: nextCheck = checkOf(state.schemas) }) => {
      judged = state;
      cameOut = compiled;
      check = nextCheck;
    },
    judged: () => judged,
    standing: () => cameOut,
  };
}
