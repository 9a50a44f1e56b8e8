/** Compiles sets one after another, and holds each against the same set compiled afresh. */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { compile, type Compilation } from "../../../compiler/index.ts";
import { openCompileCache, type CompileCache } from "../../../compiler/cache.ts";
import { printDiagnostic } from "../../../compiler/print-diagnostics.ts";
import type { Source } from "../../../compiler/source.ts";
import { printTable } from "../../../compiler/table/print.ts";

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** All that can be told of what came out: bytes where there are some. */
const told = ({ diagnostics, compiled }: Compilation) => ({
  diagnostics: diagnostics.map(printDiagnostic),
  ...(compiled && {
    bundle: JSON.stringify(compiled.bundle),
    modules: compiled.modules.map(({ text }) => text),
    table: printTable(compiled.table),
    set: withoutSources(compiled.policySet),
    documents: compiled
      .documents()
      .map(({ source }) => source.path)
      .sort(),
  }),
});

/** What people read of some units. */
const readable = ({ compiled }: Compilation, ids: readonly string[]) =>
  (compiled?.modules ?? [])
    .filter(({ unit }) => ids.includes(unit.id))
    .map((module) => [module.readable(), module.places().map((span) => span && [span.source.path, span.start, span.end])]);

/** What spans lead to is the same as long as where they lead is. */
const withoutSources = (value: unknown): string =>
  JSON.stringify(
    value,
    (name: string, part: unknown) => (name === "source" ? (part as Source).path : typeof part === "bigint" ? `${part}n` : part),
    1,
  );

/** All that a set remembers for the next one. */
function remembered({ last: { compiled, packed } }: CompileCache) {
  if (compiled === undefined) return undefined;
  const { indexes, units, modules, warnings } = compiled;
  const inOrder = <V>(entries: Iterable<readonly [string, V]> = []): readonly (readonly [string, V])[] =>
    [...entries].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    warnings: warnings.map(printDiagnostic),
    units: units.map(({ id, type, policies }) => [id, type, policies.map(({ policy }) => policy.span.source.path)]),
    modules: modules.map(({ unit }) => unit.id),
    sources: inOrder(indexes?.sources).map(([path, { text }]) => [path, text]),
    documents: inOrder(indexes?.documents).map(([key, { source }]) => [key, source.path]),
    dependents: inOrder(indexes?.dependents).map(([key, list]) => [key, list.toSorted()]),
    permissions: inOrder(indexes?.permissions),
    packed: packed && { ...packed, modules: packed.modules.length, uses: inOrder(packed.uses) },
  };
}

/** A store that is compiled again and again. */
export interface Followed {
  readonly cache: CompileCache;
  /** Compiles what it holds now, compares, and says what came of it. */
  readonly next: (sources: readonly Source[]) => Next;
}

export interface Next {
  readonly compilation: Compilation;
  /** Not the whole was compiled: some unit was not even gathered again. */
  readonly isPart: boolean;
  /** Ids of the units that were emitted. */
  readonly emitted: readonly string[];
}

export function follow(): Followed {
  const cache = openCompileCache();
  return {
    cache,
    next: (sources) => {
      const before = cache.last.compiled;
      const compilation = compile(sources, { digest, cache });
      const afreshMemory = openCompileCache();
      const afresh = compile(sources, { digest, cache: afreshMemory });
      expect(told(compilation)).toEqual(told(afresh));
      if (compilation.compiled === undefined) expect(cache.last.compiled).toBe(before);
      else expect(remembered(cache)).toEqual(remembered(afreshMemory));
      const { compiled: now } = cache.last;
      const [units, modules] = [new Set(before?.units), new Set(before?.modules)];
      const emitted = (now?.modules ?? []).filter((module) => !modules.has(module)).map(({ unit }) => unit.id);
      expect(readable(compilation, emitted)).toEqual(readable(afresh, emitted));
      const isPart = now !== undefined && now !== before && now.units.some((unit) => units.has(unit));
      return { compilation, isPart, emitted };
    },
  };
}
