/** A change of the store, computed completely before anything is written. */
import { sourceOf, type Diagnostic } from "../../../compiler/diagnostic.ts";
import type { CompileCache } from "../../../compiler/cache.ts";
import { printPlace, type Source } from "../../../compiler/source.ts";
import { refused, type RequestProblem, type Refused } from "../../compile/commands.ts";
import type { CompileResult } from "../../compile/compile-set.ts";
import type { SchemaPlaces } from "../../schemas/load.ts";
import type { StoreState } from "../../compile/store-state.ts";
import type { Batch, Store } from "../../store/store.ts";

/** The resulting state of the store, and the batch that leads to it. */
export interface Change {
  readonly kind: "change";
  readonly state: StoreState;
  readonly batch: Batch;
  readonly count: number;
  /** Returns the refusal when the policies would not compile after the change; `wasBroken`: they do not compile before it either. */
  readonly refuse: (broken: BrokenSet, wasBroken: boolean) => Refused;
}

/** A policy set that does not compile. */
export type BrokenSet = Extract<CompileResult, { kind: "broken" }>;

/** The index in the request of each source that comes from it. */
export type AskedSources = ReadonlyMap<Source, number>;

/** The data that a change is computed from. */
export interface ChangeContext {
  readonly state: StoreState;
  readonly store: Pick<Store, "placeOf" | "schemaIdProblem" | "sourceOf">;
  readonly cache: CompileCache;
  /** Where schemas may come from. */
  readonly places: Omit<SchemaPlaces, "fetchText">;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Refuses policies with which the set would not compile. */
export const refusePut = (broken: BrokenSet, asked: AskedSources): Refused =>
  refused("invalid", "the policies would not compile", problemsOfSet(broken, asked));

/** Refuses any change that does not fix a set which does not compile at present. */
export const refuseBrokenStore = (broken: BrokenSet): Refused =>
  refused("precondition", "the policies of the store do not compile, and nothing can be changed until they do", problemsOfSet(broken));

/** Lists the errors of a set that does not compile, as problems of the request that would cause them. */
export const problemsOfSet = ({ diagnostics, besides }: BrokenSet, asked: AskedSources = new Map()): readonly RequestProblem[] => [
  ...besides.map(({ code, place, message }) => ({ path: "", code, message: `${place}: ${message}` })),
  ...problemsOf(diagnostics, asked),
];

/** Converts error diagnostics to problems of the request; for a problem elsewhere, the message says where. */
export function problemsOf(diagnostics: readonly Diagnostic[], asked: AskedSources): readonly RequestProblem[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map((diagnostic): RequestProblem => {
      const { code, path, span, message, hint } = diagnostic;
      const source = sourceOf(diagnostic);
      const index = source && asked.get(source);
      const said = hint === undefined ? message : `${message} (${hint})`;
      if (index !== undefined) return { path: `policies[${index}]${path?.slice(1) ?? ""}`, code, message: withoutLines(said) };
      const place = span === undefined ? (source?.path ?? "policies") : printPlace(span);
      return { path: "", code, message: `${place}: ${said}` };
    });
}

/**
 * Removes lines and columns from a message, because they refer to our own serialisation of the request. The author's words in backticks
 * stay.
 */
const withoutLines = (message: string): string => message.replaceAll(/`[^`]*`| at \d+:\d+/g, (part) => (part.startsWith("`") ? part : ""));
