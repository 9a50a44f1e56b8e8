/** Policies in, bundle out: the passes in order. */
import type { Bundle } from "../runtime/bundle.ts";
import { byUnits } from "../runtime/order.ts";
import { inOrder, type Diagnostic } from "./diagnostic.ts";
import type { FormName } from "./emit/forms/index.ts";
import type { Module } from "./emit/module.ts";
import { emit } from "./emit/unit.ts";
import { link } from "./link/link.ts";
import type { PolicySet } from "./link/policy-set.ts";
import { optimize } from "./optimize/index.ts";
import { pack } from "./pack.ts";
import { readPolicy } from "./policy/read.ts";
import type { Source } from "./source.ts";
import { lower } from "./table/lower.ts";
import type { DecisionTable } from "./table/table.ts";
import { validate } from "./validate/index.ts";

/** What the compiler needs and does not have. */
export interface CompileOptions {
  /** A stable digest of a text, such as SHA-256 in hexadecimal: hashing is not the compiler's business. */
  readonly digest: (text: string) => string;
  /** The fast forms of generated code that are switched on; every one unless said otherwise. None changes a decision. */
  readonly forms?: ReadonlySet<FormName>;
}

/** What compiling gave: everything found wrong, and, when nothing is an error, each stage's result. */
export interface Compilation {
  /** Ordered by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  readonly compiled?: Compiled;
}

/** The result of each stage. */
export interface Compiled {
  readonly policySet: PolicySet;
  readonly table: DecisionTable;
  readonly modules: readonly Module[];
  readonly bundle: Bundle;
}

/** Compiles the policies of one store. The same sources, in whatever order, give the same bytes (D42). */
export function compile(sources: readonly Source[], options: CompileOptions): Compilation {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);

  const ordered = sources.toSorted((left, right) => byUnits(left.path, right.path));
  const documents = ordered.flatMap((source) => readPolicy(source, report) ?? []);
  const policySet = link(documents, report);
  validate(policySet, report);
  const sorted = inOrder(diagnostics);
  if (diagnostics.some((diagnostic) => diagnostic.severity === "error")) return { diagnostics: sorted };

  const table = optimize(lower(policySet));
  const modules = table.units.map((unit) => emit(unit, options));
  return { diagnostics: sorted, compiled: { policySet, table, modules, bundle: pack(modules, options) } };
}
