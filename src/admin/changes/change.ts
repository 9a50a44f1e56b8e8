/** A change of the store that was asked for, worked out before anything is written. */
import { sourceOf, type Diagnostic } from "../../../compiler/diagnostic.ts";
import type { CompileMemory } from "../../../compiler/memory.ts";
import { printPlace, type Source } from "../../../compiler/source.ts";
import { refused, type Problem, type Refused } from "../../compile/commands.ts";
import type { CompiledSet } from "../../compile/compile-set.ts";
import type { SchemaPlaces } from "../../schemas/load.ts";
import type { StoreState } from "../../compile/store-state.ts";
import type { Batch, Store } from "../../store/store.ts";

/** What the store would hold, and how it comes to that. */
export interface Change {
  readonly kind: "change";
  readonly state: StoreState;
  readonly batch: Batch;
  readonly count: number;
  /** Says why it is not made when the policies would not compile after it; `wasBroken`: they do not now. */
  readonly refuse: (broken: BrokenSet, wasBroken: boolean) => Refused;
}

/** Policies that do not compile. */
export type BrokenSet = Extract<CompiledSet, { kind: "broken" }>;

/** Which policies of a request are which of the sources. */
export type AskedSources = ReadonlyMap<Source, number>;

/** What a change is worked out from. */
export interface Standing {
  readonly state: StoreState;
  readonly store: Pick<Store, "placeOf" | "schemaIdProblem" | "sourceOf">;
  readonly memory: CompileMemory;
  /** Where schemas may come from. */
  readonly places: Omit<SchemaPlaces, "fetchText">;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Refuses policies with which the whole would not compile. */
export const refusePut = (broken: BrokenSet, asked: AskedSources): Refused =>
  refused("invalid", "the policies would not compile", problemsOfSet(broken, asked));

/** Refuses whatever does not mend policies that do not compile as they are. */
export const refuseBrokenStore = (broken: BrokenSet): Refused =>
  refused("precondition", "the policies of the store do not compile, and nothing can be changed until they do", problemsOfSet(broken));

/** Lists what is wrong with policies that do not compile, as problems of the request that would have led to them. */
export const problemsOfSet = ({ diagnostics, besides }: BrokenSet, asked: AskedSources = new Map()): readonly Problem[] => [
  ...besides.map(({ code, place, message }) => ({ path: "", code, message: `${place}: ${message}` })),
  ...problemsOf(diagnostics, asked),
];

/** Turns the errors among diagnostics into problems of the request; what lies elsewhere says where. */
export function problemsOf(diagnostics: readonly Diagnostic[], asked: AskedSources): readonly Problem[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map((diagnostic): Problem => {
      const { code, path, span, message, hint } = diagnostic;
      const source = sourceOf(diagnostic);
      const index = source && asked.get(source);
      const said = hint === undefined ? message : `${message} (${hint})`;
      if (index !== undefined) return { path: `policies[${index}]${path?.slice(1) ?? ""}`, code, message: withoutLines(said) };
      const place = span === undefined ? (source?.path ?? "policies") : printPlace(span);
      return { path: "", code, message: `${place}: ${said}` };
    });
}

/** Leaves out lines and columns: the text that they lie in is ours, made of what was sent. The author's own words stay. */
const withoutLines = (message: string): string => message.replaceAll(/`[^`]*`| at \d+:\d+/g, (part) => (part.startsWith("`") ? part : ""));
