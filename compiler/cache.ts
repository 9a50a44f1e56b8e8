/**
 * The cache of the compiler, kept from one compilation to the next, so that a small change is cheap. It never changes
 * the result.
 */
import type { Diagnostic } from "./diagnostic.ts";
import type { FormName } from "./emit/forms/index.ts";
import type { Module } from "./emit/module.ts";
import { openLinkCache, type LinkCache } from "./link/cache.ts";
import type { PolicyDocument } from "./policy/document.ts";
import type { PackedBundle } from "./pack.ts";
import { readPolicy } from "./policy/read.ts";
import type { Source } from "./source.ts";
import type { UnitPolicies } from "./table/lower.ts";
import type { CompiledSet } from "./recompile/compiled-set.ts";

/** Keyed by the input of each stage, so that entries are collected when no set holds the input any more. */
export interface CompileCache {
  readonly read: WeakMap<Source, ReadSource>;
  readonly link: LinkCache;
  /** By the first policy of the unit. */
  readonly units: WeakMap<LinkedPolicy, EmittedUnit>;
  /** The last set that compiled, and the last that was packed. */
  readonly last: { compiled: CompiledSet | undefined; packed: PackedBundle | undefined };
}

type LinkedPolicy = UnitPolicies["policies"][number]["policy"];

interface ReadSource {
  readonly document: PolicyDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** A unit and everything that it was made from. */
interface EmittedUnit {
  readonly policies: UnitPolicies["policies"];
  readonly digest: (text: string) => string;
  readonly forms: ReadonlySet<FormName> | undefined;
  readonly module: Module;
}

/** Returns an empty cache. */
export const openCompileCache = (): CompileCache => ({
  read: new WeakMap(),
  link: openLinkCache(),
  units: new WeakMap(),
  last: { compiled: undefined, packed: undefined },
});

/** Reads the policy of a source, through the cache. A source never changes; a changed file is a new source. */
export function readOnce(source: Source, { read }: CompileCache): ReadSource {
  const known = read.get(source);
  if (known !== undefined) return known;
  const diagnostics: Diagnostic[] = [];
  const document = readPolicy(source, (diagnostic) => void diagnostics.push(diagnostic));
  const found = { document, diagnostics: diagnostics.length === 0 ? none : diagnostics };
  read.set(source, found);
  return found;
}

const none: readonly never[] = [];

/** Emits the module of some policies, through the cache. Linked policies never change either. */
export function emitOnce(
  { policies }: UnitPolicies,
  options: { readonly digest: EmittedUnit["digest"]; readonly forms?: ReadonlySet<FormName> },
  { units }: CompileCache,
  make: () => Module,
): Module {
  const { digest, forms } = options;
  const known = units.get(policies[0].policy);
  if (known?.digest === digest && known.forms === forms && areSame(known.policies, policies)) return known.module;
  const module = make();
  units.set(policies[0].policy, { policies, digest, forms, module });
  return module;
}

const areSame = (left: UnitPolicies["policies"], right: UnitPolicies["policies"]): boolean =>
  left.length === right.length && left.every(({ policy }, index) => policy === right[index]?.policy);
